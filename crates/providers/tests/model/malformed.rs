//! A stream that breaks anywhere, or is harmed anywhere, ends in a value that was sent or in a typed error.

use fathom_providers::model::{ModelApi, ModelError, ModelSettings, TypedAnswer};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::server::{Reply, Server, chunk, events};
use crate::world::{ModelWorld, PLAN, Plan, client, endpoint, plan};

const HARMED: usize = 300;

fn whole() -> Vec<u8> {
    let (front, back) = PLAN.split_at(30);
    let chunks = [
        chunk(&json!({"role": "assistant", "content": front}), None),
        chunk(&json!({"content": back}), None),
        chunk(&json!({}), Some("stop")),
    ];
    events(&chunks).into_bytes()
}

/// Every reply is this one, so that asking again does not help.
async fn asked_for(replies: Vec<Reply>) -> Vec<Result<TypedAnswer<Plan>, ModelError>> {
    let client = client();
    let mut outcomes = Vec::new();
    for reply in replies {
        let server = Server::with(vec![reply]).await;
        let world = ModelWorld::by(
            &client,
            ModelSettings::new(vec![endpoint(ModelApi::OpenAi, &server)]),
        );
        outcomes.push(world.plan().await);
        assert!(server.asked().len() <= 6, "every question has its bound");
    }
    outcomes
}

#[tokio::test]
async fn a_stream_cut_anywhere_gives_the_plan_or_a_typed_error() {
    let whole = whole();
    let cuts = (0..whole.len()).map(|end| Reply::stream(&whole[..end]));
    let outcomes = asked_for(cuts.collect()).await;
    let read = outcomes
        .iter()
        .flatten()
        .inspect(|typed| assert_eq!(typed.value, plan()));
    // Whole are those that end within the closing of a stream whose answer was declared finished.
    assert_eq!(read.count(), "\n\ndata: [DONE]\n\n".len());
    for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert!(matches!(error, ModelError::Call { .. }), "{error:?}");
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn a_harmed_stream_ends_in_a_value_or_a_typed_error() {
    let mut rng = StdRng::seed_from_u64(19);
    let harmed = (0..HARMED).map(|_| {
        let mut bytes = whole();
        for _ in 0..rng.random_range(1..4) {
            let place = rng.random_range(0..bytes.len());
            bytes[place] = rng.random();
        }
        Reply::stream(bytes)
    });
    let outcomes = asked_for(harmed.collect()).await;
    let read = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    println!("{read} of {HARMED} harmed streams gave a value, the others a typed error");
    assert!((1..HARMED).contains(&read));
}

#[tokio::test]
async fn a_question_can_be_asked_from_a_task() {
    let server = Server::with(vec![Reply::chat(PLAN)]).await;
    let world = ModelWorld::openai(&server);
    let typed = tokio::spawn(async move { world.plan().await })
        .await
        .unwrap();
    assert_eq!(typed.unwrap().value, plan());
}
