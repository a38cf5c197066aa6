//! Which sentences say the same thing with nearly the same figures.
//!
//! Takes single sentences; gives the pairs that agree. Two sentences agree only where their telling words are the same
//! in the same order, one part of the sentence moved to its other end at most, where their times do not differ, and where
//! their amounts lie near each other. Anything put more freely is not judged here: it may agree or not, and only a
//! reader can tell. Whether the sources are independent is left to the caller.

mod amount;

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::lexicon::LEXICON;
use crate::claim::reading::{SentenceReader, SentenceWord};
use crate::span::outside_brackets;
use crate::{Language, Span};

use super::consistency::Statement;
use super::times::NamedTimes;
use amount::{Amount, amounts};

/// Sentences with fewer telling words say too little to agree: with figures, and without any.
const TERMS_WITH_AMOUNTS: usize = 2;
const TERMS_ALONE: usize = 4;

/// A sentence with more is a list or worse, and is not compared.
const TERMS_MOST: usize = 50;

/// Small words that change what is said, and so are compared like telling ones.
const RELATIONS: [&str; 15] = [
    "without", "against", "from", "above", "below", "under", "over", "before", "after", "than",
    "least", "most", "up", "per", "am",
];

/// Words that only tell how a figure was reckoned.
const RECKONED: [&str; 8] = [
    "mean",
    "average",
    "about",
    "some",
    "roughly",
    "nearly",
    "almost",
    "approximately",
];

const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

/// The lines of opposites that tell of more and less, whose words on one side stand for each other: the first three.
const MORE_OR_LESS: std::ops::Range<usize> = 0..3;

struct ReadStatement {
    /// Its telling words in their order, turned so that sentences with a moved part begin alike.
    terms: Vec<String>,
    amounts: Vec<Amount>,
    times: NamedTimes,
    /// Which of several it tells of: "the second winter".
    ordinals: BTreeSet<usize>,
}

/// The pairs of statements that agree, by their places, in order.
pub fn agreements(statements: &[Statement<'_>], language: Language) -> Vec<(usize, usize)> {
    let reader = SentenceReader::new(language);
    let mut alike: BTreeMap<Vec<String>, Vec<(usize, ReadStatement)>> = BTreeMap::new();
    for (place, statement) in statements.iter().enumerate() {
        let mut read = ReadStatement::new(statement.text, &reader);
        let enough = if read.amounts.is_empty() {
            TERMS_ALONE
        } else {
            TERMS_WITH_AMOUNTS
        };
        if (enough..=TERMS_MOST).contains(&read.terms.len()) {
            let terms = std::mem::take(&mut read.terms);
            alike.entry(terms).or_default().push((place, read));
        }
    }
    let mut pairs = Vec::new();
    for group in alike.values() {
        for (nth, (left, one)) in group.iter().enumerate() {
            let later = group.iter().skip(nth + 1);
            let agreeing = later.filter(|(_, other)| one.agrees_with(other));
            pairs.extend(agreeing.map(|(right, _)| (*left, *right)));
        }
    }
    pairs.sort_unstable();
    pairs
}

impl ReadStatement {
    fn new(text: &str, reader: &SentenceReader) -> Self {
        let plain = outside_brackets(text);
        let outside = |span: Span| plain.iter().any(|part| part.holds(span));
        let mut amounts = amounts(text);
        amounts.retain(|one| outside(one.span));
        let counted = |word: &SentenceWord| amounts.iter().any(|one| one.span.overlaps(word.span));
        let (mut terms, mut ordinals) = (Vec::new(), BTreeSet::new());
        for word in reader.read(text).iter().filter(|word| outside(word.span)) {
            let written = word.span.of(text).unwrap_or_default().to_lowercase();
            if let Some(place) = ordinal(&written) {
                ordinals.insert(place);
            } else if !counted(word) && !word.is_number() && !NamedTimes::names(&written) {
                terms.extend(term(word, &written));
            }
        }
        Self {
            terms: if terms.len() > TERMS_MOST {
                terms
            } else {
                first_turn(terms)
            },
            times: NamedTimes::read(text),
            amounts,
            ordinals,
        }
    }

    fn agrees_with(&self, other: &Self) -> bool {
        let near = |one: &Self, other: &Self| {
            let told = |amount: &Amount| other.amounts.iter().any(|it| amount.is_near(it));
            one.amounts.iter().all(told)
        };
        let open = self.ordinals.is_empty() || other.ordinals.is_empty();
        near(self, other)
            && near(other, self)
            && (open || self.ordinals == other.ordinals)
            && !self.times.differ_from(&other.times)
    }
}

/// What a word says, in a form that its like share; nothing for words that tell nothing by themselves.
fn term(word: &SentenceWord, written: &str) -> Option<String> {
    if word.denies {
        return Some("not".to_owned());
    }
    let way = word
        .directions
        .iter()
        .find(|one| MORE_OR_LESS.contains(&one.axis));
    if let Some(way) = way {
        return Some(if way.up { "+" } else { "-" }.to_owned());
    }
    let unit = LEXICON.units.contains_key(written) || matches!(written, "c" | "f");
    let tells =
        (word.content && !unit && !RECKONED.contains(&written)) || RELATIONS.contains(&written);
    tells.then(|| word.term.clone())
}

/// The place in an order that a word names.
fn ordinal(written: &str) -> Option<usize> {
    let named = ORDINALS.iter().position(|name| *name == written);
    let digits = || {
        let digits = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|tail| written.strip_suffix(tail))?;
        digits.parse().ok()
    };
    let last = (written == "last").then_some(usize::MAX);
    named.map(|at| at + 1).or_else(digits).or(last)
}

/// Of all ways to begin a circle of terms, the first in the order of letters.
fn first_turn(terms: Vec<String>) -> Vec<String> {
    let turned = |start: usize| terms.iter().cycle().skip(start).take(terms.len());
    let first = (0..terms.len()).min_by(|a, b| turned(*a).cmp(turned(*b)));
    turned(first.unwrap_or(0)).cloned().collect()
}

/// Whether the figures of two sentences are nearly the same: a tenth or so apart is no conflict.
pub fn figures_are_close(left: &str, right: &str) -> bool {
    let told = |text: &str| {
        let plain = outside_brackets(text);
        let mut told = amounts(text);
        told.retain(|one| one.measures() && plain.iter().any(|part| part.holds(one.span)));
        told
    };
    let (left, right) = (told(left), told(right));
    let close = |one: &Amount| right.iter().any(|other| one.is_close(other));
    !left.is_empty() && left.iter().all(close)
}

#[cfg(test)]
mod tests;
