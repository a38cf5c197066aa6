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
    served.cancel(id).await;
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
    served.cancel(id).await;
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

#[tokio::test]
async fn a_run_goes_on_at_its_gate_only_where_the_caps_leave_room() {
    let script = Script::sensible(pages()).always(Judgement::Analysis, Reply::Hangs);
    let (_stage, mut served) = world(script, &[]).await;
    served.log_in_with("ada", &["--max-runs", "2"]);
    let report = |people: Value| json!({ "workflow": "report", "question": TASK, "options": { "settings": { "people": people } } });
    let waiting = served
        .begin(&report(json!({ "hitl_after_planning": true })))
        .await;
    served.until(&waiting, "waiting").await;
    let other = served.begin(&report(json!({}))).await;
    let lowered = served
        .command(&["token", "limit", "ada", "--max-runs", "1"])
        .status();
    assert!(lowered.unwrap().success());
    let path = format!("/runs/{waiting}/review");
    let approve = json!({ "verdict": "approve" });
    let told = expect(
        served.post(&path, &approve).await,
        StatusCode::TOO_MANY_REQUESTS,
    )
    .await;
    assert_eq!(told["error"]["type"], "cap_reached", "{told}");
    served.until(&other, "analyzing").await;
    served.cancel(&other).await;
    expect(served.post(&path, &approve).await, StatusCode::OK).await;
}

#[tokio::test]
async fn a_run_that_goes_on_at_a_deadline_is_under_way_and_holds_what_it_may_spend() {
    let (_stage, mut served) = world(Script::sensible(pages()), &[]).await;
    served.log_in_with("ada", &["--max-tokens", "100000"]);
    let people = json!({
        "hitl_after_planning": true,
        "auto_approve_on_timeout": true,
        "plan_review_s": 3_600,
    });
    let settings = json!({ "people": people, "caps": { "tokens": 70_000 } });
    let body =
        json!({ "workflow": "report", "question": TASK, "options": { "settings": settings } });
    for expected in [70_000, 30_000] {
        let run = served.begin(&body).await;
        let waiting = served.until(&run, "waiting").await;
        assert!(waiting["wake_at"].is_string(), "{waiting}");
        let path = format!("/runs/{run}/state?at=0&whole=true");
        let state = served.json(&path).await;
        let bound = state.pointer("/state/settings/caps/tokens").cloned();
        assert_eq!(bound, Some(json!(expected)), "{state}");
    }
    assert!(refused(&served).await.0.contains("runs under way"));
    let limited = ["--clear", "tokens", "--max-runs", "2"];
    let words = [&["token", "limit", "ada"], limited.as_slice()].concat();
    assert!(served.command(&words).status().unwrap().success());
    let (told, _) = refused(&served).await;
    assert!(told.contains("2 runs under way"), "{told}");
}

#[tokio::test]
async fn a_run_is_resumed_only_where_what_it_may_still_spend_is_left() {
    let script = Script::sensible(pages()).always(Judgement::Plan, Reply::Hangs);
    let (_stage, mut served) = world(script, &[]).await;
    served.log_in_with("ada", &["--max-tokens", "1000"]);
    let bounded = |tokens: u64| json!({ "workflow": "answer", "question": TASK, "options": { "settings": { "token_budget": tokens } } });
    let first = served.begin(&bounded(1_000)).await;
    served.until(&first, "planning").await;
    served.cancel(&first).await;
    let second = served.begin(&bounded(400)).await;
    let path = format!("/runs/{first}/resume");
    let refused = served.post(&path, &Value::Null).await;
    let told = expect(refused, StatusCode::TOO_MANY_REQUESTS).await;
    let told = told["error"]["message"].to_string();
    assert!(
        told.contains("may still use 1000 tokens") && told.contains("ada has 600 left"),
        "{told}"
    );
    served.until(&second, "planning").await;
    served.cancel(&second).await;
    expect(served.post(&path, &Value::Null).await, StatusCode::ACCEPTED).await;
}

#[tokio::test]
async fn a_run_without_a_budget_leaves_room_for_others() {
    let script = Script::sensible(pages()).always(Judgement::Plan, Reply::Hangs);
    let usual = [("FATHOM_SERVE_OWNER_RUN_TOKENS", "300")];
    let (_stage, mut served) = world(script, &usual).await;
    served.log_in_with("ada", &["--max-tokens", "1000"]);
    let body = json!({ "workflow": "report", "question": TASK });
    for expected in [300, 300, 300, 100] {
        let run = served.begin(&body).await;
        let path = format!("/runs/{run}/state?at=0&whole=true");
        let state = served.json(&path).await;
        let bound = state.pointer("/state/settings/caps/tokens").cloned();
        assert_eq!(bound, Some(json!(expected)), "{state}");
    }
    assert!(refused(&served).await.0.contains("runs under way"));
}
