//! Stops at places of a person's own.

use serde_json::json;

use super::desk::{Desk, QUESTION, Ran};

fn report(desk: &Desk, more: &[&str]) -> Ran {
    let words = ["report", QUESTION, "--library", "library", "--json", "-q"];
    desk.run(&[&words, more].concat())
}

fn stopped(desk: &Desk, place: &str) -> String {
    let ran = report(desk, &["--stop", place]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    ran.result()["run"].as_str().unwrap().to_owned()
}

fn review(desk: &Desk, id: &str, more: &[&str]) -> Ran {
    let words = ["runs", "review", id, "--json", "-q"];
    desk.run(&[&words, more].concat())
}

fn modify(desk: &Desk, id: &str, edits: &serde_json::Value) -> Ran {
    let file = desk.file("edits.json", edits.to_string());
    review(desk, id, &["modify", "--edits", file.to_str().unwrap()])
}

#[test]
fn a_run_stops_where_it_was_told_to_shows_what_there_is_and_goes_on() {
    let desk = Desk::new();
    let id = stopped(&desk, "after search if sources < 5 and rounds < 1");
    let shown = desk.run(&["runs", "show", &id]).out;
    for part in [
        "You wanted to be asked after search if sources < 5 and rounds < 1.",
        "sources 3",
        "] The Alder Street trial",
        "It waits until",
    ] {
        assert!(shown.contains(part), "{part} is missing:\n{shown}");
    }
    let ran = review(&desk, &id, &["approve"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let shown = desk.run(&["runs", "show", &id, "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let decided = &shown["state"]["decisions"][0];
    assert_eq!(decided["gate"], json!({ "own": "after search" }));
    assert_eq!(decided["by"], "ada");
    assert_eq!(desk.run(&["runs", "replay", &id]).code, 0);
}

#[test]
fn a_run_does_not_stop_where_the_condition_does_not_hold() {
    let desk = Desk::new();
    let ran = report(&desk, &["--stop", "after search if sources > 5"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
}

#[test]
fn to_refuse_ends_in_a_partial_report_of_what_was_found_until_then() {
    let desk = Desk::new();
    let id = stopped(&desk, "before write");
    let ran = review(&desk, &id, &["reject", "--feedback", "Too thin."]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let report = ran.result()["report"].clone();
    assert_eq!(
        report["status"]["partial"]["reason"],
        "the step \"write\" was not finished: ada ended the run at the stop before write: Too thin."
    );
    assert_eq!(report["sections"][0]["title"], "Findings");
}

#[test]
fn the_plan_can_be_edited_at_a_stop_and_later_the_draft() {
    let desk = Desk::new();
    let id = stopped(&desk, "before search if rounds < 1");
    let edits = json!({ "queries": [{ "text": "light paving at noon", "intent": "paving", "kind": "local", "priority": 1, "serves": 0 }] });
    let ran = modify(&desk, &id, &edits);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let shown = desk.run(&["runs", "show", &id, "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        shown["state"]["queries"][0]["query"]["text"],
        "light paving at noon"
    );

    let id = stopped(&desk, "before output");
    let ran = modify(&desk, &id, &json!({ "title": "Trees, paving and heat" }));
    assert_eq!(ran.result()["report"]["title"], "Trees, paving and heat");
}

#[test]
fn nothing_can_be_edited_before_there_is_a_plan() {
    let desk = Desk::new();
    let id = stopped(&desk, "before plan");
    let ran = modify(&desk, &id, &json!({ "queries": [] }));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("nothing to edit yet"), "{}", ran.err);
}

#[test]
fn a_stop_from_the_settings_waits_as_long_as_it_says_and_a_late_word_reopens_it() {
    let desk = Desk::new();
    let settings = "[[report.people.breakpoints]]\nat = \"after analyse\"\nwhen = \"findings > 0 and rounds = 1\"\ntimeout_s = 0\nshow = [\"sources\", \"gaps\"]\n";
    desk.file("fathom.toml", settings);
    let ran = report(&desk, &[]);
    let id = ran.result()["run"].as_str().unwrap().to_owned();
    let ran = match ran.code {
        4 => desk.run(&["runs", "resume", &id, "--json", "-q"]),
        _ => ran,
    };
    assert_eq!(ran.code, 3, "{}", ran.err);
    let reason = ran.result()["report"]["status"]["partial"]["reason"].clone();
    assert_eq!(
        reason,
        "the step \"search\" was not finished: nobody decided at the stop after analyse in time"
    );
    let late = review(&desk, &id, &["approve"]);
    assert!(late.result()["report"]["sections"][0]["title"] != "Findings");
    assert!([0, 3].contains(&late.code), "{}", late.err);
}

#[test]
fn a_place_that_is_none_is_refused_with_how_to_write_one() {
    let desk = Desk::new();
    let ran = report(&desk, &["--stop", "during search"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("before write, or: after search"),
        "{}",
        ran.err
    );
    desk.file(
        "fathom.toml",
        "[report.people]\nbreakpoints = [\"after searching\"]\n",
    );
    let ran = report(&desk, &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("choose plan, search, analyse"),
        "{}",
        ran.err
    );
}
