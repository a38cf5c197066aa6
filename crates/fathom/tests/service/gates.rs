//! Decisions at gates over HTTP.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::served::{Served, expect};

#[tokio::test]
async fn of_a_hundred_answers_at_once_one_is_taken() {
    let served = Served::open();
    let run = served.report(json!({ "hitl_after_planning": true })).await;
    let waiting = served.until(&run, "waiting").await;
    let gate = &waiting["gate"];
    assert!(gate["editable"]["queries"].is_array(), "{gate}");
    let gate = json!({ "step": gate["step"], "key": gate["key"] });
    let body = json!({ "verdict": "approve", "gate": gate });
    let path = format!("/runs/{run}/review");
    let answers = futures::future::join_all((0..100).map(|_| served.post(&path, &body))).await;
    let taken = answers
        .iter()
        .filter(|answer| answer.status() == StatusCode::OK);
    assert_eq!(taken.count(), 1);
    let late = answers
        .iter()
        .filter(|answer| answer.status() == StatusCode::CONFLICT);
    assert_eq!(late.count(), 99);
    assert_eq!(served.ended(&run).await, "completed");
}

#[tokio::test]
async fn a_decision_edits_the_plan_and_is_recorded_with_who_made_it() {
    let mut served = Served::open();
    let mut folder = served.path("home/owners/ada");
    std::fs::create_dir_all(&folder).unwrap();
    folder.push("trees");
    std::fs::rename(served.path("home/owners/_local/trees"), folder).unwrap();
    served.log_in("ada");
    let run = served.report(json!({ "hitl_after_planning": true })).await;
    let waiting = served.until(&run, "waiting").await;
    let path = format!("/runs/{run}/review");
    for (body, field) in [
        (json!({ "verdict": "modify" }), "edits"),
        (json!({ "verdict": "approve", "edits": {} }), "edits"),
        (
            json!({ "verdict": "modify", "edits": { "querys": [] } }),
            "querys",
        ),
        (json!({ "verdict": "perhaps" }), "verdict"),
    ] {
        let told = expect(
            served.post(&path, &body).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
        assert_eq!(told["error"]["field"], field, "{told}");
    }
    let other = json!({ "verdict": "approve", "gate": { "step": 99, "key": "review" } });
    expect(served.post(&path, &other).await, StatusCode::CONFLICT).await;
    let mut queries = waiting["gate"]["editable"]["queries"].clone();
    queries[0]["text"] = json!("street trees cool the air");
    let body = json!({ "verdict": "modify", "edits": { "queries": queries } });
    let reviewed = expect(served.post(&path, &body).await, StatusCode::OK).await;
    assert_eq!(reviewed["late"], false);
    assert_eq!(served.ended(&run).await, "completed");
    let events = served
        .get(&format!("/runs/{run}/events"))
        .await
        .text()
        .await
        .unwrap();
    let answered = events
        .lines()
        .find(|line| line.contains("\"event\":\"answered\""));
    let answered: Value =
        serde_json::from_str(answered.unwrap().strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(answered["answer"]["by"], "ada");
}

#[tokio::test]
async fn a_deadline_that_passed_while_the_service_was_down_fires_and_a_late_answer_reopens() {
    let mut served = Served::open();
    let people = json!({ "hitl_after_planning": true, "plan_review_s": 1 });
    let run = served.report(people).await;
    served.until(&run, "waiting").await;
    served.kill();
    served.start();
    assert_eq!(served.ended(&run).await, "completed");
    let ended = served.json(&format!("/runs/{run}")).await;
    assert_eq!(ended["partial"], true, "nobody approved the plan");
    let body = json!({ "verdict": "approve" });
    let path = format!("/runs/{run}/review");
    let reviewed = expect(served.post(&path, &body).await, StatusCode::OK).await;
    assert_eq!(reviewed["late"], true);
    assert_eq!(served.ended(&run).await, "completed");
    let again = served.json(&format!("/runs/{run}")).await;
    assert_eq!(again["partial"], false, "{again}");
}

#[tokio::test]
async fn a_reviewer_answers_a_question_of_an_appraisal_over_http() {
    let served = Served::open();
    let trial =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/trials/1-sound.md");
    let library = served.path("home/owners/_local/trees");
    std::fs::copy(trial, library.join("sound.md")).unwrap();
    let begin = |document: &str| {
        let options = json!({ "document": document, "review": true });
        json!({ "workflow": "appraise", "options": options })
    };
    for outside in [
        "/etc/hostname",
        "trees/../../../../store.db",
        "sound.md",
        "trees/none.md",
    ] {
        let refused = served.post("/runs", &begin(outside)).await;
        assert!(
            refused.status().is_client_error(),
            "{outside}: {}",
            refused.status()
        );
    }
    let begun = served.post("/runs", &begin("trees/sound.md")).await;
    let begun = expect(begun, StatusCode::ACCEPTED).await;
    let run = begun["id"].as_str().unwrap().to_owned();
    let waiting = served.until(&run, "waiting").await;
    assert_eq!(waiting["gate"]["editable"]["answers"][1]["question"], "1.2");
    let path = format!("/runs/{run}/review");
    let answer = json!({ "question": "1.2", "answer": "N", "why": "The envelopes were open." });
    let wrong = json!({ "verdict": "modify", "edits": { "answers": [{ "question": "9.9", "answer": "N" }] } });
    let told = expect(
        served.post(&path, &wrong).await,
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
    assert_eq!(told["error"]["field"], "answers[0].question");
    let body = json!({ "verdict": "modify", "edits": { "answers": [answer] } });
    expect(served.post(&path, &body).await, StatusCode::OK).await;
    assert_eq!(served.ended(&run).await, "completed");
    let made = served.get(&format!("/runs/{run}/report?format=json")).await;
    let made: Value = expect(made, StatusCode::OK).await;
    assert_eq!(made["domains"][0]["judgement"], "High");
    assert_eq!(made["domains"][0]["answers"][1]["replaced"]["answer"], "Y");
    for (format, kind) in [
        ("csv", "text/csv; charset=utf-8"),
        ("svg", "image/svg+xml"),
        ("png", "image/png"),
    ] {
        let had = served
            .get(&format!("/runs/{run}/report?format={format}"))
            .await;
        assert_eq!(had.headers()["content-type"], kind);
    }
}
