//! A report as JSON for other programs: every fact of it, in a shape that stays.
//!
//! Takes a finished report; gives one object with the fields of [`Report`]. `schema_version` says which shape it is: a
//! change that could break a reader raises it, a new field does not. `claims[].proofs[]` lead from a claim to the words it
//! rests on: `quote` stands in the text whose hash is `snapshot`, from byte `start` up to and not including byte `end`.
//! Texts (`summary`, `sections[].text`, `conclusion`) are Markdown as it was written and checked, not escaped for any page.

use serde::Serialize;

use crate::Report;
use crate::references;

/// The version of the shape.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct VersionedReport {
    schema_version: u32,
    #[serde(flatten)]
    report: Report,
}

impl VersionedReport {
    fn new(report: &Report) -> Self {
        let mut report = report.clone();
        let references = references::references(&report);
        for (source, reference) in report.sources.iter_mut().zip(references) {
            source.reference = references::plain(&reference.pieces);
        }
        Self {
            schema_version: SCHEMA_VERSION,
            report,
        }
    }
}

/// The report as a value, to be put into something larger.
pub fn value(report: &Report) -> serde_json::Value {
    // A report holds strings, numbers, lists and structs with fixed names only, so nothing in it can fail.
    serde_json::to_value(VersionedReport::new(report)).unwrap_or_default()
}

/// The report as a file, with its lines indented.
pub fn json(report: &Report) -> String {
    let text = serde_json::to_string_pretty(&VersionedReport::new(report));
    format!("{}\n", text.unwrap_or_default())
}

#[cfg(test)]
mod tests;
