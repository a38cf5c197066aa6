//! A report as JSON for other programs: every fact of it, in a shape that stays.
//!
//! Takes a finished report; gives one object. `schema_version` says which shape it is: a change that could break a reader
//! raises it, a new field does not. Sources are numbered from 1, as they are cited; sub-questions and claims count from 1
//! as well. `claims[].proofs[]` lead from a claim to the words it rests on: `quote` stands in the text whose hash
//! (BLAKE3, hexadecimal) is `snapshot`, from byte `start` up to and not including byte `end`. What is not known is
//! `null`, never a guess. Texts (`summary`, `sections[].text`, `conclusion`) are Markdown as it was written and checked,
//! not escaped for any page.

mod shape;

use super::Report;

/// The version of the shape.
pub const SCHEMA_VERSION: u32 = 1;

/// The report as a value, to be put into something larger.
pub fn value(report: &Report) -> serde_json::Value {
    // The shape holds strings, numbers, lists and structs with fixed names only, so nothing in it can fail.
    serde_json::to_value(shape::Document::of(report)).unwrap_or_default()
}

/// The report as a file, with its lines indented.
pub fn json(report: &Report) -> String {
    let text = serde_json::to_string_pretty(&shape::Document::of(report));
    format!("{}\n", text.unwrap_or_default())
}

#[cfg(test)]
mod tests;
