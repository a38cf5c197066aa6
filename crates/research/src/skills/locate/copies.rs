//! Sources that copy another: mirrors agree by copying, so only one of them is a witness.

use std::collections::BTreeSet;
use std::sync::Arc;

use fathom_evidence::duplicate;

use super::Reading;
use crate::source::{Source, SourceId};

/// The readings without those that copy another. A library gives each passage once, so what it found in a document
/// stays, even where much of the document stands in another too.
pub(super) fn originals<'r>(readings: &'r [Reading], sources: &[Arc<Source>]) -> Vec<&'r Reading> {
    let found_in = |reading: &&Reading| {
        let at = (reading.source.0 as usize).checked_sub(1);
        let source = at.and_then(|at| sources.get(at));
        source.is_some_and(|source| !source.passages.is_empty())
    };
    let (mut kept, others): (Vec<&Reading>, Vec<&Reading>) = readings.iter().partition(found_in);
    let texts = others.iter().map(|one| one.document.text.as_str());
    let texts: Vec<&str> = texts.collect();
    for group in duplicate::documents(&texts) {
        let members = group.iter().filter_map(|at| others.get(*at).copied());
        if let Some(original) = members.clone().min_by_key(|one| standing(one)) {
            kept.push(original);
            kept.extend(members.filter(|one| has_other_figures(one, original)));
        }
    }
    kept.sort_by_key(|reading| reading.source);
    kept
}

/// The oldest stands first, then the longest: a reprint comes later and leaves things out.
fn standing(reading: &Reading) -> (bool, &str, std::cmp::Reverse<usize>, SourceId) {
    let published = reading.document.about.published.as_deref();
    let length = std::cmp::Reverse(reading.document.text.len());
    (
        published.is_none(),
        published.unwrap_or_default(),
        length,
        reading.source,
    )
}

/// Whether each of two documents states a figure that the other lacks. They are two witnesses however alike their words
/// are: a form that is filled in twice, or a survey that is made again. Years tell nothing, since reprints have their own.
fn has_other_figures(one: &Reading, other: &Reading) -> bool {
    differ(&one.document.text, &other.document.text)
}

fn differ(one: &str, other: &str) -> bool {
    let (one, other) = (figures(one), figures(other));
    !one.is_subset(&other) && !other.is_subset(&one)
}

fn figures(text: &str) -> BTreeSet<&str> {
    let is_year = |word: &str| {
        let four = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        four && (word.starts_with("19") || word.starts_with("20"))
    };
    let words = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let words = words.map(|word| word.trim_matches(['.', ',']));
    words
        .filter(|word| !word.is_empty() && !is_year(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_another_figure_is_no_copy_and_one_with_another_year_is() {
        let text = |figure: &str, year: &str| {
            format!("The bridge at Orsby carries {figure} vehicles a day. Printed in {year}.")
        };
        assert!(!differ(&text("12,400", "2021"), &text("12,400", "2023")));
        assert!(differ(&text("12,400", "2021"), &text("18,900", "2021")));
        let longer = format!("{} 3 comments.", text("12,400", "2021"));
        assert!(!differ(&text("12,400", "2021"), &longer));
    }

    #[test]
    fn a_figure_with_a_point_is_no_year() {
        assert!(differ(
            "The water had 19.4 degrees.",
            "The water had 20.5 degrees."
        ));
    }
}
