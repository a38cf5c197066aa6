//! Which statements say much the same, each in words of its own.
//!
//! Takes single sentences; gives the pairs that agree. It rather misses an agreement than invents one: two
//! statements agree only where the same thing is measured, of the same agent, in the same circumstances, the
//! same way, in one unit and with near figures; without figures, where nearly all words are shared. Whether
//! the sources are independent is left to the caller.

mod amount;
mod clause;
mod clock;
mod ordinal;
mod phrase;
mod when;

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::align::Alignment;
use crate::claim::oppose::oppose;
use crate::claim::reading::{SentenceReader, SentenceWord};
use crate::span::outside_brackets;
use crate::{Language, Span};

use super::consistency::Statement;
use amount::{Amount, amounts};
use clause::{Clause, clauses};
pub use when::When;

/// More statements are not compared: the work grows with the pairs.
const STATEMENTS_MAX: usize = 400;

/// Clauses with figures share at least so many things, and so much of what either says.
const FIGURES_SHARED: usize = 2;
const FIGURES_ALIKE: f64 = 0.4;

/// Statements without figures share nearly all.
const WORDS_SHARED: usize = 4;
const WORDS_ALIKE: f64 = 0.7;

struct Said {
    words: Vec<SentenceWord>,
    clauses: Vec<Clause>,
    /// The terms of the whole sentence.
    terms: BTreeSet<String>,
    measures: bool,
}

/// The pairs of statements that agree, by their places, in order.
pub fn agreements(statements: &[Statement<'_>], language: Language) -> Vec<(usize, usize)> {
    agreements_with(statements, language, &|_| true)
}

/// The pairs of which one place at least is `wanted`.
pub fn agreements_with(
    statements: &[Statement<'_>],
    language: Language,
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<(usize, usize)> {
    let reader = SentenceReader::new(language);
    let seen = statements.iter().take(STATEMENTS_MAX);
    let all: Vec<Said> = seen.map(|one| Said::new(one.text, &reader)).collect();
    let mut held: BTreeMap<&str, f64> = BTreeMap::new();
    for term in all.iter().flat_map(|said| &said.terms) {
        *held.entry(term).or_default() += 1.0;
    }
    let count = all.len() as f64;
    let weigh = |term: &str| (1.0 + count / held.get(term).copied().unwrap_or(1.0)).ln();
    let mut pairs = Vec::new();
    for (l, left) in all.iter().enumerate() {
        for (r, right) in all.iter().enumerate().skip(l + 1) {
            if (wanted(l) || wanted(r)) && agree(left, right, &weigh) {
                pairs.push((l, r));
            }
        }
    }
    pairs
}

impl Said {
    fn new(text: &str, reader: &SentenceReader) -> Self {
        let plain = outside_brackets(text);
        let outside = |span: Span| plain.iter().any(|part| part.holds(span));
        let mut words = reader.read(text);
        words.retain(|word| outside(word.span));
        let seasons = words
            .iter_mut()
            .filter(|word| when::is_autumn(text, word.span));
        // A season points no way.
        seasons.for_each(|word| word.directions = &[]);
        let mut told = amounts(text);
        told.retain(|one| outside(one.span));
        let clauses = clauses(text, &words, &told);
        Self {
            terms: clauses.iter().flat_map(Clause::told).collect(),
            measures: !told.is_empty(),
            clauses,
            words,
        }
    }
}

fn agree(left: &Said, right: &Said, weigh: &dyn Fn(&str) -> f64) -> bool {
    if left.measures != right.measures || left.terms.is_disjoint(&right.terms) {
        return false;
    }
    let fits = |one: &Clause| right.clauses.iter().any(|it| clauses_agree(one, it, weigh));
    if left.measures {
        return left.clauses.iter().any(fits);
    }
    // Without figures nothing that is said may be left out.
    let pairs = || Alignment::new(&left.words, &right.words);
    left.clauses.len() == right.clauses.len()
        && left.clauses.iter().all(fits)
        && oppose(&left.words, &right.words, &pairs()).is_none()
}

fn clauses_agree(left: &Clause, right: &Clause, weigh: &dyn Fn(&str) -> f64) -> bool {
    let (least, alike) = match (left.amounts.is_empty(), right.amounts.is_empty()) {
        (true, true) => (WORDS_SHARED, WORDS_ALIKE),
        (false, false) if amounts_agree(&left.amounts, &right.amounts) => {
            (FIGURES_SHARED, FIGURES_ALIKE)
        }
        _ => return false,
    };
    // One time of day may fall in two.
    let days = left.shared_days(right);
    let day = days.first().map_or(0.0, |day| weigh(day));
    let sum = |terms: &mut dyn Iterator<Item = &String>| terms.map(|term| weigh(term)).sum::<f64>();
    let shared: Vec<&String> = left.terms.intersection(&right.terms).collect();
    let common = day + sum(&mut shared.iter().copied());
    let most = day + sum(&mut left.terms.iter()).max(sum(&mut right.terms.iter()));
    shared.len() + usize::from(!days.is_empty()) >= least
        && common >= alike * most
        && left.says_the_same(right)
}

/// Whether the figures of two sentences are nearly the same: a tenth or so apart is no conflict.
pub fn figures_are_close(left: &str, right: &str) -> bool {
    let told = |text: &str| {
        let plain = outside_brackets(text);
        let mut told = amounts(text);
        told.retain(|one| !one.is_time() && plain.iter().any(|part| part.holds(one.span)));
        told
    };
    let (left, right) = (told(left), told(right));
    let close = |one: &Amount| right.iter().any(|other| one.is_close(other));
    !left.is_empty() && left.iter().all(close)
}

/// Whether every amount of the one with fewer has one near it in the other.
fn amounts_agree(left: &[Amount], right: &[Amount]) -> bool {
    let (few, many) = match left.len() <= right.len() {
        true => (left, right),
        false => (right, left),
    };
    !few.is_empty() && few.iter().all(|a| many.iter().any(|b| a.is_near(b)))
}

#[cfg(test)]
mod tests;
