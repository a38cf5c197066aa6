//! The phrases of a clause: what it is about, the circumstances that prepositions tie to that, and what it is held
//! against.
//!
//! Takes the words of a clause as read, and its amounts; gives runs of words of substance, each with its last word as
//! head and the preposition before it, if there is one. No grammar: verbs that point a way or only tie a
//! figure to its measure end a run, and any other verb counts as a part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::amount::Amount;
use super::{clock, when};
use crate::Language;
use crate::claim::lexicon::{LEXICON, lines};
use crate::claim::reading::SentenceWord;
use crate::terms::Terms;

/// How the names of units begin that instruments show.
const PHYSICAL: [&str; 5] = ["temperature", "pressure", "length_", "mass_", "volume_"];

static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
    prepositions: list("prepositions"),
    joins: list("joins"),
    against: list("against"),
    light: list("light"),
    before: list("before"),
    instruments: instruments(),
    implied: of_units("implied"),
    more: of_units("more"),
    less: of_units("less"),
    equal: equals(),
});

type OfUnit = BTreeSet<(&'static str, &'static str)>;

struct Words {
    prepositions: BTreeSet<&'static str>,
    joins: BTreeSet<&'static str>,
    against: BTreeSet<&'static str>,
    light: BTreeSet<&'static str>,
    before: BTreeSet<&'static str>,
    /// Terms.
    instruments: BTreeSet<String>,
    /// Units, and words that say no more than they do, or that tell of more or less of what they measure.
    implied: OfUnit,
    more: OfUnit,
    less: OfUnit,
    /// Of a stem: the first of its group.
    equal: BTreeMap<String, String>,
}

fn named(wanted: &str) -> impl Iterator<Item = &'static str> {
    let lines = lines(include_str!("words.txt")).filter_map(|line| line.split_once(": "));
    lines
        .filter(move |(name, _)| *name == wanted)
        .map(|(_, words)| words)
}

fn list(wanted: &str) -> BTreeSet<&'static str> {
    named(wanted).flat_map(str::split_whitespace).collect()
}

fn of_units(wanted: &str) -> OfUnit {
    let one = |line: &'static str| {
        let (unit, words) = line.split_once(' ').unwrap_or((line, ""));
        words.split_whitespace().map(move |word| (unit, word))
    };
    named(wanted).flat_map(one).collect()
}

fn instruments() -> BTreeSet<String> {
    let terms = Terms::new(Language::ENGLISH);
    let all = list("instruments");
    all.into_iter().map(|word| terms.term(word)).collect()
}

fn equals() -> BTreeMap<String, String> {
    let terms = Terms::new(Language::ENGLISH);
    let mut all = BTreeMap::new();
    for group in named("equal") {
        let mut group = group.split_whitespace().map(|word| terms.term(word));
        let Some(first) = group.next() else {
            continue;
        };
        for other in group.chain([first.clone()]) {
            all.insert(other, first.clone());
        }
    }
    all
}

/// One term for all that mean the same.
pub(super) fn term(word: &SentenceWord) -> &str {
    WORDS.equal.get(&word.term).unwrap_or(&word.term)
}

/// A run of words of substance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    pub(super) terms: Vec<String>,
    /// What ties it to the clause; nothing for what the clause itself is about.
    pub(super) tie: Option<&'static str>,
    /// It holds a name, or what may be one.
    pub(super) named: bool,
    /// It is what the clause is held against: "… than in the sun".
    pub(super) against: bool,
}

impl Phrase {
    pub(super) fn head(&self) -> &str {
        self.terms.last().map_or("", String::as_str)
    }

    /// All but the head.
    pub(super) fn modifiers(&self) -> BTreeSet<&str> {
        let before = self.terms.split_last().map_or(&[][..], |(_, rest)| rest);
        before.iter().map(String::as_str).collect()
    }

    /// The same head, and of the words before it one has no more than the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (here, there) = (self.modifiers(), other.modifiers());
        self.head() == other.head() && (here.is_subset(&there) || there.is_subset(&here))
    }
}

/// What a word does in a clause with these amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It says what the clause is about.
    Substance,
    /// A unit tells of more or of less by this word.
    Way { up: bool },
    /// It says no more than a unit does.
    Implied,
    /// It ties, counts, denies, points a way, or tells when.
    Other,
}

pub(super) fn role(
    text: &str,
    word: &SentenceWord,
    next: Option<&SentenceWord>,
    amounts: &[Amount],
) -> Role {
    let lower = lower(text, word);
    let lower = lower.as_str();
    let told = |of: &OfUnit| {
        let mut units = amounts.iter().map(|one| one.unit.as_str());
        units.any(|unit| of.contains(&(unit, lower)))
    };
    let counted = is_counted(word, amounts);
    let ties = || {
        let than =
            |next: &SentenceWord| is_counted(next, amounts) || self::lower(text, next) == "than";
        WORDS.before.contains(lower) && next.is_some_and(than)
    };
    let plain = word.content
        && !word.denies
        && word.directions.is_empty()
        && !word.is_number()
        && !LEXICON.units.contains_key(lower)
        && !WORDS.light.contains(lower)
        && !WORDS.prepositions.contains(lower)
        && !when::is_day(lower)
        && !clock::is_part(text, word.span)
        && !ties();
    if counted {
        Role::Other
    } else if told(&WORDS.more) {
        Role::Way { up: true }
    } else if told(&WORDS.less) {
        Role::Way { up: false }
    } else if told(&WORDS.implied) {
        Role::Implied
    } else if plain {
        Role::Substance
    } else {
        Role::Other
    }
}

fn lower(text: &str, word: &SentenceWord) -> String {
    word.span.of(text).unwrap_or_default().to_lowercase()
}

/// Whether a word is a part of an amount.
pub(super) fn is_counted(word: &SentenceWord, amounts: &[Amount]) -> bool {
    amounts.iter().any(|one| one.span.overlaps(word.span))
}

/// Whether a phrase names only what the figures were read from: "sensors", "with shielded instruments". What costs money
/// or makes a share is no instrument.
fn is_instrument(phrase: &Phrase, amounts: &[Amount]) -> bool {
    let physical = |one: &Amount| PHYSICAL.iter().any(|kind| one.unit.starts_with(kind));
    let named = |term: &str| WORDS.instruments.contains(term);
    let shown = !amounts.is_empty() && phrase.terms.iter().all(|term| named(term));
    let with = phrase.tie == Some("with") && named(phrase.head());
    amounts.iter().all(physical) && (shown || with)
}

/// Whether two prepositions stand against each other.
pub(super) fn are_opposite(one: Option<&str>, other: Option<&str>) -> bool {
    let opposite = [
        ("for", "against"),
        ("with", "without"),
        ("before", "after"),
        ("above", "under"),
        ("over", "under"),
        ("to", "from"),
    ];
    let pair = one.zip(other);
    pair.is_some_and(|(a, b)| opposite.contains(&(a, b)) || opposite.contains(&(b, a)))
}

/// The place in a clause from which on stands what it is held against: "than in the sun", and "the sun" in
/// "2 °C below the sun". "Further than 30 metres" tells only how far.
pub(super) fn held_against(text: &str, words: &[&SentenceWord], amounts: &[Amount]) -> usize {
    let counted = |word: &SentenceWord| is_counted(word, amounts);
    let begins = |at: &usize| {
        let (Some(word), next) = (words.get(*at), words.get(at + 1)) else {
            return false;
        };
        let lower = lower(text, word);
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let beside = before.is_some_and(|word| counted(word) || is_unit(text, word));
        let number = next.is_none_or(|next| counted(next) || next.is_number());
        let compares = WORDS.against.contains(lower.as_str()) && !counted(word) && !number;
        compares || (beside && side(&lower).is_some())
    };
    (0..words.len()).find(begins).unwrap_or(words.len())
}

/// Which way "2 °C below" and "2 °C above" point.
pub(super) fn side(lower: &str) -> Option<bool> {
    match lower {
        "above" => Some(true),
        "below" => Some(false),
        _ => None,
    }
}

fn is_unit(text: &str, word: &SentenceWord) -> bool {
    let lower = lower(text, word);
    LEXICON.units.contains_key(lower.as_str()) || matches!(lower.as_str(), "c" | "f")
}

/// The phrases of some words of one sentence.
pub(super) fn phrases(text: &str, words: &[&SentenceWord], amounts: &[Amount]) -> Vec<Phrase> {
    let mut found: Vec<Phrase> = Vec::new();
    let mut open: Option<Phrase> = None;
    let (mut tie, mut joins, mut counted) = (None, false, false);
    let against = held_against(text, words, amounts);
    for (at, word) in words.iter().enumerate() {
        let written = word.span.of(text).unwrap_or_default();
        let lower = written.to_lowercase();
        let role = role(text, word, words.get(at + 1).copied(), amounts);
        if role != Role::Substance {
            if let Some(done) = open.take() {
                (tie, joins) = (None, false);
                found.push(done);
            }
            joins |= WORDS.joins.contains(lower.as_str());
            // "35 percent of the trees" and "the price of the trees" are about the trees.
            let part = counted && lower == "of";
            tie = match WORDS.prepositions.get(lower.as_str()) {
                Some(_) if part => None,
                Some(held) => Some(tied(held)),
                None => tie,
            };
            if when::is_time(&lower) || clock::is_part(text, word.span) {
                // "At noon the rooms" and "in 2023 the rooms" are about the rooms.
                tie = None;
            }
            let unit = LEXICON.units.contains_key(lower.as_str()) || role == Role::Implied;
            let inside = is_counted(word, amounts);
            counted = word.is_number() || unit || inside || (counted && lower == "the");
            continue;
        }
        counted = false;
        let named = word.span.start > 0 && written.starts_with(char::is_uppercase);
        let phrase = open.get_or_insert_with(|| {
            let before = found.last().and_then(|last: &Phrase| last.tie);
            Phrase {
                terms: Vec::new(),
                tie: tie.or(if joins { before } else { None }),
                named: false,
                against: at >= against,
            }
        });
        phrase.terms.push(term(word).to_owned());
        phrase.named |= named;
    }
    found.extend(open);
    found.retain(|phrase| !is_instrument(phrase, amounts));
    found
}

/// One preposition for all that mean the same.
fn tied(preposition: &'static str) -> &'static str {
    match preposition {
        "below" | "beneath" | "underneath" => "under",
        other => other,
    }
}
