//! Re-ranking and sparse vectors: every text gets its own answer, and a garbled answer is refused.

use std::time::Duration;

use fathom_providers::FailureCause;
use fathom_providers::call::{CallContext, CallEvent, CallKind};
use fathom_providers::model::{InferenceServer, ModelApi};
use serde_json::{Value, json};

use crate::server::{Asked, Reply, Server};
use crate::world::{caller, client, endpoint};

async fn with<T>(
    server: &Server,
    ask: impl AsyncFnOnce(&InferenceServer, &CallContext<'_>) -> T,
) -> T {
    let endpoint = endpoint(ModelApi::OpenAi, server);
    let inference = InferenceServer::new(client(), caller(), endpoint);
    let sink = |event: CallEvent| drop(event);
    let context = CallContext {
        kind: CallKind::Model,
        deadline: Duration::from_secs(600),
        sink: &sink,
    };
    ask(&inference, &context).await
}

/// Scores a text by the number that it is, best first.
fn by_number(_: usize, asked: &Asked) -> Reply {
    let score = |text: &Value| text.as_str().unwrap().parse::<f32>().unwrap();
    let texts = asked.body["texts"].as_array().unwrap();
    let mut scored: Vec<(usize, f32)> = texts.iter().map(score).enumerate().collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let items = scored
        .iter()
        .map(|(index, score)| json!({"index": index, "score": score}));
    Reply::json(200, &Value::Array(items.collect()))
}

#[tokio::test]
async fn every_text_gets_its_own_score_whatever_the_order_and_the_batch() {
    let server = Server::start(by_number).await;
    let texts: Vec<String> = (0..70).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = with(&server, async |server, context| {
        server.rerank("kelp", &texts, context).await
    });
    let expected: Vec<f32> = (0..70_u8).map(f32::from).collect();
    assert_eq!(scores.await, Ok(expected));
    let asked = server.asked();
    assert_eq!((asked.len(), &*asked[0].path), (3, "/v1/rerank"));
    assert_eq!(asked[0].body["query"], "kelp");
}

#[tokio::test]
async fn terms_come_with_their_weights() {
    let reply = json!([[{"index": 2054, "value": 1.5}, {"index": 7, "value": 0.25}], []]);
    let server = Server::with(vec![Reply::json(200, &reply)]).await;
    let vectors = with(&server, async |server, context| {
        server.embed_sparse(&["kelp", ""], context).await
    });
    assert_eq!(
        vectors.await,
        Ok(vec![vec![(2054, 1.5), (7, 0.25)], vec![]])
    );
    assert_eq!(server.asked()[0].path, "/v1/embed_sparse");
}

#[tokio::test]
async fn answers_that_cannot_be_used_are_refused() {
    for reply in [
        json!([{"index": 0, "score": 1.0}]),
        json!([{"index": 0, "score": 1.0}, {"index": 0, "score": 1.0}]),
        json!([{"index": 0, "score": 1.0}, {"index": 2, "score": 1.0}]),
        json!([{"index": 0, "score": 1e300}, {"index": 1, "score": 1.0}]),
        json!([[{"index": -1, "value": 1.0}], []]),
        json!([[], []]),
        json!({"error": "no"}),
        json!(null),
    ] {
        let server = Server::with(vec![Reply::json(200, &reply)]).await;
        let scores = with(&server, async |server, context| {
            server.rerank("kelp", &["a", "b"], context).await
        });
        let refused = scores.await.map_err(|failure| failure.cause);
        assert_eq!(refused, Err(FailureCause::Garbled), "{reply}");
    }
}
