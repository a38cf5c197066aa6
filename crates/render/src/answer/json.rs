//! An answer as JSON: every fact of it, and its text and warnings as a reader sees them.

use serde::Serialize;

use super::{Answer, notes};

/// The version of the shape: a change that could break a reader raises it, a new field does not.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct VersionedAnswer<'a> {
    schema_version: u32,
    #[serde(flatten)]
    answer: &'a Answer,
    /// The sentences with citation marks.
    text: String,
    warnings: Vec<String>,
    time_ms: u64,
}

impl<'a> VersionedAnswer<'a> {
    fn new(answer: &'a Answer) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            text: answer.text(),
            warnings: notes::warnings(answer),
            time_ms: answer.time_ms(),
            answer,
        }
    }
}

/// The answer as a value, to be put into something larger.
pub fn value(answer: &Answer) -> serde_json::Value {
    // It holds strings, numbers, lists and structs with fixed names only, so nothing in it can fail.
    serde_json::to_value(VersionedAnswer::new(answer)).unwrap_or_default()
}

/// The answer as a file, with its lines indented.
pub fn json(answer: &Answer) -> String {
    let text = serde_json::to_string_pretty(&VersionedAnswer::new(answer));
    format!("{}\n", text.unwrap_or_default())
}
