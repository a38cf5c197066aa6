//! The service as clients of OpenAI meet it.

use fathom_testworld::Script;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::run::{TASK, pages, world};
use super::served::{LIBRARY, QUESTION, Served, expect};

/// A service whose own folder is the library of the test.
fn served() -> Served {
    let served = Served::open();
    let library = served.path("home/owners/_local").join(LIBRARY);
    let added = served
        .command(&["library", "add", library.to_str().unwrap()])
        .output();
    assert!(added.unwrap().status.success());
    served
}

fn chat(model: &str, stream: bool) -> Value {
    json!({
        "model": model, "stream": stream, "temperature": 0.2,
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": [{ "type": "text", "text": QUESTION }] },
        ],
    })
}

#[tokio::test]
async fn workflows_are_models_that_complete_a_chat() {
    let served = served();
    let models = served.json("/v1/models").await;
    let models = models["data"].as_array().unwrap().iter();
    let models: Vec<&str> = models.map(|model| model["id"].as_str().unwrap()).collect();
    assert!(models.contains(&"fathom-answer") && models.contains(&"fathom-report"));
    for model in ["fathom-answer", "fathom-ask", "fathom-report"] {
        let completed = served
            .post("/v1/chat/completions", &chat(model, false))
            .await;
        let completed = expect(completed, StatusCode::OK).await;
        assert_eq!(
            (&completed["object"], &completed["model"]),
            (&json!("chat.completion"), &json!(model))
        );
        let choice = &completed["choices"][0];
        assert_eq!(choice["finish_reason"], "stop");
        let text = choice["message"]["content"].as_str().unwrap();
        assert!(
            text.contains("1.9 °C cooler") && text.contains("[1]"),
            "{text}"
        );
        assert!(choice["message"]["annotations"].is_array());
    }
}

#[tokio::test]
async fn a_streamed_chat_comes_in_chunks_and_says_when_it_is_done() {
    let served = served();
    let streamed = served
        .post("/v1/chat/completions", &chat("fathom-answer", true))
        .await;
    let streamed = streamed.text().await.unwrap();
    let data = streamed
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let data: Vec<&str> = data.collect();
    assert_eq!(data.last(), Some(&"[DONE]"), "{streamed}");
    let chunks = data[..data.len() - 1].iter();
    let chunks: Vec<Value> = chunks
        .map(|chunk| serde_json::from_str(chunk).unwrap())
        .collect();
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["object"] == "chat.completion.chunk")
    );
    let text = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str());
    assert!(text.collect::<String>().contains("1.9 °C cooler"));
    assert_eq!(
        chunks.last().unwrap()["choices"][0]["finish_reason"],
        "stop"
    );
}

#[tokio::test]
async fn what_models_read_and_wrote_is_counted_apart() {
    let (stage, served) = world(Script::sensible(pages()), &[]).await;
    let question = json!({ "role": "user", "content": TASK });
    let body = json!({ "model": "fathom-answer", "messages": [question] });
    let completed = served.post("/v1/chat/completions", &body).await;
    let usage = expect(completed, StatusCode::OK).await["usage"].clone();
    // The scripted model says that it read 100 tokens in every prompt.
    let asked = stage
        .calls()
        .iter()
        .filter(|call| call.kind == "model")
        .count() as u64;
    assert_eq!(usage["prompt_tokens"], 100 * asked, "{usage}");
    let written = usage["completion_tokens"].as_u64().unwrap();
    assert!(written >= 20 * asked, "{usage}");
    assert_eq!(usage["total_tokens"], 100 * asked + written);
    let body = json!({ "model": "fathom-answer", "input": TASK });
    let response = served.post("/v1/responses", &body).await;
    let usage = expect(response, StatusCode::OK).await["usage"].clone();
    assert!(usage["output_tokens"].as_u64() > Some(0), "{usage}");
}

#[tokio::test]
async fn a_developer_tells_a_report_what_to_take_into_account() {
    let served = served();
    let mut body = chat("fathom-report", false);
    body["messages"][0]["role"] = json!("developer");
    let completed = served.post("/v1/chat/completions", &body).await;
    let completed = expect(completed, StatusCode::OK).await;
    let run = completed["id"]
        .as_str()
        .unwrap()
        .trim_start_matches("chatcmpl-")
        .to_owned();
    let state = served.json(&format!("/runs/{run}/state")).await;
    assert_eq!(
        state["state"]["question"]["context"], "Be brief.",
        "{state}"
    );
}

#[tokio::test]
async fn a_question_may_lean_on_those_before_it() {
    let served = served();
    let say = |role: &str, text: &str| json!({ "role": role, "content": text });
    let messages = json!([
        say("user", "How much cooler is the air under street trees?"),
        say("assistant", "It was 1.9 °C cooler."),
        say("user", "and by day?"),
        say("user", "and at night?"),
    ]);
    let whole = "How much cooler is the air under street trees, and at night?";
    let question = async |run: &str| {
        let run = run.split_once(['-', '_']).unwrap().1;
        let state = served.json(&format!("/runs/{run}/state")).await;
        let understood = state.pointer("/state/understood/text").cloned();
        (
            understood.unwrap_or_default(),
            state["run"]["question"].clone(),
        )
    };
    let body = json!({ "model": "fathom-ask", "messages": messages });
    let completed = served.post("/v1/chat/completions", &body).await;
    let completed = expect(completed, StatusCode::OK).await;
    let text = completed["choices"][0]["message"]["content"].to_string();
    assert!(text.contains("0.4 °C warmer"), "{text}");
    let asked = question(completed["id"].as_str().unwrap()).await;
    assert_eq!(asked, (json!(whole), json!("and at night?")));
    let body = json!({ "model": "fathom-answer", "input": messages });
    let response = served.post("/v1/responses", &body).await;
    let response = expect(response, StatusCode::OK).await;
    let asked = question(response["id"].as_str().unwrap()).await;
    assert_eq!(asked.1, json!(whole));
}

#[tokio::test]
async fn a_chat_that_makes_no_sense_is_refused_by_its_field() {
    let served = Served::open();
    let user = json!([{ "role": "user", "content": QUESTION }]);
    for (body, status, field) in [
        (json!({ "model": "gpt-9", "messages": user }), 404, "model"),
        (json!({ "messages": user }), 422, "model"),
        (
            json!({ "model": "fathom-answer", "messages": [] }),
            422,
            "messages",
        ),
        (
            json!({ "model": "fathom-answer", "messages": [{ "role": "user", "content": "Hi" }] }),
            422,
            "messages",
        ),
        (
            json!({ "model": "fathom-answer", "messages": 7 }),
            422,
            "messages",
        ),
    ] {
        let refused = served.post("/v1/chat/completions", &body).await;
        let told = expect(refused, StatusCode::from_u16(status).unwrap()).await;
        assert!(
            told["error"]["field"]
                .as_str()
                .unwrap_or("model")
                .starts_with(field),
            "{told}"
        );
    }
}
