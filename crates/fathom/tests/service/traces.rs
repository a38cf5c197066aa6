//! Traces for a collector of OpenTelemetry: a collector of a few lines on loopback receives them.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use fathom_testworld::Script;
use reqwest::StatusCode;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::run::{TASK, pages, world};
use super::served::expect;

/// A collector, and what it receives.
async fn collector() -> (String, mpsc::UnboundedReceiver<Bytes>) {
    let (send, received) = mpsc::unbounded_channel();
    let take = |State(send): State<mpsc::UnboundedSender<Bytes>>, body: Bytes| async move {
        send.send(body).unwrap();
    };
    let router = Router::new()
        .route("/v1/traces", post(take))
        .with_state(send);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, received)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|piece| piece == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_traced_with_its_steps_and_the_calls_of_its_model() {
    let (address, mut received) = collector().await;
    let more = [
        ("FATHOM_SERVE_TRACES_URL", address.as_str()),
        ("FATHOM_MODEL", "house-model"),
    ];
    let (_stage, mut served) = world(Script::sensible(pages()), &more).await;
    let answered = served.post("/run", &json!({ "task": TASK })).await;
    let answer = expect(answered, StatusCode::OK).await;
    // What is left is sent when the service ends.
    let (code, said) = tokio::task::block_in_place(|| served.terminate());
    assert_eq!(code, Some(143), "{said}");
    let mut sent = Vec::new();
    while let Ok(body) = received.try_recv() {
        sent.extend_from_slice(&body);
    }
    for expected in [
        "invoke_agent answer",
        answer["run"].as_str().unwrap(),
        "synthesize",
        "chat house-model",
        "execute_tool search",
        "execute_tool read_page",
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
    ] {
        assert!(holds(&sent, expected), "{expected}");
    }
    assert!(!holds(&sent, TASK), "what was asked is not sent");
}
