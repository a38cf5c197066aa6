//! Which statements say much the same, each in words of its own.
//!
//! Takes single sentences; gives the pairs that agree. It rather misses an agreement than invents one: two
//! statements agree only where the same thing is measured, of the same agent, in the same circumstances, the
//! same way, in one unit and with near figures; without figures, where nearly all words are shared. Whether
//! the sources are independent is left to the caller.

mod phrase;

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::align::Alignment;
use crate::claim::number::{Number, figures};
use crate::claim::oppose::oppose;
use crate::claim::reading::{Reader, Word};
use crate::span::outside_brackets;
use crate::{Language, Span};

use super::consistency::Statement;
use phrase::{Phrase, are_opposite, has_substance, is_place, phrases, term};

/// More statements are not compared: the work grows with the pairs.
const STATEMENTS_MAX: usize = 400;

/// Clauses with figures share at least so many terms, and so much of what either says.
const FIGURES_SHARED: usize = 2;
const FIGURES_ALIKE: f64 = 0.4;

/// Statements without figures share nearly all.
const WORDS_SHARED: usize = 4;
const WORDS_ALIKE: f64 = 0.7;

/// Figures lie near each other when the larger is at most this many times the smaller.
const NEAR: f64 = 1.25;

/// Figures are nearly the same when the larger is at most this many times the smaller.
const CLOSE: f64 = 1.15;

/// The lines of opposites that tell of more and less: the first three of the list.
const MORE_OR_LESS: std::ops::Range<usize> = 0..3;

struct Said {
    words: Vec<Word>,
    clauses: Vec<Clause>,
    /// The terms of the whole sentence.
    terms: BTreeSet<String>,
    measures: bool,
}

/// A part of a sentence that says something by itself, with the circumstances told around it.
struct Clause {
    /// What it is about, and what is tied to that.
    core: Vec<Phrase>,
    tied: Vec<Phrase>,
    terms: BTreeSet<String>,
    figures: Vec<Number>,
    /// Whether it tells of more, and of less.
    ways: (bool, bool),
    denied: bool,
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
    let reader = Reader::new(language);
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
    fn new(text: &str, reader: &Reader) -> Self {
        let plain = outside_brackets(text);
        let outside = |span: Span| plain.iter().any(|part| part.holds(span));
        let mut words = reader.read(text);
        words.retain(|word| outside(word.span));
        let mut told = figures(text).numbers;
        told.retain(|number| outside(number.span) && number.unit.is_some());
        // Times are told of almost everything; they are what is measured only where nothing else is.
        if told.iter().any(is_measure) {
            told.retain(is_measure);
        }
        let clauses = clauses(text, &words, &told);
        Self {
            terms: clauses.iter().flat_map(|one| one.terms.clone()).collect(),
            measures: !told.is_empty(),
            clauses,
            words,
        }
    }
}

/// The clauses of a sentence that are about something. Those that only tell circumstances join the others.
fn clauses(text: &str, words: &[Word], told: &[Number]) -> Vec<Clause> {
    let mut parts: BTreeMap<usize, Vec<&Word>> = BTreeMap::new();
    for word in words {
        parts.entry(word.clause).or_default().push(word);
    }
    let all: Vec<Clause> = parts
        .values()
        .map(|part| Clause::new(text, part, told))
        .collect();
    let (mut clauses, around): (Vec<Clause>, Vec<Clause>) =
        all.into_iter().partition(|one| !one.core.is_empty());
    let whole = clauses.iter().all(|one| one.figures.is_empty());
    if !told.is_empty() && whole {
        // The figure stands apart from what it measures: only the whole sentence tells.
        let every: Vec<&Word> = words.iter().collect();
        return vec![Clause::new(text, &every, told)];
    }
    for clause in &mut clauses {
        for one in &around {
            clause.tied.extend(one.tied.iter().cloned());
            clause.terms.extend(one.terms.iter().cloned());
        }
    }
    clauses
}

impl Clause {
    fn new(text: &str, words: &[&Word], told: &[Number]) -> Self {
        let inside = |span: Span| words.iter().any(|word| word.span.overlaps(span));
        let found = phrases(text, words);
        let substance = words.iter().filter(|word| {
            let written = word.span.of(text).unwrap_or_default();
            has_substance(word, &written.to_lowercase())
        });
        let terms = substance.map(|word| term(word).to_owned());
        let points = |up: bool| {
            let mut all = words.iter().flat_map(|word| word.directions);
            all.any(|one| MORE_OR_LESS.contains(&one.axis) && one.up == up)
        };
        let (core, tied) = found.into_iter().partition(|one| one.tie.is_none());
        Self {
            core,
            tied,
            terms: terms.collect(),
            figures: told
                .iter()
                .filter(|number| inside(number.span))
                .cloned()
                .collect(),
            ways: (points(true), points(false)),
            denied: words.iter().any(|word| word.denies),
        }
    }

    /// Whether two clauses are about the same: they have a phrase in common, and every word of what either
    /// is about stands in the other too.
    fn is_about(&self, other: &Self) -> bool {
        let shared = |one: &Phrase| other.core.iter().any(|there| is_same(one, there));
        let told = |one: &Self, there: &Self| one.core.iter().all(|phrase| there.tells(phrase));
        self.core.iter().any(shared) && told(self, other) && told(other, self)
    }

    /// Whether all terms of a phrase stand here.
    fn tells(&self, phrase: &Phrase) -> bool {
        phrase.terms.iter().all(|term| self.terms.contains(term))
    }

    /// Whether the two tell other circumstances: "in men" and "in children", "with care" and "without care".
    fn is_elsewhere(&self, other: &Self) -> bool {
        self.tied.iter().any(|one| {
            let mut theirs = other.tied.iter();
            theirs.any(|it| self.is_replaced(one, other, it))
        })
    }

    /// Whether one tied phrase stands in the place of another. Where something was found does not count, for
    /// that two places found the same is what agreement means.
    fn is_replaced(&self, one: &Phrase, other: &Self, it: &Phrase) -> bool {
        if one.tie != it.tie {
            return is_same(one, it) && are_opposite(one.tie, it.tie);
        }
        let place = |phrase: &Phrase| phrase.named && phrase.tie.is_some_and(is_place);
        let strange = |phrase: &Phrase, there: &Self| !place(phrase) && !there.tells(phrase);
        !is_same(one, it) && strange(one, other) && strange(it, self)
    }
}

/// The same head, and of the words before it one has no more than the other.
fn is_same(one: &Phrase, other: &Phrase) -> bool {
    let (here, there) = (one.modifiers(), other.modifiers());
    one.head() == other.head() && (here.is_subset(&there) || there.is_subset(&here))
}

fn is_measure(number: &Number) -> bool {
    let unit = number.unit.as_deref();
    unit.is_some_and(|unit| !unit.starts_with("time_"))
}

fn agree(left: &Said, right: &Said, weigh: &dyn Fn(&str) -> f64) -> bool {
    if left.measures != right.measures || left.terms.is_disjoint(&right.terms) {
        return false;
    }
    let fits = |one: &Clause| right.clauses.iter().any(|it| clauses_agree(one, it, weigh));
    let alike = match left.measures {
        true => left.clauses.iter().any(fits),
        // Without figures nothing that is said may be left out.
        false => left.clauses.len() == right.clauses.len() && left.clauses.iter().all(fits),
    };
    let pairs = || Alignment::new(&left.words, &right.words);
    alike && oppose(&left.words, &right.words, &pairs()).is_none()
}

fn clauses_agree(left: &Clause, right: &Clause, weigh: &dyn Fn(&str) -> f64) -> bool {
    let (least, alike) = match (left.figures.is_empty(), right.figures.is_empty()) {
        (true, true) => (WORDS_SHARED, WORDS_ALIKE),
        (false, false) if figures_agree(&left.figures, &right.figures) => {
            (FIGURES_SHARED, FIGURES_ALIKE)
        }
        _ => return false,
    };
    let shared: Vec<&String> = left.terms.intersection(&right.terms).collect();
    let sum = |terms: &mut dyn Iterator<Item = &String>| terms.map(|term| weigh(term)).sum::<f64>();
    let common = sum(&mut shared.iter().copied());
    let most = sum(&mut left.terms.iter()).max(sum(&mut right.terms.iter()));
    shared.len() >= least
        && common >= alike * most
        && left.ways == right.ways
        && left.denied == right.denied
        && left.is_about(right)
        && !left.is_elsewhere(right)
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

/// Whether every figure of the one with fewer has one near it in the other, in the same unit.
fn figures_agree(left: &[Number], right: &[Number]) -> bool {
    let (few, many) = match left.len() <= right.len() {
        true => (left, right),
        false => (right, left),
    };
    let near = |a: &Number, b: &Number| {
        a.unit == b.unit && a.value.max(b.value) <= NEAR * a.value.min(b.value)
    };
    !few.is_empty() && few.iter().all(|a| many.iter().any(|b| near(a, b)))
}

#[cfg(test)]
mod tests;
