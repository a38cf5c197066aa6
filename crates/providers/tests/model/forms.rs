//! What an endpoint does not understand is found out once, and remembered.

use serde_json::{Value, json};

use crate::server::{Asked, Reply, Server};
use crate::world::{ModelWorld, PLAN, plan, request};

/// An endpoint that refuses a request for something in it, by name or without one.
fn picky(
    refuses: fn(&Value) -> Option<&'static str>,
    named: bool,
) -> impl Fn(usize, &Asked) -> Reply {
    move |_, asked| match refuses(&asked.body) {
        Some(param) if named => Reply::refusal(param),
        Some(_) => Reply::json(
            400,
            &json!({"error": {"message": "bad", "code": 400, "type": "invalid_request_error"}}),
        ),
        None => Reply::chat(PLAN),
    }
}

/// The endpoint's plan, asked for twice; gives how many requests each took.
async fn requests(
    refuses: fn(&Value) -> Option<&'static str>,
    named: bool,
) -> (usize, usize, Value) {
    let server = Server::start(picky(refuses, named)).await;
    let world = ModelWorld::openai(&server);
    assert_eq!(world.plan().await.unwrap().value, plan());
    let first = server.asked().len();
    assert_eq!(world.plan().await.unwrap().value, plan());
    let asked = server.asked();
    (
        first,
        asked.len() - first,
        asked.last().unwrap().body.clone(),
    )
}

fn no_lengths(body: &Value) -> Option<&'static str> {
    let schema = body["response_format"].to_string();
    schema.contains("maxLength").then_some("response_format")
}

fn no_schema(body: &Value) -> Option<&'static str> {
    (body["response_format"]["type"] == "json_schema").then_some("response_format")
}

fn no_format(body: &Value) -> Option<&'static str> {
    body.get("response_format").map(|_| "response_format.type")
}

fn no_options(body: &Value) -> Option<&'static str> {
    body.get("stream_options").map(|_| "stream_options")
}

fn no_stream(body: &Value) -> Option<&'static str> {
    body.get("stream").map(|_| "stream")
}

fn no_old_limit(body: &Value) -> Option<&'static str> {
    body.get("max_tokens")
        .map(|_| "max_tokens")
        .or(body.get("temperature").map(|_| "temperature"))
}

fn no_extras(body: &Value) -> Option<&'static str> {
    no_format(body).or(no_options(body))
}

#[tokio::test]
async fn a_refused_parameter_that_is_named_is_left_out_from_then_on() {
    let (first, second, body) = requests(no_lengths, true).await;
    assert_eq!((first, second), (2, 1));
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);

    let (first, second, body) = requests(no_schema, true).await;
    assert_eq!((first, second), (3, 1));
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    assert!(
        body["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("\"queries\""),
        "the schema is in the prompt"
    );

    let (first, second, body) = requests(no_format, true).await;
    assert_eq!((first, second), (4, 1));
    assert_eq!(body.get("response_format"), None);

    let (first, second, body) = requests(no_options, true).await;
    assert_eq!((first, second, &body["stream"]), (2, 1, &json!(true)));

    let (first, second, body) = requests(no_stream, true).await;
    assert_eq!((first, second), (2, 1));
    assert_eq!(body.get("stream_options"), None);

    let (first, second, body) = requests(no_old_limit, true).await;
    assert_eq!(
        (first, second, &body["max_completion_tokens"]),
        (3, 1, &json!(4096))
    );
}

#[tokio::test]
async fn a_refusal_that_names_nothing_is_met_with_plainer_forms_one_change_at_a_time() {
    let (first, second, body) = requests(no_schema, false).await;
    assert_eq!((first, second), (3, 1));
    assert_eq!(
        (&body["response_format"]["type"], &body["stream"]),
        (&json!("json_object"), &json!(true))
    );

    let (first, second, body) = requests(no_options, false).await;
    assert_eq!((first, second), (5, 1));
    assert_eq!(
        body["response_format"]["type"], "json_schema",
        "what was not at fault is kept"
    );

    let (first, second, body) = requests(no_extras, false).await;
    assert_eq!((first, second), (7, 1));
    assert_eq!(
        (body.get("response_format"), body.get("stream")),
        (None, None)
    );
}

#[tokio::test]
async fn a_refusal_that_has_nothing_to_do_with_the_form_is_told_and_not_tried_for_ever() {
    let bad = json!({"error": {"message": "bad", "code": 400}});
    let server = Server::with(vec![Reply::json(400, &bad)]).await;
    let world = ModelWorld::openai(&server);
    world.ask(&request()).await.unwrap_err();
    assert_eq!(server.asked().len(), 4);
    let exhausted = world.ask(&request()).await.unwrap_err();
    assert_eq!(server.asked().len(), 5, "plainer forms were in vain before");
    assert_eq!(exhausted.decisive().unwrap().status, Some(400));

    let named = Server::with(vec![Reply::refusal("messages[3]")]).await;
    ModelWorld::openai(&named)
        .ask(&request())
        .await
        .unwrap_err();
    assert_eq!(named.asked().len(), 1);
}

#[tokio::test]
async fn an_endpoint_that_ignores_the_schema_gets_it_in_the_prompt() {
    let server = Server::start(|_, asked| {
        let told = asked.body["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("JSON Schema");
        Reply::chat(if told {
            PLAN
        } else {
            "Here is a plan: first, look at kelp."
        })
    })
    .await;
    let world = ModelWorld::openai(&server);
    assert_eq!(world.plan().await.unwrap().value, plan());
    assert_eq!(server.asked().len(), 2);
    world.plan().await.unwrap();
    assert_eq!(server.asked().len(), 3, "it is remembered");
}
