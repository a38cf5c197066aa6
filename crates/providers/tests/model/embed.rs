//! Embeddings: in order, of one length, numbers all.

use std::time::Duration;

use fathom_providers::FailureCause;
use fathom_providers::call::{CallContext, CallEvent, CallKind};
use fathom_providers::model::{EmbeddedTexts, Embedder, ModelApi};
use serde_json::{Value, json};

use crate::server::{Asked, Reply, Server};
use crate::world::{caller, client, endpoint};

async fn embed(server: &Server, texts: usize) -> Result<EmbeddedTexts, FailureCause> {
    let embedder = Embedder::new(
        client(),
        caller(),
        endpoint(ModelApi::OpenAi, server),
        "embed-1",
    );
    let texts: Vec<String> = (0..texts).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sink = |event: CallEvent| drop(event);
    let context = CallContext {
        kind: CallKind::Model,
        deadline: Duration::from_secs(600),
        sink: &sink,
    };
    let embedded = embedder.embed(&texts, &context).await;
    embedded.map_err(|failure| failure.cause)
}

/// Answers with a vector that holds the text's own number, the last text first.
fn backwards(_: usize, asked: &Asked) -> Reply {
    let texts = asked.body["input"].as_array().unwrap();
    let vector = |(index, text): (usize, &Value)| {
        let number: f32 = text.as_str().unwrap()[5..].parse().unwrap();
        json!({"index": index, "embedding": [number, 1.0]})
    };
    let data: Vec<Value> = texts.iter().enumerate().map(vector).rev().collect();
    Reply::json(
        200,
        &json!({"model": "embed-1-v2", "data": data, "usage": {"prompt_tokens": 2 * texts.len()}}),
    )
}

#[tokio::test]
async fn every_text_gets_its_own_vector_whatever_the_order_and_the_batch() {
    let server = Server::start(backwards).await;
    let embedded = embed(&server, 200).await.unwrap();
    let expected: Vec<Vec<f32>> = (0..200u16)
        .map(|number| vec![f32::from(number), 1.0])
        .collect();
    assert_eq!(embedded.vectors, expected);
    assert_eq!(
        (embedded.usage.input, &*embedded.model),
        (400, "embed-1-v2")
    );
    assert_eq!(server.asked().len(), 3);
    assert_eq!(server.asked()[0].path, "/v1/embeddings");
    assert_eq!(embed(&server, 0).await.unwrap().vectors.len(), 0);
}

#[tokio::test]
async fn vectors_that_cannot_be_used_are_refused() {
    for data in [
        json!([{"index": 0, "embedding": [1.0]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 9, "embedding": [2.0]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1e300]}]),
        json!([{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]),
        // The bytes of a number that is none.
        json!([{"index": 0, "embedding": "AADAfw=="}, {"index": 1, "embedding": "AADAfw=="}]),
        json!([{"index": 0, "embedding": "AAA="}, {"index": 1, "embedding": "AAA="}]),
        json!(null),
    ] {
        let server = Server::with(vec![Reply::json(200, &json!({"data": data}))]).await;
        assert_eq!(
            embed(&server, 2).await,
            Err(FailureCause::Garbled),
            "{data}"
        );
    }
    let bytes = json!({"data": [{"embedding": "AACAPw=="}, {"embedding": "AAAAQA=="}]});
    let server = Server::with(vec![Reply::json(200, &bytes)]).await;
    assert_eq!(embed(&server, 2).await.unwrap().vectors, [[1.0], [2.0]]);
}
