//! Which statements say the same, each in words of its own.
//!
//! Takes single sentences; gives the pairs that agree: they share much of what they are about, nothing in
//! them points opposite ways, and where they measure, their figures lie near each other. Words that mean the
//! same are told by the caller; whether the sources are independent is left to the caller too.

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::align::Alignment;
use crate::claim::number::{Number, figures};
use crate::claim::oppose::oppose;
use crate::claim::reading::{Reader, Word};
use crate::span::outside_brackets;
use crate::{Language, Span};

use super::consistency::Statement;

/// More statements are not compared: the work grows with the pairs.
const STATEMENTS_MAX: usize = 400;

/// Statements whose figures lie near each other agree when they share so many terms and are so much
/// alike, as the angle between their terms tells. Found on the library of examples.
const FIGURES_SHARED: usize = 3;
const FIGURES_ALIKE: f64 = 0.14;

/// Statements without figures must be nearly the same.
const WORDS_SHARED: usize = 4;
const WORDS_ALIKE: f64 = 0.55;

/// Figures lie near each other when the larger is at most this many times the smaller.
const NEAR: f64 = 1.45;

/// Figures are nearly the same when the larger is at most this many times the smaller.
const CLOSE: f64 = 1.15;

struct Said {
    words: Vec<Word>,
    /// The numbers of its terms, in order, each once.
    about: Vec<usize>,
    figures: Vec<Number>,
}

/// The pairs of statements that agree, by their places, in order. `same` gives one term for all that mean
/// the same, or nothing where a term stands alone.
pub fn agreements(
    statements: &[Statement<'_>],
    language: Language,
    same: &dyn Fn(&str) -> Option<String>,
) -> Vec<(usize, usize)> {
    let reader = Reader::new(language);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let seen = statements.iter().take(STATEMENTS_MAX);
    let all: Vec<Said> = seen
        .map(|one| Said::new(one.text, &reader, same, &mut numbers))
        .collect();
    let mut held = vec![0.0_f64; numbers.len()];
    for term in all.iter().flat_map(|said| &said.about) {
        held[*term] += 1.0;
    }
    let count = all.len() as f64;
    let weights: Vec<f64> = held
        .into_iter()
        .map(|held| (1.0 + count / held).ln().powi(2))
        .collect();
    let mut pairs = Vec::new();
    for (l, left) in all.iter().enumerate() {
        for (r, right) in all.iter().enumerate().skip(l + 1) {
            if agree(left, right, &weights) {
                pairs.push((l, r));
            }
        }
    }
    pairs
}

impl Said {
    fn new(
        text: &str,
        reader: &Reader,
        same: &dyn Fn(&str) -> Option<String>,
        numbers: &mut BTreeMap<String, usize>,
    ) -> Self {
        let plain = outside_brackets(text);
        let outside = |span: Span| plain.iter().any(|part| part.holds(span));
        let mut words = reader.read(text);
        words.retain(|word| outside(word.span));
        let mut told = figures(text).numbers;
        told.retain(|number| outside(number.span) && is_measure(number));
        let terms = words
            .iter()
            .filter(|word| word.content && !word.denies && !word.is_number());
        let mut about: Vec<usize> = terms
            .map(|word| same(&word.term).unwrap_or_else(|| word.term.clone()))
            .map(|term| {
                let next = numbers.len();
                *numbers.entry(term).or_insert(next)
            })
            .collect();
        about.sort_unstable();
        about.dedup();
        Self {
            about,
            words,
            figures: told,
        }
    }
}

impl Said {
    fn units(&self) -> BTreeSet<Option<&str>> {
        let figures = self.figures.iter();
        figures.map(|number| number.unit.as_deref()).collect()
    }

    /// The lines along which its words point a way.
    fn axes(&self) -> BTreeSet<usize> {
        let directions = self.words.iter().flat_map(|word| word.directions);
        directions.map(|direction| direction.axis).collect()
    }
}

/// Times are told of almost everything: they make no two statements alike.
fn is_measure(number: &Number) -> bool {
    let unit = number.unit.as_deref();
    unit.is_some_and(|unit| !unit.starts_with("time_"))
}

fn agree(left: &Said, right: &Said, weights: &[f64]) -> bool {
    let near = figures_agree(&left.figures, &right.figures);
    let (shared_min, alike_min) = match near {
        // Of two that do not measure the same things, one may tell of a change and one of a state.
        Some(true) if left.units() != right.units() && left.axes() != right.axes() => return false,
        Some(true) => (FIGURES_SHARED, FIGURES_ALIKE),
        None if left.figures.is_empty() && right.figures.is_empty() => (WORDS_SHARED, WORDS_ALIKE),
        Some(false) | None => return false,
    };
    let (shared, weight) = shared(&left.about, &right.about, weights);
    if shared < shared_min {
        return false;
    }
    let length = |terms: &[usize]| terms.iter().map(|term| weights[*term]).sum::<f64>();
    let lengths = (length(&left.about) * length(&right.about)).sqrt();
    let pairs = || Alignment::new(&left.words, &right.words);
    weight >= alike_min * lengths && oppose(&left.words, &right.words, &pairs()).is_none()
}

/// Whether the figures of two sentences are nearly the same: a tenth or so apart is no conflict.
pub fn figures_are_close(left: &str, right: &str) -> bool {
    let told = |text: &str| {
        let plain = outside_brackets(text);
        let mut told = figures(text).numbers;
        told.retain(|number| {
            is_measure(number) && plain.iter().any(|part| part.holds(number.span))
        });
        told
    };
    let (left, right) = (told(left), told(right));
    let close = |a: &Number| {
        let near =
            |b: &&Number| b.unit == a.unit && a.value.max(b.value) <= CLOSE * a.value.min(b.value);
        right.iter().any(|b| near(&b))
    };
    !left.is_empty() && left.iter().all(close)
}

/// How many terms two statements share, and what those weigh.
fn shared(left: &[usize], right: &[usize], weights: &[f64]) -> (usize, f64) {
    let (mut a, mut b, mut count, mut weight) = (0, 0, 0, 0.0);
    while let (Some(x), Some(y)) = (left.get(a), right.get(b)) {
        if x == y {
            count += 1;
            weight += weights[*x];
        }
        a += usize::from(x <= y);
        b += usize::from(y <= x);
    }
    (count, weight)
}

/// Whether figures in one unit lie near each other; nothing where no unit is shared.
fn figures_agree(left: &[Number], right: &[Number]) -> Option<bool> {
    let mut found = None;
    for a in left {
        for b in right.iter().filter(|b| b.unit == a.unit) {
            let (small, large) = (a.value.min(b.value), a.value.max(b.value));
            if large <= small * NEAR {
                return Some(true);
            }
            found = Some(false);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(texts: &[&str]) -> Vec<(usize, usize)> {
        let statements: Vec<Statement<'_>> = texts
            .iter()
            .map(|text| Statement {
                source: "s",
                start: 0,
                text,
            })
            .collect();
        let same = |term: &str| (term == "canopi").then(|| "tree".to_owned());
        agreements(&statements, Language::ENGLISH, &same)
    }

    #[test]
    fn statements_on_one_matter_with_near_figures_agree() {
        let found = pairs(&[
            "The afternoon air under closed canopy was 1.9 °C cooler (95 % interval 1.4 to 2.4 °C) than in open streets.",
            "Sensors under trees read 1.6 °C less in the afternoon than sensors in open streets.",
            "The clock of the network ran four minutes late.",
        ]);
        assert_eq!(found, [(0, 1)]);
    }

    #[test]
    fn far_figures_and_opposite_directions_are_no_agreement() {
        let found = pairs(&[
            "Survival of street trees in Tessmark after planting was 91 percent.",
            "Survival of street trees in Tessmark after planting was 32 percent.",
            "Dense canopy raises nitrogen dioxide at pavement level in busy streets.",
            "Dense canopy lowers nitrogen dioxide at pavement level in busy streets.",
        ]);
        assert_eq!(found, []);
    }

    #[test]
    fn without_figures_only_nearly_the_same_words_agree() {
        let found = pairs(&[
            "The town began to telephone older people on hot days in the same districts.",
            "On hot days the town began to telephone people in the same districts.",
            "Older people stay at home when the town is hot.",
        ]);
        assert_eq!(found, [(0, 1)]);
    }
}
