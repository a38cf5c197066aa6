//! Which of several a clause tells of: "the first year", "the 4th floor", "the last half".
//!
//! Takes the words of a clause; gives the numbers in order that it names, each with the word behind it. Shares ("a
//! third") and seconds of time are left to the amounts.

use std::collections::BTreeSet;

use super::amount::Amount;
use super::phrase::is_counted;
use crate::claim::lexicon::LEXICON;
use crate::claim::reading::SentenceWord;

const NAMES: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

/// The place of what comes last, behind all that are counted.
const LAST: u32 = u32::MAX;

/// Places in an order, each with the term of what stands in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ordinals(BTreeSet<(u32, String)>);

impl Ordinals {
    pub(super) fn of(text: &str, words: &[&SentenceWord], amounts: &[Amount]) -> Self {
        let mut found = BTreeSet::new();
        for (at, word) in words.iter().enumerate() {
            let written = word.span.of(text).unwrap_or_default().to_lowercase();
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let before = before.and_then(|word| word.span.of(text));
            let share = is_counted(word, amounts) && NAMES.contains(&written.as_str());
            if let Some(place) = place(&written, before).filter(|_| !share) {
                let next = words.get(at + 1);
                found.insert((
                    place,
                    next.map(|word| word.term.clone()).unwrap_or_default(),
                ));
            }
        }
        Self(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    /// Whether both name places and none is the same, be it of all or of one thing: the first and the second year of
    /// the third trial.
    pub(super) fn is_other(&self, other: &Self) -> bool {
        let apart = |of: Option<&str>| {
            let (here, there) = (self.places(of), other.places(of));
            !here.is_empty() && !there.is_empty() && here.is_disjoint(&there)
        };
        apart(None) || self.0.iter().any(|(_, of)| apart(Some(of)))
    }

    /// All places, or those that one thing stands in.
    fn places(&self, of: Option<&str>) -> BTreeSet<u32> {
        let fits = |(_, it): &&(u32, String)| of.is_none_or(|of| of == it);
        let fitting = self.0.iter().filter(fits);
        fitting.map(|(place, _)| *place).collect()
    }
}

/// The place that a word in small letters names, with the word before it.
fn place(word: &str, before: Option<&str>) -> Option<u32> {
    if word == "last" {
        return Some(LAST);
    }
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (figure, ending) = word.split_at(digits.len());
    if matches!(ending, "st" | "nd" | "rd" | "th") {
        return figure.parse().ok();
    }
    let at = NAMES.iter().position(|name| *name == word)?;
    let place = u32::try_from(at + 1).ok()?;
    let before = before.unwrap_or_default().to_lowercase();
    let figure = before.starts_with(|c: char| c.is_ascii_digit());
    match LEXICON.numerals.get(before.as_str()) {
        // "Twenty-first".
        Some(tens) if (20.0..100.0).contains(tens) && place < 10 => Some(*tens as u32 + place),
        // "Ten-second", "two third" and "per second".
        Some(_) => None,
        None if figure || before == "per" => None,
        None => Some(place),
    }
}

/// Whether a word in small letters tells which half is meant, so that "half" behind it is no share.
pub(super) fn tells_half(word: &str) -> bool {
    matches!(place(word, None), Some(1 | 2 | LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_words_and_digits() {
        assert_eq!(place("first", None), Some(1));
        assert_eq!(place("12th", None), Some(12));
        assert_eq!(place("first", Some("Twenty")), Some(21));
        assert_eq!(place("last", None), Some(LAST));
    }

    #[test]
    fn seconds_and_plain_figures_are_no_places() {
        assert_eq!(place("second", Some("10")), None);
        assert_eq!(place("second", Some("ten")), None);
        assert_eq!(place("second", Some("per")), None);
        assert_eq!(place("12", None), None);
        assert_eq!(place("th", None), None);
    }
}
