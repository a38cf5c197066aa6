//! Conflicts between pieces of evidence, both sides quoted.
//!
//! Takes passages; compares sentences that are on the same subject, which is to say that they share
//! most of their rarer words; gives the pairs that state other numbers in the same unit or other
//! dates, deny each other, or point opposite ways.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::claim::date::dates;
use crate::claim::number::{Number, figures};
use crate::claim::oppose::{Opposite, oppose};
use crate::claim::reading::{Reader, Word};
use crate::{Language, Span, sentences};

use super::Validated;

/// Sentences that share less of their words, rare ones counting most, are on different subjects.
const SAME_SUBJECT_MIN: f64 = 0.6;

/// A number stands against another only where nearly all else is said alike.
const SAME_QUANTITY_MIN: f64 = 0.75;

/// More sentences are not compared: the work grows with the pairs that share a rare word.
const SENTENCES_MAX: usize = 2_000;

/// A term in more sentences than this does not make two of them worth comparing.
const COMMON_MAX: usize = 50;

/// Words from a place in a source.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'t> {
    pub source: &'t str,
    pub start: usize,
    pub text: &'t str,
}

impl<'t> Statement<'t> {
    pub(super) fn of(evidence: &'t Validated) -> Self {
        let candidate = &evidence.candidate;
        Self {
            source: &candidate.source,
            start: candidate.span.start,
            text: &candidate.passage,
        }
    }
}

/// What two statements differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    Number,
    Date,
    Denied,
    Turned,
}

/// One side of a conflict, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Side {
    pub source: String,
    pub span: Span,
    pub quote: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub difference: Difference,
    pub left: Side,
    pub right: Side,
}

struct Sentence {
    side: Side,
    words: Vec<Word>,
    about: BTreeSet<String>,
}

/// The conflicts between statements, in the order in which they stand.
pub fn conflicts(statements: &[Statement<'_>], language: Language) -> Vec<Conflict> {
    let reader = Reader::new(language);
    let all = read(statements, &reader, language);
    let mut held: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, sentence) in all.iter().enumerate() {
        for term in &sentence.about {
            held.entry(term).or_default().push(i);
        }
    }
    let weigh = |term: &str| {
        let often = held.get(term).map_or(1, Vec::len) as f64;
        (1.0 + all.len() as f64 / often).ln()
    };
    let pairs = worth_comparing(&held);
    pairs
        .into_iter()
        .filter_map(|(l, r)| compare(all.get(l)?, all.get(r)?, &weigh))
        .collect()
}

fn read(statements: &[Statement<'_>], reader: &Reader, language: Language) -> Vec<Sentence> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for statement in statements {
        for span in sentences(statement.text, language) {
            let quote = span.of(statement.text).unwrap_or_default().to_owned();
            let side = Side {
                source: statement.source.to_owned(),
                span: span.moved(statement.start),
                quote,
            };
            if all.len() < SENTENCES_MAX && seen.insert(side.clone()) {
                let words = reader.read(&side.quote);
                let dates = dates(&side.quote);
                let plain = |w: &&Word| {
                    let dated = dates.iter().any(|date| date.span.holds(w.span));
                    let number = w
                        .term
                        .chars()
                        .all(|c| c.is_numeric() || matches!(c, '.' | ','));
                    w.content && !w.denies && w.directions.is_empty() && !number && !dated
                };
                let about = words.iter().filter(plain).map(|w| w.term.clone()).collect();
                all.push(Sentence { side, words, about });
            }
        }
    }
    all
}

/// Pairs of sentences that share a term which is not everywhere.
fn worth_comparing(held: &BTreeMap<&str, Vec<usize>>) -> BTreeSet<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for places in held.values().filter(|places| places.len() <= COMMON_MAX) {
        for (i, left) in places.iter().enumerate() {
            let later = places.get(i + 1..).unwrap_or_default();
            pairs.extend(later.iter().map(|right| (*left, *right)));
        }
    }
    pairs
}

fn compare(left: &Sentence, right: &Sentence, weigh: &impl Fn(&str) -> f64) -> Option<Conflict> {
    let sum = |terms: &mut dyn Iterator<Item = &String>| terms.map(|t| weigh(t)).sum::<f64>();
    let shared = sum(&mut left.about.intersection(&right.about));
    let smaller = sum(&mut left.about.iter()).min(sum(&mut right.about.iter()));
    let larger = sum(&mut left.about.iter()).max(sum(&mut right.about.iter()));
    let alike = |w: &&Word| w.content && right.words.iter().any(|v| v.term == w.term);
    let few = left.words.iter().filter(alike).count() < 2;
    // Nearly all of the shorter sentence, and a good part of the longer one.
    if few
        || smaller <= 0.0
        || shared / smaller < SAME_SUBJECT_MIN
        || shared / larger < SAME_SUBJECT_MIN / 2.0
    {
        return None;
    }
    let opposed = oppose(&left.words, &right.words).map(|found| match found.kind {
        Opposite::Denied => Difference::Denied,
        Opposite::Turned => Difference::Turned,
    });
    let counted = || {
        (shared / smaller >= SAME_QUANTITY_MIN)
            .then(|| differ(left, right))
            .flatten()
    };
    Some(Conflict {
        difference: opposed.or_else(counted)?,
        left: left.side.clone(),
        right: right.side.clone(),
    })
}

/// Other numbers in the same unit, or other dates, where neither side states the other's.
fn differ(left: &Sentence, right: &Sentence) -> Option<Difference> {
    let (a, b) = (
        figures(&left.side.quote).numbers,
        figures(&right.side.quote).numbers,
    );
    let told = |n: &Number, by: &[Number]| by.iter().any(|m| n.is_told_by(m) || m.is_told_by(n));
    let units = a
        .iter()
        .any(|n| n.unit.is_some() && b.iter().any(|m| n.unit == m.unit));
    let apart = !a.iter().any(|n| told(n, &b));
    let (c, d) = (dates(&left.side.quote), dates(&right.side.quote));
    if units && apart {
        return Some(Difference::Number);
    }
    let agree = c.iter().any(|x| d.iter().any(|y| x.is_told_by(y)));
    (!c.is_empty() && !d.is_empty() && !agree).then_some(Difference::Date)
}
