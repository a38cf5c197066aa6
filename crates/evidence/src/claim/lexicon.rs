//! The word lists that claims are read with, from the text files beside this one.
//!
//! They are English. Text in other languages is compared by its words and numbers alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::Language;
use crate::terms::Terms;

pub(crate) struct Lexicon {
    pub(crate) stop: BTreeSet<&'static str>,
    /// Longest first.
    pub(crate) negations: Vec<NegationPhrase>,
    /// Of a stem: which lines of opposites it stands in, and on which side.
    pub(crate) directions: BTreeMap<String, Vec<Direction>>,
    pub(crate) units: BTreeMap<&'static str, &'static str>,
    /// How much of its dimension a unit is: a milligram is 0.001 of "mass". Units that are left out
    /// are compared with themselves alone.
    pub(crate) scales: BTreeMap<&'static str, f64>,
    pub(crate) numerals: BTreeMap<&'static str, f64>,
}

/// Words that turn a statement around, or only look like it.
pub(crate) struct NegationPhrase {
    pub(crate) words: Vec<&'static str>,
    pub(crate) turns: bool,
}

/// Which way a word points, along which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direction {
    pub(crate) axis: usize,
    pub(crate) up: bool,
    /// Both ways cannot hold of one thing at once, as they can of men and women.
    pub(crate) excludes: bool,
}

pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon {
    stop: lines(include_str!("stop.txt"))
        .flat_map(str::split_whitespace)
        .collect(),
    negations: negations(),
    directions: directions(),
    units: units(),
    scales: lines(include_str!("units.txt")).filter_map(scale).collect(),
    numerals: lines(include_str!("numerals.txt"))
        .filter_map(numeral)
        .collect(),
});

/// The lines of a list without its comments.
pub(crate) fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    let said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    list.lines().map(str::trim).filter(said)
}

fn negations() -> Vec<NegationPhrase> {
    let mut all: Vec<NegationPhrase> = lines(include_str!("negation.txt")).map(phrase).collect();
    all.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
    all
}

fn phrase(line: &'static str) -> NegationPhrase {
    let words = line.trim_start_matches('!');
    NegationPhrase {
        words: words.split_whitespace().collect(),
        turns: !line.starts_with('!'),
    }
}

fn directions() -> BTreeMap<String, Vec<Direction>> {
    let terms = Terms::new(Language::ENGLISH);
    let mut all: BTreeMap<String, Vec<Direction>> = BTreeMap::new();
    for (axis, line) in lines(include_str!("opposites.txt")).enumerate() {
        let excludes = !line.starts_with('~');
        for (side, words) in line.trim_start_matches('~').split('|').enumerate() {
            for word in words.split_whitespace() {
                let direction = Direction {
                    axis,
                    up: side == 0,
                    excludes,
                };
                let held = all.entry(terms.term(word)).or_default();
                if !held.contains(&direction) {
                    held.push(direction);
                }
            }
        }
    }
    all
}

fn units() -> BTreeMap<&'static str, &'static str> {
    let named = |line: &'static str| {
        let (kind, names) = line.split_once(':').unwrap_or((line, ""));
        let kind = kind.split(' ').next().unwrap_or(kind);
        names.split_whitespace().map(move |name| (name, kind))
    };
    lines(include_str!("units.txt")).flat_map(named).collect()
}

fn scale(line: &'static str) -> Option<(&'static str, f64)> {
    let (kind, scale) = line.split_once(':')?.0.split_once(' ')?;
    Some((kind, scale.trim().parse().ok()?))
}

fn numeral(line: &'static str) -> Option<(&'static str, f64)> {
    let (word, value) = line.split_once(' ')?;
    Some((word, value.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_points_both_ways_along_one_line() {
        for (word, held) in &LEXICON.directions {
            for one in held {
                let other = Direction {
                    up: !one.up,
                    ..*one
                };
                assert!(!held.contains(&other), "{word} points both ways");
            }
        }
    }

    #[test]
    fn every_list_is_read() {
        assert_eq!(LEXICON.units.get("mg"), Some(&"mass_mg"));
        assert_eq!(LEXICON.scales.get("mass_mg"), Some(&0.001));
        assert_eq!(LEXICON.numerals.get("seven"), Some(&7.0));
        assert!(LEXICON.stop.contains("the"));
        assert!(LEXICON.negations.iter().any(|phrase| !phrase.turns));
    }
}
