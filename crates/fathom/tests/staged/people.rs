//! A person at the gates, between two processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_testworld::{Judgement, Script};
use serde_json::{Value, json};

use super::world::{Ran, World, pages};

fn waiting(world: &World, gate: &str) -> String {
    let ran = world.report(&["--review", gate]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let result = ran.result();
    assert_eq!(result["status"], "waiting");
    result["run"].as_str().unwrap().to_owned()
}

fn modify(world: &World, id: &str, edits: &Value) -> Ran {
    let file = world.path("edits.json");
    std::fs::write(&file, edits.to_string()).unwrap();
    let file = file.to_str().unwrap();
    world.run(&[
        "runs", "review", id, "modify", "--edits", file, "--json", "-q",
    ])
}

#[test]
fn an_edited_plan_is_what_the_run_goes_by() {
    let world = World::open(Script::sensible(pages()));
    let id = waiting(&world, "plan");
    assert_eq!(world.judgements(), [1, 0, 0, 0, 0]);
    assert!(world.searches().is_empty());
    let query = |text: &str, serves: u32| json!({ "text": text, "intent": "as edited", "kind": "web", "priority": 1, "serves": serves });
    let edits = json!({
        "sub_questions": [
            { "text": "How much do street trees cool?", "needs": [] },
            { "text": "What do street trees cost?", "needs": [] },
        ],
        "queries": [query("street trees cooling trial", 0), query("street trees cost euros", 1)],
        "sections": [{ "title": "Cooling and cost", "answers": [0, 1] }],
    });
    let report = modify(&world, &id, &edits).complete();
    assert_eq!(world.judgements(), [1, 1, 1, 1, 1]);
    let mut searches = world.searches();
    searches.sort();
    assert_eq!(
        searches,
        ["street trees cooling trial", "street trees cost euros"]
    );
    assert_eq!(report["sections"][0]["title"], "Cooling and cost");
    let asked = &report["method"]["sub_questions"];
    assert_eq!(
        *asked,
        json!([
            "How much do street trees cool?",
            "What do street trees cost?"
        ])
    );
}

#[test]
fn an_accepted_plan_is_not_blamed_for_what_fails_later() {
    let world = World::open(Script::sensible(pages()).without_search());
    let id = waiting(&world, "plan");
    let ran = world.run(&["runs", "review", &id, "approve", "--json", "-q"]);
    let (_, reason) = ran.partial();
    assert_eq!(reason, "every search failed");
}

#[test]
fn a_report_rejected_at_the_end_goes_out_as_partial_with_the_reason() {
    let world = World::open(Script::sensible(pages()));
    let id = waiting(&world, "final");
    let words = [
        "runs",
        "review",
        &id,
        "reject",
        "--feedback",
        "Too thin.",
        "--json",
        "-q",
    ];
    let (_, reason) = world.run(&words).partial();
    assert_eq!(reason, "ada did not accept the report: Too thin.");
    assert_eq!(world.judgements(), [1, 1, 3, 1, 1]);
}

#[test]
fn what_a_person_asks_for_at_a_stop_reaches_the_writer_of_the_first_draft() {
    let told = Arc::new(AtomicUsize::new(0));
    let heard = Arc::clone(&told);
    let script = Script::sensible(pages()).answering(move |prompt, _| {
        if prompt.judgement == Judgement::Section && prompt.user.contains("Give the costs.") {
            heard.fetch_add(1, Ordering::SeqCst);
        }
        None
    });
    let world = World::open(script);
    let ran = world.report(&["--stop", "before write"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let id = ran.result()["run"].as_str().unwrap().to_owned();
    let spent = world.judgements();
    let words = ["--feedback", "Give the costs.", "--json", "-q"];
    let words = [&["runs", "review", &id, "modify"], &words[..]].concat();
    world.run(&words).complete();
    assert_eq!(spent, [1, 1, 0, 0, 0]);
    assert_eq!(
        world.judgements(),
        [1, 1, 3, 1, 1],
        "nothing is asked for twice"
    );
    assert_eq!(told.load(Ordering::SeqCst), 3);
}
