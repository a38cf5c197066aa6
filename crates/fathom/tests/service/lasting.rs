//! What the service promises across its own end: accepted runs exist, unfinished ones go on.

use serde_json::{Value, json};

use super::served::Served;

fn countdown(from: u32) -> Value {
    json!({ "workflow": "countdown", "options": { "from": from } })
}

#[tokio::test]
async fn every_run_that_was_accepted_exists_although_the_service_is_killed_at_once() {
    let mut served = Served::toy();
    let mut accepted = Vec::new();
    for _ in 0..5 {
        accepted.push(served.begin(&countdown(3)).await);
        served.kill();
        served.start();
    }
    for run in accepted {
        assert_eq!(served.ended(&run).await, "completed");
    }
}

#[tokio::test]
async fn runs_under_way_are_parked_at_the_end_and_taken_up_at_the_start() {
    let mut served = Served::toy();
    let run = served.begin(&countdown(900)).await;
    let mut events = served.get(&format!("/runs/{run}/events")).await;
    events.chunk().await.unwrap();
    let (code, said) = served.terminate();
    assert_eq!(code, Some(143));
    assert!(said.contains("runs under way are parked"), "{said}");
    served.start();
    assert_eq!(served.ended(&run).await, "completed");
    let said = served.json(&format!("/runs/{run}/report")).await;
    assert_eq!(said.as_array().unwrap().len(), 900);
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_nothing() {
    let served = Served::toy();
    let run = served.begin(&countdown(100)).await;
    drop(served.get(&format!("/runs/{run}/events")).await);
    assert_eq!(served.ended(&run).await, "completed");
}
