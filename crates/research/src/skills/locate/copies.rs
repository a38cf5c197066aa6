//! Sources that copy another: mirrors agree by copying, so only one of them is a witness.

use std::collections::BTreeSet;

use fathom_evidence::duplicate;

use super::Reading;
use crate::source::SourceId;

/// A source that was left out because it copies another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The one that was left out.
    pub copy: SourceId,
    /// The one that it copies.
    pub of: SourceId,
}

/// Splits readings into those that stand for themselves and those that copy one of them.
pub(super) fn split(readings: &[Reading]) -> (Vec<&Reading>, Vec<Copied>) {
    let texts: Vec<&str> = readings
        .iter()
        .map(|reading| reading.document.text.as_str())
        .collect();
    let mut kept = Vec::new();
    let mut copies = Vec::new();
    for group in duplicate::documents(&texts) {
        let members: Vec<&Reading> = group.iter().filter_map(|at| readings.get(*at)).collect();
        let Some(original) = members.iter().copied().min_by_key(|one| standing(one)) else {
            continue;
        };
        kept.push(original);
        for one in members.iter().filter(|one| one.source != original.source) {
            if has_other_figures(one, original) {
                kept.push(*one);
            } else {
                copies.push(Copied {
                    copy: one.source,
                    of: original.source,
                });
            }
        }
    }
    kept.sort_by_key(|reading| reading.source);
    (kept, copies)
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
    let is_year =
        |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
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
}
