//! The phrases of a clause: what it is about, and the circumstances that prepositions tie to that.
//!
//! Takes the words of a sentence as read; gives runs of words of substance, each with its last word as head
//! and the preposition before it, if there is one. No grammar: verbs that point a way or only tie a
//! figure to its measure end a run, and any other verb counts as a part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::Language;
use crate::claim::lexicon::{LEXICON, lines};
use crate::claim::reading::Word;
use crate::terms::Terms;

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let list = |wanted: &str| {
        let named = lines(include_str!("words.txt")).filter_map(|line| line.split_once(": "));
        let own = named.filter(|(name, _)| *name == wanted);
        own.flat_map(|(_, words)| words.split_whitespace())
            .collect()
    };
    Words {
        prepositions: list("prepositions"),
        joins: list("joins"),
        light: list("light"),
        equal: equals(),
    }
});

struct Words {
    prepositions: BTreeSet<&'static str>,
    joins: BTreeSet<&'static str>,
    light: BTreeSet<&'static str>,
    /// Of a stem: the first of its group.
    equal: BTreeMap<String, String>,
}

fn equals() -> BTreeMap<String, String> {
    let terms = Terms::new(Language::ENGLISH);
    let mut all = BTreeMap::new();
    for line in lines(include_str!("words.txt")) {
        let group = line.strip_prefix("equal: ").unwrap_or_default();
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
pub(super) fn term(word: &Word) -> &str {
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
}

/// Whether a word says what a clause is about.
pub(super) fn has_substance(word: &Word, written: &str) -> bool {
    word.content
        && !word.denies
        && word.directions.is_empty()
        && !word.is_number()
        && !LEXICON.units.contains_key(written)
        && !WORDS.light.contains(written)
        && !WORDS.prepositions.contains(written)
}

/// Prepositions before the name of a place.
pub(super) fn is_place(tie: &str) -> bool {
    matches!(tie, "in" | "at" | "near")
}

/// Whether two prepositions stand against each other.
pub(super) fn are_opposite(one: Option<&str>, other: Option<&str>) -> bool {
    let opposite = [
        ("for", "against"),
        ("with", "without"),
        ("before", "after"),
        ("above", "below"),
        ("over", "under"),
        ("to", "from"),
    ];
    let pair = one.zip(other);
    pair.is_some_and(|(a, b)| opposite.contains(&(a, b)) || opposite.contains(&(b, a)))
}

/// The phrases of some words of one sentence.
pub(super) fn phrases(text: &str, words: &[&Word]) -> Vec<Phrase> {
    let mut found: Vec<Phrase> = Vec::new();
    let mut open: Option<Phrase> = None;
    let (mut tie, mut joins, mut counted) = (None, false, false);
    for word in words {
        let written = word.span.of(text).unwrap_or_default();
        let lower = written.to_lowercase();
        if !has_substance(word, &lower) {
            if let Some(done) = open.take() {
                (tie, joins) = (None, false);
                found.push(done);
            }
            joins |= WORDS.joins.contains(lower.as_str());
            // "35 percent of the trees" is about the trees.
            let part = counted && lower == "of";
            tie = match WORDS.prepositions.get(lower.as_str()) {
                Some(_) if part => None,
                Some(held) => Some(*held),
                None => tie,
            };
            let unit = LEXICON.units.contains_key(lower.as_str());
            counted = word.is_number() || unit || (counted && lower == "the");
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
            }
        });
        phrase.terms.push(term(word).to_owned());
        phrase.named |= named;
    }
    found.extend(open);
    found
}
