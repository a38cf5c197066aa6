//! The golden table's words: the answers it is about, and how the end of a call is told in a cell.
//!
//! Tests of whole doors use it too, so that they are held to the same table.

use fathom_providers::CallFailure;
use fathom_providers::call::{CallEvent, FailedResponse, NextAction};

use crate::bench;

/// The answers of `faults.http`, each with its name.
pub fn answers() -> impl Iterator<Item = (String, FailedResponse)> {
    let cases = include_str!("faults.http").split("\n### ").skip(1);
    cases.map(|case| {
        let (name, case) = case.split_once('\n').unwrap();
        let (head, body) = case.split_once("\n\n").unwrap_or((case, ""));
        let (status, headers) = head.split_once('\n').unwrap_or((head, ""));
        let status = status.trim().parse().unwrap();
        let answer = FailedResponse::new(status, bench::headers(headers), body.trim().as_bytes());
        (name.to_owned(), answer)
    })
}

/// How a call ended, and the waits between its attempts.
pub struct Told {
    pub waits_ms: Vec<u64>,
    pub end: String,
}

pub fn told<T>(result: &Result<T, CallFailure>, events: &[CallEvent]) -> Told {
    let end = match result {
        Ok(_) => "answer".to_owned(),
        Err(failure) => failed(failure, events.len()),
    };
    Told {
        waits_ms: events.iter().filter_map(wait_ms).collect(),
        end: format!("{end}, {}", attempts(events.len())),
    }
}

/// A cell, from the same call with the least and the most luck.
pub fn cell(least: &Told, most: &Told) -> String {
    assert_eq!(
        (&least.end, least.waits_ms.len()),
        (&most.end, most.waits_ms.len()),
        "luck changes waits only"
    );
    let both = least.waits_ms.iter().zip(&most.waits_ms);
    let waits: Vec<String> = both.map(|(a, b)| range(*a, *b)).collect();
    if waits.is_empty() {
        least.end.clone()
    } else {
        format!("{}; waits {}", least.end, waits.join(", "))
    }
}

fn failed(failure: &CallFailure, attempts: usize) -> String {
    assert_eq!(failure.attempts as usize, attempts);
    let word = |value: serde_json::Value| value.as_str().unwrap().replace('_', " ");
    let later = if failure.wake_at.is_some() {
        ", wake later"
    } else {
        ""
    };
    format!(
        "{} ({}, {}{later})",
        word(serde_json::to_value(failure.cause).unwrap()),
        word(serde_json::to_value(failure.category).unwrap()),
        word(serde_json::to_value(failure.severity).unwrap()),
    )
}

fn wait_ms(event: &CallEvent) -> Option<u64> {
    match event.then {
        NextAction::Retry { wait_ms } => Some(wait_ms),
        NextAction::Return | NextAction::WakeLater { .. } | NextAction::Stop { .. } => None,
    }
}

fn attempts(count: usize) -> String {
    format!("{count} attempt{}", if count == 1 { "" } else { "s" })
}

fn range(least_ms: u64, most_ms: u64) -> String {
    let seconds = |ms: u64| (ms as f64 / 1_000.0).to_string();
    if least_ms == most_ms {
        seconds(least_ms)
    } else {
        format!("{}-{}", seconds(least_ms), seconds(most_ms))
    }
}
