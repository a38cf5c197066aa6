//! `/run` against a scripted world: a model, a search engine and pages, whose ledger is the judge.

use std::time::Duration;

pub use fathom_testworld::street_tree_pages as pages;
use fathom_testworld::{Judgement, Reply, Script, Stage};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::served::{LIBRARY, QUESTION, Served, expect};

pub const TASK: &str = "What is known about street trees?";

/// What limited searching is told as, in the answer itself.
const LIMITED: &str = "Search capabilities were limited";

/// A service whose whole world is the stage.
pub async fn world(script: Script, more: &[(&str, &str)]) -> (Stage, Served) {
    let stage = Stage::open(script).await.unwrap();
    let world = stage.environment();
    let world = world.iter().map(|(name, value)| (*name, value.as_str()));
    let environment: Vec<_> = world.chain(more.iter().copied()).collect();
    let served = Served::with(&environment);
    (stage, served)
}

async fn run(served: &Served, body: Value) -> Value {
    expect(served.post("/run", &body).await, StatusCode::OK).await
}

fn searches(stage: &Stage) -> Vec<String> {
    let calls = stage.calls().into_iter();
    let calls = calls.filter(|call| call.kind == "search");
    calls.map(|call| call.key).collect()
}

/// An analysis that finds a gap at first and nothing missing later.
fn first_a_gap(script: Script) -> Script {
    script.answering(|prompt, before| {
        let gap = json!({ "sub_question": 1, "missing": "The water is not known.", "query": "water litres week" });
        let analysis = json!({
            "findings": [], "themes": [], "contradictions": [], "gaps": [gap], "sufficient": false,
            "reason": "Water is missing.", "answered": "partly", "confidence": 0.4,
        });
        (prompt.judgement == Judgement::Analysis && before == 0).then_some(Reply::Json(analysis))
    })
}

#[tokio::test]
async fn the_answer_has_the_shape_that_clients_know_and_only_checked_sources() {
    let (_stage, served) = world(Script::sensible(pages()), &[]).await;
    let answer = run(
        &served,
        json!({ "task": TASK, "complexity_tier": "simple" }),
    )
    .await;
    for (field, is) in [
        ("run", answer["run"].is_string()),
        ("summary", answer["summary"].is_string()),
        ("final_answer", answer["final_answer"].is_string()),
        ("answered", answer["answered"] == "yes"),
        ("confidence", answer["confidence"].is_number()),
        ("gaps", answer["gaps"].is_array()),
        ("degraded_mode", answer["degraded_mode"] == false),
        ("iterations", answer["iterations"] == 1),
        ("model", answer["metadata"]["model"].is_string()),
        (
            "token_count",
            answer["metadata"]["token_count"].as_u64() > Some(0),
        ),
    ] {
        assert!(is, "{field}: {answer}");
    }
    let text = answer["final_answer"].as_str().unwrap();
    let sources = answer["sources"].as_array().unwrap();
    assert!(!sources.is_empty(), "{answer}");
    for source in sources {
        assert!(text.contains(source["id"].as_str().unwrap()), "{answer}");
        assert_eq!(source["type"], "web");
        assert!(source["location"].as_str().unwrap().starts_with("http://"));
    }
    // The same run is there for every other route.
    let id = answer["run"].as_str().unwrap();
    let report = served.get(&format!("/runs/{id}/report?format=json")).await;
    expect(report, StatusCode::OK).await;
}

#[tokio::test]
async fn max_iters_of_one_ends_the_loop() {
    let never = json!({
        "findings": [], "themes": [], "contradictions": [],
        "gaps": [{ "sub_question": 1, "missing": "Much is not known.", "query": "street trees more" }],
        "sufficient": false, "reason": "Not enough.", "answered": "no", "confidence": 0.1,
    });
    let script = Script::sensible(pages()).always(Judgement::Analysis, Reply::Json(never));
    let (_stage, served) = world(script, &[]).await;
    let answer = run(&served, json!({ "task": TASK, "max_iters": 1 })).await;
    assert_eq!(answer["iterations"], 1);
    assert_eq!(answer["insufficient_termination"], true);
    assert_eq!(answer["gaps"], json!(["Much is not known."]));
    let text = answer["final_answer"].as_str().unwrap();
    assert!(
        text.contains("The search ended before everything was found."),
        "{text}"
    );
}

#[tokio::test]
async fn empty_results_end_in_an_answer_that_says_so() {
    let (_stage, served) = world(Script::sensible(Vec::new()), &[]).await;
    let answer = run(
        &served,
        json!({ "task": TASK, "complexity_tier": "simple" }),
    )
    .await;
    assert_eq!(
        (&answer["answered"], &answer["sources"]),
        (&json!("no"), &json!([]))
    );
    let text = answer["final_answer"].as_str().unwrap();
    assert!(text.contains("Nothing was found"), "{text}");
}

#[tokio::test]
async fn a_citation_that_leads_nowhere_never_passes() {
    let lies = json!({
        "sentences": [
            { "evidence": [99], "text": "Street trees cure the gout of dogs [99].", "kind": "fact" },
            { "evidence": [1], "text": "Street trees lowered the afternoon air temperature by 1.9 degrees [99].", "kind": "fact" },
        ],
        "answered": "yes", "missing": "",
    });
    let script = Script::sensible(pages()).always(Judgement::Sentences, Reply::Json(lies));
    let (_stage, served) = world(script, &[]).await;
    let answer = run(&served, json!({ "task": TASK })).await;
    let told = answer.to_string();
    assert!(!told.contains("[99]") && !told.contains("gout"), "{told}");
    assert!(!answer["sources"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_search_that_fails_is_tried_again_and_then_told() {
    let (stage, served) = world(Script::sensible(pages()).without_search(), &[]).await;
    let answer = run(
        &served,
        json!({ "task": TASK, "complexity_tier": "simple" }),
    )
    .await;
    assert_eq!(
        (&answer["degraded_mode"], &answer["answered"]),
        (&json!(true), &json!("no"))
    );
    let text = answer["final_answer"].as_str().unwrap();
    assert!(text.contains(LIMITED), "{text}");
    let asked = searches(&stage);
    let first = asked.iter().filter(|query| **query == asked[0]).count();
    assert_eq!(first, 3, "three attempts: {asked:?}");
    let id = answer["run"].as_str().unwrap();
    let events = served
        .get(&format!("/runs/{id}/events"))
        .await
        .text()
        .await
        .unwrap();
    assert!(
        events.contains("\"event\":\"effect_retried\""),
        "each wait is told"
    );
    let state = served.json(&format!("/runs/{id}/state")).await;
    assert!(!state["state"]["error_log"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn queries_that_find_nothing_are_put_in_other_words() {
    let script = Script::sensible(pages()).answering(|prompt, _| {
        let mut plan = prompt.plan();
        for (nth, word) in ["xylographs", "quagga", "zeugma"].iter().enumerate() {
            plan["queries"][nth]["text"] = json!(word);
        }
        (prompt.judgement == Judgement::Plan).then_some(Reply::Json(plan))
    });
    let (stage, served) = world(script, &[]).await;
    let answer = run(&served, json!({ "task": TASK })).await;
    let asked = searches(&stage);
    assert!(
        asked
            .iter()
            .any(|query| query.contains("cooling effect of trees")),
        "{asked:?}"
    );
    assert!(
        !answer["sources"].as_array().unwrap().is_empty(),
        "{answer}"
    );
    let id = answer["run"].as_str().unwrap();
    let state = served.json(&format!("/runs/{id}/state")).await;
    let failed = state["state"]["failed_queries"].to_string();
    assert!(failed.contains("quagga"), "{failed}");
}

#[tokio::test]
async fn a_model_that_hangs_leaves_what_there_is_in_time() {
    let script = Script::sensible(pages()).always(Judgement::Sentences, Reply::Hangs);
    let (_stage, served) = world(script, &[]).await;
    let answer = run(&served, json!({ "task": TASK, "max_execution_time_s": 3 })).await;
    assert_eq!(answer["degraded_mode"], true, "{answer}");
    assert_eq!(answer["metadata"]["model"], "extractive");
    assert!(
        answer["final_answer"]
            .as_str()
            .unwrap()
            .contains("street trees"),
        "{answer}"
    );
    assert!(!answer["sources"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_search_that_hangs_ends_in_time_with_an_answer_that_says_so() {
    let (stage, served) = world(Script::sensible(pages()).hanging_from_search(0), &[]).await;
    let answer = run(&served, json!({ "task": TASK, "max_execution_time_s": 3 })).await;
    assert!(!searches(&stage).is_empty(), "the searches were begun");
    assert_eq!(answer["degraded_mode"], true, "{answer}");
    assert_eq!(answer["answered"], "no", "{answer}");
    assert_eq!(answer["sources"], json!([]), "{answer}");
    let text = answer["final_answer"].as_str().unwrap();
    assert!(
        text.contains(LIMITED) && text.contains("partial information"),
        "{text}"
    );
}

#[tokio::test]
async fn a_search_that_hangs_later_leaves_what_others_found() {
    // The first round has its three searches; whoever comes later waits for ever.
    let script = first_a_gap(Script::sensible(pages())).hanging_from_search(3);
    let (stage, served) = world(script, &[]).await;
    let answer = run(&served, json!({ "task": TASK, "max_execution_time_s": 5 })).await;
    assert!(searches(&stage).len() > 3, "{:?}", searches(&stage));
    assert_eq!(answer["degraded_mode"], true, "{answer}");
    assert!(
        !answer["sources"].as_array().unwrap().is_empty(),
        "{answer}"
    );
    let text = answer["final_answer"].as_str().unwrap();
    assert!(text.contains(LIMITED), "{text}");
    assert!(text.contains("1.9 degrees"), "{text}");
}

#[tokio::test]
async fn a_budget_that_runs_low_turns_older_results_into_summaries() {
    let script = first_a_gap(Script::sensible(pages()));
    let (_stage, served) = world(script, &[("FATHOM_ANSWER_COMPACT_BELOW", "0.999")]).await;
    let answer = run(
        &served,
        json!({ "task": TASK, "complexity_tier": "standard" }),
    )
    .await;
    assert_eq!(answer["iterations"], 2, "{answer}");
    let id = answer["run"].as_str().unwrap();
    let state = served.json(&format!("/runs/{id}/state?whole=true")).await;
    let compacted = &state["state"]["compactions"][0];
    assert_eq!(compacted["reason"], "token_budget", "{compacted}");
    assert!(compacted["tokens_after"].as_u64() < compacted["tokens_before"].as_u64());
    assert!(!compacted["handles"].as_array().unwrap().is_empty());
    assert_eq!(state["state"]["iteration"], 2);
    let spent = state["state"]["token_budget"].as_u64().unwrap();
    assert!(spent < 200_000, "what is left is counted");
}

#[tokio::test]
async fn gaps_become_queries_with_their_intent() {
    let script = first_a_gap(Script::sensible(pages()));
    let (stage, served) = world(script, &[]).await;
    let answer = run(&served, json!({ "task": TASK })).await;
    assert_eq!(
        (&answer["iterations"], &answer["gaps"]),
        (&json!(2), &json!([]))
    );
    assert!(searches(&stage).contains(&"water litres week".to_owned()));
    let id = answer["run"].as_str().unwrap();
    let state = served.json(&format!("/runs/{id}/state")).await;
    let query = &state["state"]["reflections"][0]["new_queries"][0];
    assert_eq!(query["intent"], "The water is not known.");
}

#[tokio::test]
async fn a_streamed_run_tells_its_events_then_the_answer_then_its_end() {
    let (_stage, served) = world(Script::sensible(pages()), &[]).await;
    let body = json!({ "task": TASK, "stream": true });
    let streamed = served.post("/run", &body).await.text().await.unwrap();
    let answer = streamed.find("event: answer\n").expect(&streamed);
    let end = streamed.find("event: end\n").unwrap();
    assert!(streamed.find("step_started").unwrap() < answer && answer < end);
    let told = super::served::data(&streamed[answer..]);
    let told: Value = serde_json::from_str(told).unwrap();
    assert!(
        told["final_answer"]
            .as_str()
            .unwrap()
            .contains("street trees")
    );
}

#[tokio::test]
async fn sentences_are_streamed_while_the_model_still_writes() {
    // One whole sentence, half of another, and then nothing more.
    let begun = r#"{"sentences": [{"evidence": [1], "text": "Street trees lowered the temperature by 1.9 degrees [99].", "kind": "fact"}, {"evidence": [1], "text": "The coo"#;
    let stalls = Reply::Stalls(begun.to_owned());
    let script = Script::sensible(pages()).always(Judgement::Sentences, stalls);
    let (_stage, served) = world(script, &[]).await;
    let body = json!({ "task": TASK, "stream": true, "max_execution_time_s": 8 });
    let streamed = served.post("/run", &body).await.text().await.unwrap();
    let draft = streamed
        .find("\"event\":\"effect_progressed\"")
        .expect(&streamed);
    let told: Value = serde_json::from_str(data_at(&streamed, draft)).unwrap();
    assert_eq!(
        told["text"],
        "Street trees lowered the temperature by 1.9 degrees."
    );
    assert!(draft < streamed.find("event: answer\n").unwrap());
    assert!(
        !streamed.contains("The coo\""),
        "half a sentence is not told"
    );
    let body = json!({ "model": "fathom-answer", "stream": true, "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": TASK }] });
    let streamed = served.post("/v1/chat/completions", &body).await;
    let streamed = streamed.text().await.unwrap();
    let thought = streamed
        .find("\"reasoning_content\":\"Street trees lowered")
        .expect(&streamed);
    let said = streamed
        .find("\"content\":\"")
        .map(|_| streamed.rfind("\"content\":\"").unwrap());
    assert!(Some(thought) < said, "{streamed}");
    assert!(streamed.contains("\"total_tokens\":"), "{streamed}");
}

/// The data of the event that stands at this place of a stream.
fn data_at(stream: &str, at: usize) -> &str {
    let begin = stream[..at].rfind("data: ").unwrap();
    super::served::data(&stream[begin..])
}

#[tokio::test]
async fn an_async_run_is_a_job_to_come_back_for_and_to_cancel() {
    let script = Script::sensible(pages()).always(Judgement::Plan, Reply::Hangs);
    let (_stage, served) = world(script.taking(Duration::ZERO), &[]).await;
    let body = json!({ "task": TASK, "async": true });
    let job = expect(served.post("/run", &body).await, StatusCode::ACCEPTED).await;
    let id = job["id"].as_str().unwrap();
    served.until(id, "planning").await;
    served.cancel(id).await;
}

#[tokio::test]
async fn without_a_model_the_answer_is_quoted_from_the_library() {
    let served = Served::open();
    let body = json!({ "task": QUESTION, "library": [LIBRARY] });
    let answered = served.post("/run-simple", &body).await;
    let answer = expect(answered, StatusCode::OK).await;
    assert_eq!(answer["metadata"]["model"], "extractive");
    let text = answer["final_answer"].as_str().unwrap();
    assert!(
        text.contains("1.9 °C cooler") && text.contains("[1]"),
        "{text}"
    );
    assert_eq!(answer["sources"][0]["type"], "local");
}

#[tokio::test]
async fn a_request_that_does_not_fit_is_refused_by_its_own_field() {
    let served = Served::open();
    for (body, field) in [
        (json!({}), "task"),
        (json!({ "task": "short" }), "task"),
        (
            json!({ "task": QUESTION, "complexity_tier": "abyss" }),
            "complexity_tier",
        ),
        (json!({ "task": QUESTION, "max_iters": 0 }), "max_iters"),
        (json!({ "task": QUESTION, "max_iters": 99 }), "max_iters"),
        (
            json!({ "task": QUESTION, "max_sources": -1 }),
            "max_sources",
        ),
        (json!({ "task": QUESTION, "library": ["../x"] }), "library"),
        (
            json!({ "task": QUESTION, "stream": true, "async": true }),
            "stream",
        ),
        (json!({ "task": QUESTION, "model": "x" }), "model"),
    ] {
        let told = expect(
            served.post("/run", &body).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
        assert_eq!(told["error"]["field"], field, "{told}");
    }
}
