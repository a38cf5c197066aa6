//! Runs over HTTP: begun, listed, shown, stopped, continued, forked, deleted.

use std::time::Duration;

use fathom_store::Sqlite;
use fathom_testworld::conformance::fixtures::creation;
use fathom_workflow::record::Status;
use fathom_workflow::{Owner, Store as _};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::served::{QUESTION, Served, expect};

/// A rest that no test lives to see the end of.
const LONG_MS: u64 = 3_600_000;

fn countdown(from: u32, rest_ms: u64) -> Value {
    json!({ "workflow": "countdown", "options": { "from": from, "rest_ms": rest_ms } })
}

#[tokio::test]
async fn a_report_is_begun_listed_followed_and_given_in_every_form() {
    let served = Served::open();
    let run = served.report(json!({})).await;
    assert_eq!(served.ended(&run).await, "completed");
    let shown = served.json(&format!("/runs/{run}")).await;
    assert_eq!(
        (&shown["workflow"], &shown["question"]),
        (&"report".into(), &QUESTION.into())
    );
    assert_eq!(
        (&shown["gate"], &shown["next"]),
        (&Value::Null, &Value::Null)
    );
    let listed = served
        .json("/runs?status=completed,partial&text=street")
        .await;
    assert_eq!(listed["runs"][0]["id"], run.as_str());
    for (format, kind, begins) in [
        ("", "text/markdown", "# "),
        ("?format=md&proofs=true", "text/markdown", "# "),
        ("?format=html", "text/html", "<!DOCTYPE html>"),
        ("?format=json", "application/json", "{"),
        ("?format=bibtex", "application/x-bibtex", "@"),
        ("?format=docx", "application/vnd.openxmlformats", "PK"),
    ] {
        let given = served.get(&format!("/runs/{run}/report{format}")).await;
        let is = given.headers()["content-type"].to_str().unwrap().to_owned();
        let bytes = given.bytes().await.unwrap();
        assert!(is.starts_with(kind), "{format}: {is}");
        assert!(bytes.starts_with(begins.as_bytes()), "{format}");
    }
    let drawn = served.get(&format!("/runs/{run}/graph.svg")).await;
    assert_eq!(drawn.headers()["content-type"], "image/svg+xml");
    assert!(drawn.text().await.unwrap().contains("<svg"));
    let log = served
        .get(&format!("/runs/{run}/export"))
        .await
        .text()
        .await
        .unwrap();
    let first: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(first["run"]["about"]["id"], run.as_str());
}

#[tokio::test]
async fn the_state_is_shown_after_any_step() {
    let served = Served::toy();
    let run = served.begin(&countdown(3, 0)).await;
    assert_eq!(served.ended(&run).await, "completed");
    for (at, left) in [("?at=0", 3), ("?at=2", 1), ("", 0)] {
        let state = served.json(&format!("/runs/{run}/state{at}")).await;
        assert_eq!(state["state"]["left"], left);
    }
    let beyond = served.get(&format!("/runs/{run}/state?at=9")).await;
    let told = expect(beyond, StatusCode::NOT_FOUND).await;
    assert_eq!(told["error"]["field"], "at");
    let said = served.json(&format!("/runs/{run}/report")).await;
    assert_eq!(said, json!(["3…", "2…", "1…"]));
}

#[tokio::test]
async fn a_change_of_a_run_that_has_ended_is_seen_at_once() {
    let served = Served::toy();
    let run = served.begin(&countdown(2, LONG_MS)).await;
    let path = format!("/runs/{run}");
    served.until(&run, "waiting").await;
    served.cancel(&run).await;
    let shown = served.json(&path).await;
    assert_eq!(served.json(&path).await, shown);
    // By another process.
    let kept = served.command(&["runs", "keep", &run]).status();
    assert!(kept.unwrap().success());
    let mut expected = shown.clone();
    expected["keep"] = json!(true);
    assert_eq!(served.json(&path).await, expected);
    let resumed = served.post(&format!("{path}/resume"), &Value::Null).await;
    expect(resumed, StatusCode::ACCEPTED).await;
    let shown = served.json(&path).await;
    assert_ne!(shown["status"], "cancelled", "{shown}");
    served.until(&run, "waiting").await;
    served.cancel(&run).await;
    assert_eq!(served.json(&path).await["status"], "cancelled");
    let gone = served.request(Method::DELETE, &path).send().await;
    assert_eq!(gone.unwrap().status(), StatusCode::NO_CONTENT);
    assert_eq!(served.get(&path).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_run_is_cancelled_resumed_forked_and_deleted() {
    let served = Served::toy();
    let run = served.begin(&countdown(2, LONG_MS)).await;
    let path = format!("/runs/{run}");
    served.until(&run, "waiting").await;
    let early = served.get(&format!("{path}/report")).await;
    expect(early, StatusCode::CONFLICT).await;

    let cancelled = served.post(&format!("{path}/cancel"), &Value::Null).await;
    let cancelled = expect(cancelled, StatusCode::ACCEPTED).await;
    assert_eq!(cancelled["status"], "cancelled");
    let resumed = served.post(&format!("{path}/resume"), &Value::Null).await;
    expect(resumed, StatusCode::ACCEPTED).await;
    // Each time that a person resumes it, it goes on before its time.
    let step = |run: Value| run["step"].as_u64().unwrap();
    let mut waits = served.until(&run, "waiting").await;
    while step(waits.clone()) == 0 {
        waits = served.json(&path).await;
    }

    let body = json!({ "at": 0, "edits": { "asked": { "rest_ms": 0 } } });
    let forked = served.post(&format!("{path}/fork"), &body).await;
    let forked = expect(forked, StatusCode::ACCEPTED).await;
    let fork = forked["id"].as_str().unwrap();
    assert_eq!(served.ended(fork).await, "completed");
    let shown = served.json(&format!("/runs/{fork}")).await;
    assert_eq!(shown["forked_from"], json!({ "run": run, "step": 0 }));

    let deleted = served.request(Method::DELETE, &format!("/runs/{fork}"));
    assert_eq!(
        deleted.send().await.unwrap().status(),
        StatusCode::NO_CONTENT
    );
    expect(
        served.get(&format!("/runs/{fork}")).await,
        StatusCode::NOT_FOUND,
    )
    .await;
}

#[tokio::test]
async fn pages_of_a_list_follow_one_another_without_gap_or_repeat() {
    let served = Served::toy();
    let mut begun = Vec::new();
    for _ in 0..5 {
        begun.push(served.begin(&countdown(1, 0)).await);
    }
    begun.reverse();
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = served.json(&format!("/runs?limit=2{after}")).await;
        let runs = page["runs"].as_array().unwrap().clone();
        seen.extend(
            runs.iter()
                .map(|run| run["id"].as_str().unwrap().to_owned()),
        );
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, begun);
}

#[tokio::test]
async fn the_phase_of_a_run_is_a_status_for_its_owner_alone() {
    let mut served = Served::toy();
    served.log_in("ada");
    // Somebody works on a run of ada's, in a phase that only its workflow names.
    let mut begun = creation("tea");
    begun.run.head.status = Status::Running("brewing".into());
    let id = begun.run.id().to_string();
    let store = Sqlite::open(served.path("home/runs.db")).unwrap();
    let long = Duration::from_millis(LONG_MS);
    store.create(begun, &Owner::unique(), long).await.unwrap();
    let listed = served.json("/runs?status=brewing").await;
    assert_eq!(listed["runs"][0]["id"], id.as_str(), "{listed}");
    served.log_in("bob");
    for word in ["brewing", "no-such-phase"] {
        let refused = served.get(&format!("/runs?status={word}")).await;
        let told = expect(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(told["error"]["field"], "status", "{told}");
    }
}

#[tokio::test]
async fn one_key_begins_one_run_and_another_request_with_it_is_refused() {
    let served = Served::toy();
    let post = |key: &str, body: Value| {
        let request = served.request(Method::POST, "/runs");
        let sending = request.header("Idempotency-Key", key).json(&body).send();
        async move { sending.await.unwrap() }
    };
    let at_once = (0..20).map(|_| post("k-1", countdown(1, 0)));
    let mut ids = Vec::new();
    for answer in futures::future::join_all(at_once).await {
        ids.push(expect(answer, StatusCode::ACCEPTED).await["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    let again = post("k-1", countdown(1, 0)).await;
    assert_eq!(again.headers()["idempotent-replayed"], "true");
    let other = expect(
        post("k-1", countdown(2, 0)).await,
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
    assert_eq!(other["error"]["field"], "Idempotency-Key");
    let second = expect(post("k-2", countdown(1, 0)).await, StatusCode::ACCEPTED).await;
    assert_ne!(second["id"], ids[0]);
    assert_eq!(
        served.json("/runs").await["runs"].as_array().unwrap().len(),
        2
    );
}

#[tokio::test]
async fn a_full_queue_is_told_with_the_time_to_come_back() {
    let served = Served::toy_with(&[("FATHOM_SERVE_MAX_QUEUE", "0")]);
    let refused = served.post("/runs", &countdown(1, 0)).await;
    assert_eq!(refused.headers()["retry-after"], "5");
    let told = expect(refused, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(told["error"]["type"], "overloaded");
    assert_eq!(told["error"]["retryable"], true);
    assert!(
        served.json("/runs").await["runs"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn every_workflow_tells_the_schema_of_its_input() {
    let served = Served::toy();
    let workflows = served.json("/workflows").await;
    let names = workflows.as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"countdown") && names.contains(&"report"));
    let countdown = workflows
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "countdown");
    assert!(countdown.unwrap()["input"]["properties"]["rest_ms"].is_object());
}
