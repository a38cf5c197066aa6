//! A Rust value from a model, or a typed error that says what to do.

use fathom_providers::FailureCategory;
use fathom_providers::model::{
    FinishReason, ModelCost, ModelError, ModelRole, ModelSettings, TokenUsage,
};
use serde_json::{Value, json};

use crate::server::{Reply, Server, completion};
use crate::world::{ModelWorld, PLAN, endpoint, plan};

#[tokio::test]
async fn a_value_is_asked_for_by_its_strict_schema() {
    let server = Server::with(vec![Reply::chat(PLAN)]).await;
    let typed = ModelWorld::openai(&server).plan().await.unwrap();
    assert_eq!(typed.value, plan());
    assert!(!typed.mended);
    let format = &server.asked()[0].body["response_format"];
    assert_eq!(format["type"], "json_schema");
    let schema = &format["json_schema"];
    assert_eq!(
        (&schema["name"], &schema["strict"]),
        (&json!("Plan"), &json!(true))
    );
    assert_eq!(schema["schema"]["additionalProperties"], false);
    assert_eq!(schema["schema"]["required"], json!(["title", "queries"]));
    let text = &server.asked()[0].text;
    let place = |name: &str| text.find(name).unwrap();
    assert!(place(r#""title":{"#) < place(r#""queries":{"#), "{text}");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_with_the_readers_words_and_all_is_paid() {
    let wrong = r#"{"title": 7, "queries": []}"#;
    let server = Server::with(vec![Reply::chat(wrong), Reply::chat(PLAN)]).await;
    let typed = ModelWorld::openai(&server).plan().await.unwrap();
    assert_eq!(typed.value, plan());
    let usage = TokenUsage {
        input: 20,
        output: 10,
        cached: 0,
        estimated: false,
    };
    assert_eq!((typed.spent.usage, typed.spent.answers), (usage, 2));
    assert_eq!(
        typed.spent.cost,
        Some(ModelCost(20 * 2_500_000 + 10 * 10_000_000))
    );
    let messages = server.asked()[1].body["messages"].clone();
    assert_eq!(messages[2], json!({"role": "assistant", "content": wrong}));
    let words = messages[3]["content"].as_str().unwrap();
    assert!(
        words.contains("at title: invalid type: integer `7`, expected a string"),
        "{words}"
    );
}

#[tokio::test]
async fn an_answer_that_never_fits_ends_in_a_parsing_error_in_the_agreed_form() {
    let server = Server::with(vec![Reply::chat("no plan today")]).await;
    let error = ModelWorld::openai(&server).plan().await.unwrap_err();
    assert_eq!(server.asked().len(), 2);
    assert_eq!(error.spent().answers, 2);
    let Value::Object(response) = serde_json::to_value(error.response()).unwrap() else {
        panic!("an error response is an object")
    };
    let error = &response["error"];
    assert_eq!(
        (&error["type"], &error["retryable"]),
        (&json!("parsing"), &json!(true))
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.ends_with("/gpt-4o answered in a form that cannot be used, even when asked again (there is no JSON in the answer); try again, or set a stronger model"), "{message}");
}

#[tokio::test]
async fn a_refusal_is_no_parsing_error_and_is_not_asked_again() {
    let mut refusal = completion("", "stop");
    refusal["choices"][0]["message"] = json!({"content": null, "refusal": "No."});
    let server = Server::with(vec![Reply::json(200, &refusal)]).await;
    let error = ModelWorld::openai(&server).plan().await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { .. }));
    assert_eq!(error.category(), FailureCategory::Validation);
    assert!(!error.is_retryable());
    assert!(
        error
            .to_string()
            .ends_with("declined to answer; put the question differently, or set another model")
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_mended_or_asked_for_with_more_room() {
    let enough = &PLAN[..PLAN.len() - 2];
    let server = Server::with(vec![Reply::json(200, &completion(enough, "length"))]).await;
    let typed = ModelWorld::openai(&server).plan().await.unwrap();
    assert_eq!(typed.value, plan());
    assert!(typed.mended);

    let short = Reply::json(200, &completion(r#"{"title": "Ke"#, "length"));
    let server = Server::with(vec![short.clone(), Reply::chat(PLAN)]).await;
    assert_eq!(
        ModelWorld::openai(&server).plan().await.unwrap().value,
        plan()
    );
    let asked = server.asked();
    assert_eq!(
        (&asked[0].body["max_tokens"], &asked[1].body["max_tokens"]),
        (&json!(4096), &json!(8192))
    );
    assert_eq!(asked[1].body["messages"], asked[0].body["messages"]);

    let server = Server::with(vec![short]).await;
    let mut settings = ModelSettings::new(vec![endpoint(
        fathom_providers::model::ModelApi::OpenAi,
        &server,
    )]);
    settings.max_tokens_ceiling = 5_000;
    let error = ModelWorld::with(settings).plan().await.unwrap_err();
    assert_eq!(server.asked()[1].body["max_tokens"], 5_000);
    assert!(matches!(
        error,
        ModelError::Unreadable { cut_off: true, .. }
    ));
    assert!(error.to_string().ends_with("raise the role's max_tokens"));
}

#[tokio::test]
async fn an_output_that_the_endpoint_itself_refuses_is_asked_for_again() {
    let failed = json!({"error": {"code": "json_validate_failed", "type": "invalid_request_error", "param": "x", "failed_generation": "{"}});
    let server = Server::with(vec![Reply::json(400, &failed), Reply::chat(PLAN)]).await;
    assert_eq!(
        ModelWorld::openai(&server).plan().await.unwrap().value,
        plan()
    );
    let server = Server::with(vec![Reply::json(400, &failed)]).await;
    let error = ModelWorld::openai(&server).plan().await.unwrap_err();
    assert!(matches!(error, ModelError::Call { .. }));
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_completion_and_its_cost_can_be_stored() {
    let server = Server::with(vec![Reply::chat("Kelp")]).await;
    let served = ModelWorld::openai(&server)
        .ask(&crate::world::request())
        .await
        .unwrap();
    assert_eq!(served.value.finish, FinishReason::Stop);
    let text = serde_json::to_string(&served.value).unwrap();
    assert_eq!(
        serde_json::from_str::<fathom_providers::model::Completion>(&text).unwrap(),
        served.value
    );
    assert_eq!(ModelRole::ALL.len(), 5);
}
