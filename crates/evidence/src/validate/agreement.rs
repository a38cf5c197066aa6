//! Which statements say the same, in words of their own.
//!
//! Takes single sentences; gives the pairs that agree: they share much of what they are about, point the
//! same way, and where both measure in one unit, their figures lie near each other. Whether the
//! sources are independent is left to the caller.

use std::collections::{BTreeMap, BTreeSet};

use crate::Language;
use crate::claim::align::Alignment;
use crate::claim::number::{Number, figures};
use crate::claim::oppose::oppose;
use crate::claim::reading::{Reader, Word};
use crate::span::outside_brackets;

use super::consistency::Statement;

/// More statements are not compared: the work grows with the pairs.
const STATEMENTS_MAX: usize = 400;

/// Statements less alike than this, as the angle between their terms tells, are on other matters.
const ALIKE_MIN: f64 = 0.26;

/// Likewise where their figures lie near each other, which speaks for one matter.
const ALIKE_MIN_FIGURES: f64 = 0.16;

/// So many terms both must have.
const SHARED_MIN: usize = 2;

/// Figures lie near each other when the larger is at most this many times the smaller.
const NEAR: f64 = 1.6;

struct Said {
    words: Vec<Word>,
    about: BTreeSet<String>,
    numbers: Vec<Number>,
}

/// The pairs of statements that agree, by their places, in order.
pub fn agreements(statements: &[Statement<'_>], language: Language) -> Vec<(usize, usize)> {
    let reader = Reader::new(language);
    let seen = statements.iter().take(STATEMENTS_MAX);
    let all: Vec<Said> = seen.map(|one| Said::new(one.text, &reader)).collect();
    let mut held: BTreeMap<&str, f64> = BTreeMap::new();
    for term in all.iter().flat_map(|said| &said.about) {
        *held.entry(term).or_default() += 1.0;
    }
    let count = all.len() as f64;
    let weigh = |term: &str| (1.0 + count / held.get(term).unwrap_or(&1.0)).ln();
    let mut pairs = Vec::new();
    for (l, left) in all.iter().enumerate() {
        for (r, right) in all.iter().enumerate().skip(l + 1) {
            if agree(left, right, &weigh) {
                pairs.push((l, r));
            }
        }
    }
    pairs
}

impl Said {
    fn new(text: &str, reader: &Reader) -> Self {
        let plain = outside_brackets(text);
        let outside = |span: crate::Span| plain.iter().any(|part| part.holds(span));
        let mut words = reader.read(text);
        words.retain(|word| outside(word.span));
        let mut numbers = figures(text).numbers;
        numbers.retain(|number| outside(number.span));
        let about = words
            .iter()
            .filter(|word| word.content && !word.denies && !word.is_number());
        Self {
            about: about.map(|word| word.term.clone()).collect(),
            words,
            numbers,
        }
    }
}

fn agree(left: &Said, right: &Said, weigh: &impl Fn(&str) -> f64) -> bool {
    let shared: Vec<&String> = left.about.intersection(&right.about).collect();
    if shared.len() < SHARED_MIN {
        return false;
    }
    let square = |terms: &mut dyn Iterator<Item = &String>| {
        terms.map(|term| weigh(term).powi(2)).sum::<f64>()
    };
    let both = square(&mut shared.into_iter());
    let lengths = square(&mut left.about.iter()) * square(&mut right.about.iter());
    let alike = both / lengths.sqrt().max(f64::MIN_POSITIVE);
    let least = match figures_agree(&left.numbers, &right.numbers) {
        Some(false) => return false,
        Some(true) => ALIKE_MIN_FIGURES,
        None => ALIKE_MIN,
    };
    alike >= least
        && oppose(
            &left.words,
            &right.words,
            &Alignment::new(&left.words, &right.words),
        )
        .is_none()
}

/// Whether figures in one unit lie near each other; nothing where no unit is shared.
fn figures_agree(left: &[Number], right: &[Number]) -> Option<bool> {
    let mut found = None;
    for a in left.iter().filter(|a| a.unit.is_some()) {
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
