//! Which sentences say much the same, each in words of its own.
//!
//! Takes single sentences; gives the pairs that agree. It rather misses an agreement than invents one: two sentences
//! agree where a clause of each measures the same thing in the same circumstances, the same way, in one unit and with
//! near figures; without figures, where nearly all words are shared. Whether the sources are independent is left to
//! the caller.

mod amount;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::claim::align::Alignment;
use crate::claim::lexicon::{LEXICON, lines};
use crate::claim::oppose::{Opposite, oppose};
use crate::claim::reading::{SentenceReader, SentenceWord};
use crate::span::outside_brackets;
use crate::terms::Terms;
use crate::{Language, Span};

use super::consistency::Statement;
use super::times::{NamedTimes, is_autumn};
use amount::{Amount, amounts};

/// More statements are not compared: the work grows with the pairs.
const STATEMENTS_MOST: usize = 400;

/// Clauses with figures share so many terms, and so much of what either says, weighed by rarity. Without figures the
/// whole sentence shares twice as much.
const TERMS_SHARED: usize = 2;
const SHARE_SHARED: f64 = 0.35;

/// The lines of opposites that tell of more and less: the first three.
const MORE_OR_LESS: std::ops::Range<usize> = 0..3;

/// Every listed word behind the name of its list: "cooler" stands in "less temperature".
static WORDS: LazyLock<BTreeSet<(&str, &str)>> = LazyLock::new(|| {
    let each = |(name, words): (_, &'static str)| words.split(' ').map(move |word| (name, word));
    named_lists().flat_map(each).collect()
});

/// For a term, the one that stands for all that mean the same.
static EQUAL: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let terms = Terms::new(Language::ENGLISH);
    let mut equal = BTreeMap::new();
    for (_, words) in named_lists().filter(|(name, _)| *name == "equal") {
        let mut group = words.split(' ').map(|word| terms.term(word)).peekable();
        let first = group.peek().cloned().unwrap_or_default();
        equal.extend(group.map(|term| (term, first.clone())));
    }
    equal
});

fn named_lists() -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(include_str!("agreement/words.txt")).filter_map(|line| line.split_once(": "))
}

/// A part of a sentence that says something by itself, with the circumstances that are told around it.
#[derive(Default)]
struct Clause {
    /// Its words, without what it is held against.
    words: Vec<SentenceWord>,
    /// What it is about, and that together with its circumstances.
    core: BTreeSet<String>,
    terms: BTreeSet<String>,
    /// What it is held against: "… than in the sun".
    against: BTreeSet<String>,
    /// What it measures, and how long it took where something else is measured.
    amounts: Vec<Amount>,
    lasting: Vec<Amount>,
    /// Whether it tells of more (true), of less, or of both.
    ways: BTreeSet<bool>,
    /// What must stand in both: the terms that are denied, nothing for the whole, and prepositions with an opposite.
    turned_by: BTreeSet<String>,
    times: NamedTimes,
}

/// What a word does in its clause.
#[derive(Clone, Copy, PartialEq)]
enum WordRole {
    /// It says what the clause is about.
    Substance,
    /// A part of an amount, or another number.
    Figure,
    /// A unit, or what says no more than the unit does.
    Unit,
    Way(bool),
    Preposition,
    Time,
    Other,
}

/// The pairs of statements that agree, by their places, in order.
pub fn agreements(statements: &[Statement<'_>], language: Language) -> Vec<(usize, usize)> {
    let reader = SentenceReader::new(language);
    let seen = statements.iter().take(STATEMENTS_MOST);
    let read: Vec<Vec<Clause>> = seen.map(|one| clauses(one.text, &reader)).collect();
    let mut held: BTreeMap<&str, f64> = BTreeMap::new();
    for term in read.iter().flatten().flat_map(|one| &one.terms) {
        *held.entry(term).or_default() += 1.0;
    }
    let count = read.len() as f64;
    let weigh = |term: &String| (1.0 + count / held.get(term.as_str()).unwrap_or(&1.0)).ln();
    let mut pairs = Vec::new();
    for (l, left) in read.iter().enumerate() {
        let agrees = |one: &Clause| left.iter().any(|other| other.agrees_with(one, &weigh));
        let later = read.iter().enumerate().skip(l + 1);
        let agreeing = later.filter(|(_, right)| right.iter().any(agrees));
        pairs.extend(agreeing.map(|(r, _)| (l, r)));
    }
    pairs
}

/// The clauses of a sentence that measure something, or the whole of a sentence without figures.
fn clauses(text: &str, reader: &SentenceReader) -> Vec<Clause> {
    let plain = outside_brackets(text);
    let outside = |span: Span| plain.iter().any(|part| part.holds(span));
    let mut words = reader.read(text);
    words.retain(|word| outside(word.span));
    // A season points no way.
    let seasons = words.iter_mut().filter(|word| is_autumn(text, word.span));
    seasons.for_each(|word| word.directions = &[]);
    let told = amounts(text).into_iter().filter(|one| outside(one.span));
    let (counts, told): (Vec<Amount>, _) = told.partition(|one| one.unit.is_none());
    let (mut lasting, mut measured): (Vec<_>, _) = told.into_iter().partition(Amount::is_time);
    if measured.is_empty() {
        // Times are told of almost everything; they are what is measured only where nothing else is.
        std::mem::swap(&mut lasting, &mut measured);
    }
    if measured.is_empty() {
        return vec![Clause::new(text, &words, &counts, &[])];
    }
    let parts = words.chunk_by(|one, next| one.clause == next.clause);
    let parts = parts.map(|part| Clause::new(text, part, &measured, &lasting));
    let (mut clauses, around): (Vec<Clause>, Vec<Clause>) = parts.partition(Clause::says_something);
    clauses.retain(|one| !one.amounts.is_empty());
    let whole = Clause::new(text, &words, &measured, &lasting);
    for clause in &mut clauses {
        around.iter().for_each(|one| clause.join(one));
        clause.times = clause.times.or(&whole.times);
    }
    if clauses.is_empty() {
        // The figure stands apart from what it measures: only the whole sentence tells.
        clauses.push(whole);
    }
    clauses
}

impl Clause {
    fn new(text: &str, words: &[SentenceWord], measured: &[Amount], lasting: &[Amount]) -> Self {
        let inside = |all: &[Amount]| -> Vec<Amount> {
            let holds = |one: &&Amount| words.iter().any(|word| word.span.overlaps(one.span));
            all.iter().filter(holds).cloned().collect()
        };
        let own = inside(measured);
        // What a unit implies is implied around its figure too.
        let units = if own.is_empty() { measured } else { &own };
        let mut clause = Self {
            amounts: own.clone(),
            lasting: inside(lasting),
            times: NamedTimes::read_words(text, words.iter().map(|word| word.span)),
            ..Self::default()
        };
        let role_at = |at: usize| role(text, words, at, units);
        let (mut tied, mut counted, mut against) = (false, false, false);
        for (at, word) in words.iter().enumerate() {
            let (lower, role, next) = (lower(text, word), role_at(at), role_at(at + 1));
            let part = counted && lower == "of";
            let side = counted && matches!(lower.as_str(), "above" | "below");
            counted =
                matches!(role, WordRole::Figure | WordRole::Unit) || (counted && lower == "the");
            if against && role == WordRole::Substance {
                clause.against.insert(term(text, word, words.get(at + 1)));
            } else if side {
                clause.ways.insert(lower == "above");
            }
            against |= side || (is_listed("against", &lower) && next != WordRole::Figure);
            if against {
                continue;
            }
            clause.words.push(word.clone());
            if word.denies || matches!(lower.as_str(), "no" | "not") {
                let single = matches!(lower.as_str(), "not" | "without");
                let denied = words
                    .get(at + 1)
                    .filter(|_| single && next == WordRole::Substance);
                let denied = denied.map(|word| term(text, word, None));
                clause.turned_by.insert(denied.unwrap_or_default());
            }
            let opposable = !word.directions.is_empty() && !is_listed("ordinals", &lower);
            match role {
                // "Closed canopy" is told apart from open canopy by its opposite alone.
                WordRole::Substance if opposable && next == WordRole::Substance => {}
                WordRole::Substance => {
                    let term = term(text, word, words.get(at + 1));
                    if !tied || opposable {
                        clause.core.insert(term.clone());
                    }
                    clause.terms.insert(term);
                    tied &= next == WordRole::Substance;
                }
                WordRole::Preposition => {
                    // "35 percent of the trees" is about the trees.
                    tied = !part;
                    let opposed = is_listed("opposed", &lower);
                    clause.turned_by.extend(opposed.then_some(lower));
                }
                WordRole::Way(up) => _ = clause.ways.insert(up),
                // "At noon the rooms" is about the rooms.
                WordRole::Time => tied = false,
                WordRole::Figure | WordRole::Unit | WordRole::Other => {}
            }
        }
        clause
    }

    /// Whether it is about something, or measures something by a word that points a way.
    fn says_something(&self) -> bool {
        let open = self.amounts.is_empty() || self.terms.is_empty() || self.ways.is_empty();
        !open || !self.core.is_empty()
    }

    fn measures(&self) -> bool {
        self.amounts.iter().any(|one| one.unit.is_some())
    }

    /// Takes in circumstances that are told around it.
    fn join(&mut self, around: &Self) {
        self.terms.extend(around.terms.iter().cloned());
        self.against.extend(around.against.iter().cloned());
        self.turned_by.extend(around.turned_by.iter().cloned());
        self.lasting.extend(around.lasting.iter().cloned());
    }

    fn agrees_with(&self, other: &Self, weigh: &dyn Fn(&String) -> f64) -> bool {
        let compared = !self.against.is_empty() && !other.against.is_empty();
        let as_long = |one: &Amount| other.lasting.iter().any(|it| one.is_near(it));
        self.amounts_agree(other)
            && self.ways == other.ways
            && self.turned_by == other.turned_by
            && self.is_about(other, weigh)
            && !self.times.differ_from(&other.times)
            && !(compared && self.against.is_disjoint(&other.against))
            && (other.lasting.is_empty() || self.lasting.iter().all(as_long))
            && !self.is_opposed(other)
    }

    /// Whether every amount of the one with fewer has one near it in the other; of counts, every one of both.
    fn amounts_agree(&self, other: &Self) -> bool {
        let near = |one: &Self, other: &Self| {
            let told = |amount: &Amount| other.amounts.iter().any(|it| amount.is_near(it));
            one.amounts.iter().all(told)
        };
        let (here, there) = (near(self, other), near(other, self));
        (here && there) || ((here || there) && self.measures() && other.measures())
    }

    /// Whether two clauses are about the same: they share enough, and only one tells more, of circumstances alone.
    fn is_about(&self, other: &Self, weigh: &dyn Fn(&String) -> f64) -> bool {
        let times = if self.measures() { 1 } else { 2 };
        let bare = self.core.is_empty() && other.core.is_empty() && !self.ways.is_empty();
        let sum = |terms: &mut dyn Iterator<Item = &String>| terms.map(weigh).sum::<f64>();
        let shared = || self.terms.intersection(&other.terms);
        let whole = sum(&mut self.terms.iter()).max(sum(&mut other.terms.iter()));
        let day = usize::from(self.times.share_time_of_day(&other.times));
        (bare || !self.core.is_disjoint(&other.core))
            && self.core.is_subset(&other.terms)
            && other.core.is_subset(&self.terms)
            && (self.terms.is_subset(&other.terms) || other.terms.is_subset(&self.terms))
            && shared().count() + day >= TERMS_SHARED * times
            && sum(&mut shared()) >= SHARE_SHARED * times as f64 * whole
    }

    /// Whether words of the two stand against each other. Where both are denied, how far a denial reaches is no matter.
    fn is_opposed(&self, other: &Self) -> bool {
        let pairs = Alignment::new(&self.words, &other.words);
        let found = oppose(&self.words, &other.words, &pairs);
        found.is_some_and(|found| !self.turned_by.contains("") || found.kind == Opposite::Turned)
    }
}

/// What a word of substance says, in one form for all that mean the same. An ordinal goes with what it counts.
fn term(text: &str, word: &SentenceWord, next: Option<&SentenceWord>) -> String {
    let term = EQUAL.get(&word.term).unwrap_or(&word.term);
    let counted = next.filter(|_| is_listed("ordinals", &lower(text, word)));
    counted.map_or(term.clone(), |next| format!("{term} {}", next.term))
}

fn lower(text: &str, word: &SentenceWord) -> String {
    word.span.of(text).unwrap_or_default().to_lowercase()
}

fn is_listed(list: &str, word: &str) -> bool {
    WORDS.contains(&(list, word))
}

fn role(text: &str, words: &[SentenceWord], at: usize, amounts: &[Amount]) -> WordRole {
    let is_figure = |word: &SentenceWord| {
        word.is_number() || amounts.iter().any(|one| one.span.overlaps(word.span))
    };
    let Some(word) = words.get(at) else {
        return WordRole::Other;
    };
    let lower = lower(text, word);
    let has = |list: &str| is_listed(list, &lower);
    let of_unit = |list: &str| {
        let mut units = amounts.iter().filter_map(|one| one.unit.as_deref());
        has(list) || units.any(|unit| has(&format!("{list} {unit}")))
    };
    let leads = words
        .get(at + 1)
        .is_some_and(|next| is_figure(next) || self::lower(text, next) == "than");
    let mut ways = word.directions.iter();
    if is_figure(word) {
        WordRole::Figure
    } else if has("ordinals") {
        WordRole::Substance
    } else if LEXICON.units.contains_key(lower.as_str()) || of_unit("implied") {
        WordRole::Unit
    } else if NamedTimes::names(text, word.span) {
        WordRole::Time
    } else if has("prepositions") {
        WordRole::Preposition
    } else if of_unit("more") || of_unit("less") {
        WordRole::Way(of_unit("more"))
    } else if let Some(way) = ways.find(|way| MORE_OR_LESS.contains(&way.axis)) {
        WordRole::Way(way.up)
    } else if !word.content || word.denies || has("light") || (has("before") && leads) {
        WordRole::Other
    } else {
        WordRole::Substance
    }
}

/// Whether the figures of two sentences are nearly the same: a tenth or so apart is no conflict.
pub fn figures_are_close(left: &str, right: &str) -> bool {
    let told = |text: &str| {
        let plain = outside_brackets(text);
        let mut told = amounts(text);
        told.retain(|one| one.unit.is_some() && !one.is_time());
        told.retain(|one| plain.iter().any(|part| part.holds(one.span)));
        told
    };
    let (left, right) = (told(left), told(right));
    let close = |one: &Amount| right.iter().any(|other| one.is_close(other));
    !left.is_empty() && left.iter().all(close)
}

#[cfg(test)]
mod tests;
