//! Stops at places of a person's own.

use serde_json::json;

use super::sandbox::{CommandRan, QUESTION, Sandbox};

fn report(sandbox: &Sandbox, more: &[&str]) -> CommandRan {
    let words = ["report", QUESTION, "--library", "library", "--json", "-q"];
    sandbox.run(&[&words, more].concat())
}

fn stopped(sandbox: &Sandbox, place: &str) -> String {
    let ran = report(sandbox, &["--stop", place]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    ran.result()["run"].as_str().unwrap().to_owned()
}

fn review(sandbox: &Sandbox, id: &str, more: &[&str]) -> CommandRan {
    let words = ["runs", "review", id, "--json", "-q"];
    sandbox.run(&[&words, more].concat())
}

fn modify(sandbox: &Sandbox, id: &str, edits: &serde_json::Value) -> CommandRan {
    let file = sandbox.file("edits.json", edits.to_string());
    review(sandbox, id, &["modify", "--edits", file.to_str().unwrap()])
}

fn state(sandbox: &Sandbox, id: &str) -> serde_json::Value {
    let shown = sandbox.run(&["runs", "show", id, "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    shown["state"].clone()
}

#[test]
fn a_run_stops_where_it_was_told_to_shows_what_there_is_and_goes_on() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "after search if sources < 5 and rounds < 1");
    let shown = sandbox.run(&["runs", "show", &id]).out;
    for part in [
        "You wanted to be asked after search if sources < 5 and rounds < 1.",
        "Feedback is kept for the draft, and nothing is searched again for it.",
        "sources 3",
        "] The Alder Street trial",
        "Waiting until",
    ] {
        assert!(shown.contains(part), "{part} is missing:\n{shown}");
    }
    let ran = review(&sandbox, &id, &["approve"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let decided = &state(&sandbox, &id)["decisions"][0];
    assert_eq!(decided["gate"], json!({ "own": "after search" }));
    assert_eq!(decided["by"], "ada");
    assert_eq!(sandbox.run(&["runs", "replay", &id]).code, 0);
}

#[test]
fn a_run_does_not_stop_where_the_condition_does_not_hold() {
    let sandbox = Sandbox::new();
    let ran = report(&sandbox, &["--stop", "after search if sources > 5"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
}

#[test]
fn to_refuse_ends_in_a_partial_report_of_what_was_found_until_then() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "before write");
    let ran = review(&sandbox, &id, &["reject", "--feedback", "Too thin."]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let report = ran.result()["report"].clone();
    let reason = "ada ended the run at the stop before write: Too thin.";
    assert_eq!(report["reason"], reason);
    assert_eq!(report["sections"][0]["title"], "Findings");
    let decided = state(&sandbox, &id)["decisions"][0].clone();
    assert_eq!(
        (&decided["by"], &decided["verdict"]),
        (&json!("ada"), &json!("reject"))
    );
}

#[test]
fn the_questions_of_a_plan_can_be_edited_until_they_are_searched_for() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "before search");
    let query = json!({ "text": "light paving at noon", "intent": "paving", "kind": "local", "priority": 1, "serves": 0 });
    let ran = modify(&sandbox, &id, &json!({ "queries": [query] }));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let first = &state(&sandbox, &id)["queries"][0]["query"]["text"];
    assert_eq!(*first, "light paving at noon");

    let id = stopped(&sandbox, "before write");
    let ran = modify(&sandbox, &id, &json!({ "queries": [] }));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("queries stands since it was searched for"),
        "{}",
        ran.err
    );
    let sections = json!({ "sections": [{ "title": "All there is", "answers": [0] }] });
    let report = modify(&sandbox, &id, &sections).result()["report"].clone();
    assert_eq!(report["sections"][0]["title"], "All there is");
}

#[test]
fn a_draft_edited_at_a_stop_is_checked_like_any_other() {
    let sandbox = Sandbox::new();
    for place in ["before check if draft < 2", "before output"] {
        let id = stopped(&sandbox, place);
        let summary = "Trees cure gout in nine of ten dogs [99].";
        let edits = json!({ "title": "Trees, paving and heat", "summary": summary });
        let report = modify(&sandbox, &id, &edits).result()["report"].clone();
        assert_eq!(report["title"], "Trees, paving and heat", "{place}");
        assert_eq!(report["figures"]["claims"]["removed"], 1, "{place}");
        assert!(
            !report["summary"].as_str().unwrap().contains("gout"),
            "{place}"
        );
    }
}

#[test]
fn feedback_alone_on_a_finished_report_has_it_written_again() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "before output if draft < 2");
    let ran = review(
        &sandbox,
        &id,
        &["modify", "--feedback", "Say more of paving."],
    );
    let report = ran.result()["report"].clone();
    assert_eq!(report["method"]["drafts"], 2, "{}", ran.err);
}

#[test]
fn a_report_that_is_sent_back_time_after_time_ends_partial_and_says_so() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "before output");
    let again = || review(&sandbox, &id, &["modify", "--feedback", "Once more."]);
    for _ in 0..5 {
        assert_eq!(again().code, 4);
    }
    let ran = again();
    assert_eq!(ran.code, 3, "{}", ran.err);
    let reason = ran.result()["report"]["reason"].clone();
    assert_eq!(
        reason,
        "the report was sent back more often than a run allows"
    );
}

#[test]
fn a_stop_is_not_made_twice_for_a_report_that_is_sent_back() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "after review if draft < 2");
    let ran = review(
        &sandbox,
        &id,
        &["modify", "--feedback", "Say more of paving."],
    );
    let report = ran.result()["report"].clone();
    assert_eq!(report["method"]["drafts"], 2, "{}", ran.err);
    assert_eq!(
        state(&sandbox, &id)["decisions"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn what_nobody_would_hear_is_asked_again_with_the_reason() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "before review");
    let ran = review(
        &sandbox,
        &id,
        &["modify", "--feedback", "Say more of paving."],
    );
    assert_eq!(ran.code, 4, "{}", ran.err);
    let shown = sandbox.run(&["runs", "show", &id]).out;
    assert!(shown.contains("that would not be heard here"), "{shown}");
    let ran = review(&sandbox, &id, &["approve"]);
    assert!(ran.result()["report"].is_object(), "{}", ran.err);
}

#[test]
fn feedback_waits_for_its_hearer_past_another_stop() {
    let sandbox = Sandbox::new();
    let stops = [
        "--stop",
        "after search if rounds < 1",
        "--stop",
        "before write",
    ];
    let ran = report(&sandbox, &stops);
    let id = ran.result()["run"].as_str().unwrap().to_owned();
    let ran = review(
        &sandbox,
        &id,
        &["modify", "--feedback", "Say more of paving."],
    );
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(state(&sandbox, &id)["feedback"], "Say more of paving.");
    review(&sandbox, &id, &["approve", "--feedback", "Fine."]);
    let after = state(&sandbox, &id);
    assert_eq!(after["decisions"].as_array().unwrap().len(), 2);
    assert_eq!(after["feedback"], json!(null), "it was heard");
}

#[test]
fn a_search_that_found_nothing_can_be_stopped_after_too() {
    let sandbox = Sandbox::new();
    std::fs::remove_dir_all(sandbox.path("library")).unwrap();
    sandbox.file(
        "library/bread.md",
        "# Rye bread\n\nRye bread is baked from a sour dough for an hour.\n",
    );
    let id = stopped(&sandbox, "after search if sources < 1");
    let ran = review(&sandbox, &id, &["modify", "--feedback", "Too bad."]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let reason = ran.result()["report"]["reason"].clone();
    assert_eq!(reason, "nothing was found on the question");
}

#[test]
fn nothing_can_be_edited_before_there_is_a_plan() {
    let sandbox = Sandbox::new();
    let id = stopped(&sandbox, "before plan");
    let ran = modify(&sandbox, &id, &json!({ "queries": [] }));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("nothing to edit yet"), "{}", ran.err);
}

#[test]
fn a_stop_from_the_settings_waits_as_long_as_it_says_and_a_late_word_reopens_it() {
    let sandbox = Sandbox::new();
    let settings = "[[report.people.breakpoints]]\nat = \"after plan\"\ntimeout_s = 0\nshow = [\"plan\", \"gaps\"]\n";
    sandbox.file("home/fathom.toml", settings);
    let ran = report(&sandbox, &[]);
    let id = ran.result()["run"].as_str().unwrap().to_owned();
    let ran = match ran.code {
        4 => sandbox.run(&["runs", "resume", &id, "--json", "-q"]),
        _ => ran,
    };
    assert_eq!(ran.code, 3, "{}", ran.err);
    let reason = ran.result()["report"]["reason"].clone();
    assert_eq!(reason, "nobody decided at the stop after plan in time");
    let query = json!({ "text": "light paving at noon", "intent": "paving", "kind": "local", "priority": 1, "serves": 0 });
    let late = modify(&sandbox, &id, &json!({ "queries": [query] }));
    assert!(
        late.result()["report"]["sections"].is_array(),
        "{}",
        late.err
    );
    let first = &state(&sandbox, &id)["queries"][0]["query"]["text"];
    assert_eq!(*first, "light paving at noon");
}

#[test]
fn a_late_decision_is_not_answered_with_what_the_deadline_led_to() {
    let sandbox = Sandbox::new();
    let settings = "[report.people]\nauto_approve_on_timeout = true\n[[report.people.breakpoints]]\nat = \"before search\"\nwhen = \"rounds < 1\"\ntimeout_s = 0\n";
    sandbox.file("home/fathom.toml", settings);
    let ran = report(&sandbox, &[]);
    let id = ran.result()["run"].as_str().unwrap().to_owned();
    if ran.code == 4 {
        sandbox.run(&["runs", "resume", &id, "--json", "-q"]);
    }
    let query = json!({ "text": "zeppelin gasoline tariffs", "intent": "none", "kind": "local", "priority": 1, "serves": 0 });
    let late = modify(&sandbox, &id, &json!({ "queries": [query] }));
    assert_eq!(late.code, 3, "{}", late.err);
    let reason = late.result()["report"]["reason"].clone();
    assert_eq!(reason, "nothing was found on the question");
    assert_eq!(sandbox.run(&["runs", "replay", &id]).code, 0);
}

#[test]
fn a_place_that_is_none_is_refused_with_how_to_write_one() {
    let sandbox = Sandbox::new();
    let ran = report(&sandbox, &["--stop", "during search"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("before write, or: after search"),
        "{}",
        ran.err
    );
    sandbox.file(
        "home/fathom.toml",
        "[report.people]\nbreakpoints = [\"after searching\"]\n",
    );
    let ran = report(&sandbox, &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("choose plan, search, analyse"),
        "{}",
        ran.err
    );
    sandbox.file(
        "home/fathom.toml",
        "[[report.people.breakpoints]]\nat = \"before write\"\ntimeout = 5\n",
    );
    let ran = report(&sandbox, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("unknown field `timeout`"), "{}", ran.err);
    assert!(ran.err.contains("timeout_s"), "{}", ran.err);
}
