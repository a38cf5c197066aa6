//! What an owner may use: runs at a time, tokens and money in 24 hours.

use fathom_testworld::{Judgement, Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::run::{TASK, pages, world};
use super::served::{Served, expect};

fn task() -> Value {
    json!({ "task": TASK, "complexity_tier": "simple" })
}

/// The refusal of a run, with what it says and how long to wait.
async fn refused(served: &Served) -> (String, u64) {
    let refused = served.post("/run", &task()).await;
    let wait = refused.headers().get("Retry-After").cloned();
    let told = expect(refused, StatusCode::TOO_MANY_REQUESTS).await;
    assert_eq!(told["error"]["type"], "cap_reached", "{told}");
    assert_eq!(told["error"]["retryable"], true);
    let wait = wait.unwrap().to_str().unwrap().parse().unwrap();
    (told["error"]["message"].as_str().unwrap().to_owned(), wait)
}

#[tokio::test]
async fn an_owner_who_has_spent_their_tokens_is_refused_until_the_cap_is_raised() {
    let (_stage, mut served) = world(Script::sensible(pages()), &[]).await;
    served.log_in_with("ada", &["--max-tokens", "200"]);
    let first = expect(served.post("/run", &task()).await, StatusCode::OK).await;
    let spent = first["metadata"]["token_count"].as_u64().unwrap();
    assert!(
        (200..1_000).contains(&spent),
        "the run was bounded too: {first}"
    );
    let (told, wait) = refused(&served).await;
    assert!(
        told.contains(&format!("{spent} tokens")) && told.contains("may use 200"),
        "{told}"
    );
    assert!(
        told.contains("fathom token limit ada --max-tokens"),
        "{told}"
    );
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    // Deleting the run does not make room.
    let run = first["run"].as_str().unwrap();
    let gone = served
        .request(Method::DELETE, &format!("/runs/{run}"))
        .send()
        .await;
    assert_eq!(gone.unwrap().status(), StatusCode::NO_CONTENT);
    assert!(
        refused(&served)
            .await
            .0
            .contains(&format!("{spent} tokens"))
    );
    let raised = served
        .command(&["token", "limit", "ada", "--max-tokens", "1000000"])
        .status();
    assert!(raised.unwrap().success());
    expect(served.post("/run", &task()).await, StatusCode::OK).await;
    served.log_in("bob");
    expect(served.post("/run", &task()).await, StatusCode::OK).await;
}

#[tokio::test]
async fn an_owner_who_has_spent_their_money_is_refused() {
    let prices = [
        ("FATHOM_MODEL_PRICES", "scripted 3 15"),
        ("FATHOM_MODEL", "scripted"),
    ];
    let (_stage, mut served) = world(Script::sensible(pages()), &prices).await;
    served.log_in_with("ada", &["--max-cost", "0.000001"]);
    expect(served.post("/run", &task()).await, StatusCode::OK).await;
    let (told, _) = refused(&served).await;
    assert!(
        told.contains("dollars") && told.contains("--max-cost"),
        "{told}"
    );
}

#[tokio::test]
async fn an_owner_has_so_many_runs_under_way_and_no_more() {
    let script = Script::sensible(pages()).always(Judgement::Plan, Reply::Hangs);
    let (_stage, mut served) = world(script, &[("FATHOM_SERVE_OWNER_MAX_RUNS", "1")]).await;
    served.log_in("ada");
    let body = json!({ "task": TASK, "async": true });
    let job = expect(served.post("/run", &body).await, StatusCode::ACCEPTED).await;
    let (told, _) = refused(&served).await;
    assert!(told.contains("max_runs"), "{told}");
    let id = job["id"].as_str().unwrap();
    served.until(id, "planning").await;
    let stopped = served
        .post(&format!("/runs/{id}/cancel"), &Value::Null)
        .await;
    expect(stopped, StatusCode::ACCEPTED).await;
    assert_eq!(served.ended(id).await, "cancelled");
    expect(served.post("/run", &body).await, StatusCode::ACCEPTED).await;
}

#[tokio::test]
async fn runs_under_way_hold_what_they_may_still_spend() {
    let script = Script::sensible(pages()).always(Judgement::Plan, Reply::Hangs);
    let (_stage, mut served) = world(script, &[]).await;
    served.log_in_with("ada", &["--max-tokens", "200"]);
    let body = json!({ "task": TASK, "async": true });
    let job = expect(served.post("/run", &body).await, StatusCode::ACCEPTED).await;
    let (told, wait) = refused(&served).await;
    assert!(told.contains("runs under way") && wait < 60, "{told}");
    let id = job["id"].as_str().unwrap();
    served.until(id, "planning").await;
    let stopped = served
        .post(&format!("/runs/{id}/cancel"), &Value::Null)
        .await;
    expect(stopped, StatusCode::ACCEPTED).await;
    assert_eq!(served.ended(id).await, "cancelled");
    // A fork is bounded too, whatever its edits say.
    let edits = json!({ "at": 0, "edits": { "settings": { "token_budget": 100_000 } } });
    let fork = served.post(&format!("/runs/{id}/fork"), &edits).await;
    let fork = expect(fork, StatusCode::ACCEPTED).await;
    let fork = fork["id"].as_str().unwrap();
    let state = served
        .get(&format!("/runs/{fork}/state?at=0&whole=true"))
        .await;
    let state = expect(state, StatusCode::OK).await;
    assert_eq!(
        state.pointer("/state/settings/token_budget"),
        Some(&json!(200)),
        "{state}"
    );
}
