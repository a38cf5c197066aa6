//! Records written by other versions of the program are read: what is missing has its default, what
//! is unknown is passed over.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::interrupt::{Answer, Decision, Interrupt};
use fathom_workflow::record::{EntryMeta, RunHeader, RunTally, StepMeta};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A header as it was written before there were versions and parked runs.
fn old_header() -> Value {
    json!({
        "about": {
            "id": "01a1e155-3fda-70a9-9a60-5495200fda34",
            "workflow": "report",
            "title": "Do trees cool towns?",
            "created_at": "2026-01-01T12:00:00Z",
            "forked_from": null,
        },
        "head": {
            "rev": 4, "status": "searching", "step": 3, "next": "search",
            "updated_at": "2026-01-01T12:00:00Z", "deadline": null, "wake_at": null,
            "reason": null, "events": 9, "entries": 0, "attempts": 1,
        },
        "keep": false,
    })
}

/// The value with a field of a later version in every object.
fn from_later(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        for field in fields.values_mut() {
            *field = from_later(field.take());
        }
        fields.insert("of_a_later_version".into(), json!({"a": [1]}));
    }
    value
}

fn same_from_later<T: DeserializeOwned + PartialEq + std::fmt::Debug>(value: Value) -> T {
    let now: T = serde_json::from_value(value.clone()).unwrap();
    let later: T = serde_json::from_value(from_later(value)).unwrap();
    assert_eq!(now, later);
    now
}

#[test]
fn a_header_without_a_version_is_of_the_first_and_is_written_as_it_was() {
    let run: RunHeader = serde_json::from_value(old_header()).unwrap();
    assert_eq!(run.about.version, 1);
    assert!(!run.head.parked && run.head.waited.is_zero());
    assert_eq!(serde_json::to_value(&run).unwrap(), old_header());
}

#[test]
fn fields_of_a_later_version_are_passed_over_in_every_record() {
    same_from_later::<RunHeader>(old_header());
    same_from_later::<StepMeta>(json!({
        "step": 1, "node": "plan", "kind": "update", "next": "search",
        "at": "2026-01-01T12:00:00Z",
    }));
    same_from_later::<EntryMeta>(json!({
        "step": 1, "key": "ask", "kind": "call", "part": "answered",
        "at": "2026-01-01T12:00:00Z",
    }));
    let at = "2026-01-01T12:00:00Z";
    let event: Event = same_from_later(json!({
        "number": 1, "at": at, "event": "parked", "step": 2, "key": "rest",
        "until": at, "reason": "the provider wants rest",
    }));
    assert!(matches!(event.kind, EventKind::Parked { step: 2, .. }));
    same_from_later::<Interrupt>(json!({"reason": "well?", "show": 1, "deadline": null}));
    same_from_later::<Decision>(json!({"verdict": "approve", "by": "kim"}));
    same_from_later::<Answer>(
        json!({"answer": "decided", "verdict": "approve", "by": "kim", "at": at}),
    );
    // Its maps hold names of the workflow's, so fields are unknown only at the top.
    let mut tally = json!({"steps": 1, "loops": {}, "meters": {}, "rescue": null});
    tally["of_a_later_version"] = json!(1);
    serde_json::from_value::<RunTally>(tally).unwrap();
}
