//! Quotes, citations and the few words around them.
//!
//! Own sentences speak of the report and its sources only, and are so put that the check of citations knows
//! them as stating nothing: they have three words at most, or begin with "This report", "No source", "None of the
//! sources" or "The sources read", or end in a colon before a list.

use std::collections::BTreeSet;

use crate::analysis::Evidence;
use crate::source::SourceId;

const COUNTS: [&str; 11] = [
    "No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
];

/// A sentence in quotation marks with its citation: `“…” [3]`.
pub(super) fn quote(words: &str, cited: &[SourceId]) -> String {
    format!("“{}” {}", inside(words), cite(cited))
}

/// The words of a quote as they stand between quotation marks: on one line, and without numbers in
/// brackets, which would be read as citations of ours.
fn inside(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        rest = match after.split_once(']') {
            Some((note, behind)) if is_note(note) => {
                out.push_str("[…]");
                behind
            }
            _ => {
                out.push('[');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// Whether only digits and what joins them stand between brackets.
fn is_note(inner: &str) -> bool {
    let sign = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–' | ';' | '^');
    !inner.is_empty() && inner.chars().all(sign)
}

pub(super) fn cite(cited: &[SourceId]) -> String {
    let mut ids: Vec<u32> = cited.iter().map(|source| source.0).collect();
    ids.sort_unstable();
    ids.dedup();
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    format!("[{}]", ids.join(", "))
}

/// "Three", or the digits where the number is large.
pub(super) fn count(number: usize) -> String {
    COUNTS
        .get(number)
        .map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// How many sources say what was just quoted besides the one it was quoted from. It cites none of them: what cites a
/// source must stand in it. Their own words are quoted in the section of the finding.
pub(super) fn others_agree(number: usize) -> String {
    match number {
        1 => "Another source agrees.".to_owned(),
        _ => format!("{} others agree.", count(number)),
    }
}

/// Quotes as a list.
pub(super) fn list(quotes: &[String]) -> String {
    let items: Vec<String> = quotes.iter().map(|quote| format!("- {quote}")).collect();
    items.join("\n")
}

pub(super) fn words_in(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The distinct sources of some evidence, in the order in which they come.
pub(super) fn sources_of<'e>(evidence: impl Iterator<Item = &'e Evidence>) -> Vec<SourceId> {
    let mut seen = BTreeSet::new();
    evidence
        .map(|one| one.source)
        .filter(|source| seen.insert(*source))
        .collect()
}
