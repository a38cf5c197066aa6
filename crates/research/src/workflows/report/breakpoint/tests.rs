use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::date;
use serde_json::json;

use super::*;
use crate::analysis::{Analysis, Gap};
use crate::plan::SubQuestionId;
use crate::{Question, Settings};

fn state() -> ReportState {
    let question = Question::parse("How do street trees cool towns?", date(2026, 1, 2)).unwrap();
    ReportState::new(question, Settings::default(), Timestamp::UNIX_EPOCH)
}

fn read(value: serde_json::Value) -> Result<Breakpoint, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn a_breakpoint_is_a_sentence_or_a_table_and_is_kept_as_a_table() {
    let sentence = read(json!("after search if sources < 5 and gaps >= 1")).unwrap();
    assert_eq!(
        sentence.reason(),
        "you wanted to be asked after search if sources < 5 and gaps >= 1"
    );
    let table = json!({
        "at": "before output",
        "when": "score <= 7.5",
        "timeout_s": 60,
        "show": ["draft", "review"],
    });
    let given = read(table.clone()).unwrap();
    assert_eq!(given.show, [Part::Draft, Part::Review]);
    assert_eq!(serde_json::to_value(&given).unwrap(), table);
    for one in [sentence, given] {
        let kept = serde_json::to_value(&one).unwrap();
        assert_eq!(read(kept).unwrap(), one);
    }
}

#[test]
fn what_is_wrong_is_said_with_what_can_be_chosen() {
    let said = |text: &str| read(json!(text)).unwrap_err();
    for (text, words) in [
        ("during search", "before write"),
        ("before searching", "choose plan, search, analyse"),
        ("after output", "write: before output"),
        ("after search if sources", "sources < 5"),
        ("after search if sources == 5", "with <, <=, =, >= or >"),
        ("after search if sources != 5", "with <, <=, =, >= or >"),
        (
            "after search if trees < 5",
            "choose queries, failed_queries, sources",
        ),
        ("after search if sources < few", "\"few\" is no number"),
        ("after search if sources < NaN", "\"NaN\" is no number"),
        ("", "before write"),
    ] {
        assert!(said(text).contains(words), "{text}: {}", said(text));
    }
    let number = read(json!(7)).unwrap_err();
    assert!(number.contains("a breakpoint such as"), "{number}");
}

#[test]
fn an_unknown_field_is_refused_in_settings_and_passed_over_in_stored_state() {
    let table = json!({"at": "before write", "timeout": 5});
    let slip = serde_json::from_value::<WrittenBreakpoint>(table.clone()).unwrap_err();
    let slip = slip.to_string();
    assert!(slip.contains("unknown field `timeout`"), "{slip}");
    assert!(slip.contains("`timeout_s`"), "{slip}");
    let stored = read(table).unwrap();
    assert_eq!(stored, "before write".parse().unwrap());
    let written: WrittenBreakpoint = serde_json::from_value(json!("before write")).unwrap();
    assert_eq!(written.0, stored);
}

#[test]
fn a_run_stops_where_and_when_it_was_asked_to() {
    let mut state = state();
    let stops = |text: &str, state: &ReportState, next| {
        text.parse::<Breakpoint>().unwrap().stops(state, Some(next))
    };
    assert!(stops("before search", &state, Step::Search));
    assert!(!stops("before search", &state, Step::Plan));
    assert!(
        !stops("after plan", &state, Step::Search),
        "nothing was done yet"
    );
    state.done = Some(Step::Plan);
    assert!(stops("after plan", &state, Step::Search));
    assert!(stops("after plan if sources < 1", &state, Step::Search));
    assert!(!stops(
        "after plan if sources < 1 and errors > 0",
        &state,
        Step::Search
    ));
    assert!(!stops("after plan", &state, Step::Plan), "it is made again");
    assert!(
        "after plan"
            .parse::<Breakpoint>()
            .unwrap()
            .stops(&state, None)
    );
    let unknown = ["after plan if score < 11", "after plan if score >= 0"];
    assert!(
        unknown
            .iter()
            .all(|text| !stops(text, &state, Step::Search))
    );
}

#[test]
fn what_is_shown_fits_the_place_unless_parts_were_named() {
    let mut state = state();
    let shown = |text: serde_json::Value, state: &ReportState| read(text).unwrap().shown(state);
    let first = shown(json!("before plan"), &state);
    assert_eq!(first["figures"]["sources"], 0);
    assert_eq!(first["figures"].get("score"), None);
    state.analysis = Some(Arc::new(Analysis {
        gaps: vec![Gap {
            answers: SubQuestionId(0),
            missing: "what trees cost".to_owned(),
            query: String::new(),
        }],
        ..Analysis::default()
    }));
    let later = shown(json!("before write"), &state);
    assert_eq!(later["gaps"], json!(["what trees cost"]));
    assert_eq!(later.get("findings"), None, "there are none");
    let named = shown(json!({"at": "before write", "show": ["errors"]}), &state);
    assert_eq!(named["errors"], json!([]));
    assert_eq!(named.get("findings"), None);
}
