//! Quotes, citations and the few words around them.
//!
//! Own sentences speak of the report and its sources only, and are so put that the check of citations knows
//! them as stating nothing: they have three words at most, or begin with "This report", "No source", "None of the
//! sources" or "The sources read", or end in a colon before a list.

use std::collections::BTreeSet;

use crate::analysis::Evidence;
use crate::source::{Source, SourceId};
use crate::words;

const COUNTS: [&str; 11] = [
    "No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
];

/// A sentence in quotation marks with its citation: `“…” [3]`.
pub(super) fn quote(words: &str, cited: &[SourceId]) -> String {
    format!("“{}” {}", inside(words), cite(cited))
}

/// The words of a quote as they stand between quotation marks: on one line, with inner marks made
/// single, and numbers in brackets left out, which would be read as citations of ours.
fn inside(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    let mut opened = false;
    let mut rest = line.as_str();
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '“' | '„' | '«' => out.push('‘'),
            '”' | '»' => out.push('’'),
            '"' => {
                out.push(if opened { '’' } else { '‘' });
                opened = !opened;
            }
            '[' if is_note(after) => {
                let close = after.find(']').map_or(after.len(), |at| at + 1);
                out.push_str("[…]");
                rest = &after[close..];
                continue;
            }
            _ => out.push(c),
        }
        rest = after;
    }
    out
}

/// Whether digits and a closing bracket follow.
fn is_note(after: &str) -> bool {
    let Some((inner, _)) = after.split_once(']') else {
        return false;
    };
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

/// "Three sources agree."
pub(super) fn agree(number: usize) -> String {
    format!("{} sources agree.", count(number))
}

/// What a source calls itself, such as "a trial"; nothing where its title does not tell.
pub(super) fn kind_of_work(source: &Source) -> Option<&'static str> {
    let lower = source.about.title.to_lowercase();
    let mut kinds = words::named("kinds of work");
    kinds
        .find(|(_, said)| said.iter().any(|word| words::holds(&lower, word)))
        .map(|(name, _)| name)
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
