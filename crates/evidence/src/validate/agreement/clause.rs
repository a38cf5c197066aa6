//! A part of a sentence that says something by itself, with the circumstances told around it, and whether two of them
//! say the same of the same thing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::amount::Amount;
use super::ordinal::Ordinals;
use super::phrase::{
    Phrase, Role, are_opposite, held_against, is_counted, phrases, role, side, term,
};
use super::when::When;
use crate::Span;
use crate::claim::align::Alignment;
use crate::claim::lexicon::LEXICON;
use crate::claim::oppose::{Opposite, oppose};
use crate::claim::reading::SentenceWord;

/// The lines of opposites that tell of more and less: the first three of the list.
const MORE_OR_LESS: std::ops::Range<usize> = 0..3;

/// Lines of opposites that tell what became of something, each by one of its words. The others only describe.
const OUTCOMES: [&str; 10] = [
    "improv", "activ", "confirm", "posit", "win", "succeed", "surviv", "buy", "accept", "effect",
];

static OUTCOME_LINES: LazyLock<BTreeSet<usize>> = LazyLock::new(|| {
    let found = OUTCOMES
        .iter()
        .filter_map(|term| LEXICON.directions.get(*term));
    found.flatten().map(|one| one.axis).collect()
});

pub(super) struct Clause {
    /// Its words, without what it is held against.
    words: Vec<SentenceWord>,
    /// What it is about, what is tied to that, and what it is held against.
    core: Vec<Phrase>,
    tied: Vec<Phrase>,
    against: Vec<Phrase>,
    /// The terms of what it is about and of its circumstances.
    pub(super) terms: BTreeSet<String>,
    pub(super) amounts: Vec<Amount>,
    /// How long it took or was followed, where something else is measured.
    lasting: Vec<Amount>,
    /// Whether it tells of more, and of less.
    ways: (bool, bool),
    /// Lines of opposites on which it tells what became of something, and the side.
    outcomes: BTreeSet<(usize, bool)>,
    /// It is denied as a whole.
    denied: bool,
    /// What it was without.
    without: BTreeSet<String>,
    when: When,
    ordinals: Ordinals,
}

/// The clauses of a sentence that are about something. Those that only tell circumstances join the others.
pub(super) fn clauses(text: &str, words: &[SentenceWord], told: &[Amount]) -> Vec<Clause> {
    let mut parts: BTreeMap<usize, Vec<&SentenceWord>> = BTreeMap::new();
    for word in words {
        parts.entry(word.clause).or_default().push(word);
    }
    let measured: Vec<Amount> = match told.iter().any(|one| !one.is_time()) {
        // Times are told of almost everything; they are what is measured only where nothing else is.
        true => told.iter().filter(|one| !one.is_time()).cloned().collect(),
        false => told.to_vec(),
    };
    let lasting: Vec<Amount> = told
        .iter()
        .filter(|one| !measured.contains(one))
        .cloned()
        .collect();
    let made = |part: &[&SentenceWord]| Clause::new(text, part, &measured, &lasting);
    let all: Vec<Clause> = parts.values().map(|part| made(part)).collect();
    let (mut clauses, around): (Vec<Clause>, Vec<Clause>) =
        all.into_iter().partition(|one| one.says_something());
    let whole = clauses.iter().all(|one| one.amounts.is_empty());
    let every: Vec<&SentenceWord> = words.iter().collect();
    if !measured.is_empty() && whole {
        // The figure stands apart from what it measures: only the whole sentence tells.
        return vec![made(&every)];
    }
    let named = When::of(text, words.iter().map(|word| word.span));
    let ordered = Ordinals::of(text, &every, told);
    for clause in &mut clauses {
        around.iter().for_each(|one| clause.join(one));
        clause.when = clause.when.or(&named);
        if clause.ordinals.is_empty() {
            clause.ordinals.join(&ordered);
        }
    }
    clauses
}

impl Clause {
    fn new(text: &str, words: &[&SentenceWord], measured: &[Amount], lasting: &[Amount]) -> Self {
        let inside = |span: Span| words.iter().any(|word| word.span.overlaps(span));
        let own = |all: &[Amount]| -> Vec<Amount> {
            let own = all.iter().filter(|one| inside(one.span));
            own.cloned().collect()
        };
        let amounts = own(measured);
        // What a unit implies is implied around its figure too.
        let units = match amounts.is_empty() {
            true => measured,
            false => &amounts,
        };
        let found = phrases(text, words, units);
        let (against, found): (Vec<Phrase>, Vec<Phrase>) =
            found.into_iter().partition(|one| one.against);
        let (core, tied): (Vec<Phrase>, Vec<Phrase>) =
            found.into_iter().partition(|one| one.tie.is_none());
        let terms = core.iter().chain(&tied).flat_map(|one| one.terms.clone());
        let end = held_against(text, words, units);
        let mut made = Self {
            terms: terms.collect(),
            core,
            tied,
            against,
            lasting: own(lasting),
            ways: (false, false),
            outcomes: BTreeSet::new(),
            denied: false,
            without: BTreeSet::new(),
            when: When::of(text, words.iter().map(|word| word.span)),
            ordinals: Ordinals::of(text, words, measured),
            words: words.iter().take(end).map(|word| (*word).clone()).collect(),
            amounts,
        };
        for (at, word) in words.iter().enumerate().take(end + 1) {
            let rest = words.get(at + 1..).unwrap_or_default();
            made.point(text, word, rest, at == end);
            if at < end {
                made.deny(text, word, rest);
            }
        }
        made
    }

    /// Takes in which way a word points. One that only begins what the clause is held against may say it too.
    fn point(&mut self, text: &str, word: &SentenceWord, rest: &[&SentenceWord], last: bool) {
        let lower = word.span.of(text).unwrap_or_default().to_lowercase();
        if is_counted(word, &self.amounts) {
            return;
        }
        let role = role(text, word, rest.first().copied(), &self.amounts);
        let mut go = |up: bool| match up {
            true => self.ways.0 = true,
            false => self.ways.1 = true,
        };
        match (role, side(&lower)) {
            (Role::Way { up }, _) => go(up),
            (_, Some(up)) if last => go(up),
            _ => {}
        }
        for one in word.directions {
            if MORE_OR_LESS.contains(&one.axis) {
                go(one.up);
            } else if OUTCOME_LINES.contains(&one.axis) {
                self.outcomes.insert((one.axis, one.up));
            }
        }
    }

    /// Takes in a denial: of the word behind it where that says what something was like, else of the whole.
    fn deny(&mut self, text: &str, word: &SentenceWord, rest: &[&SentenceWord]) {
        if !word.denies || is_counted(word, &self.amounts) {
            return;
        }
        let lower = word.span.of(text).unwrap_or_default().to_lowercase();
        let single = matches!(lower.as_str(), "not" | "without");
        let of = rest.first().filter(|next| {
            let role = role(text, next, rest.get(1).copied(), &self.amounts);
            single && role == Role::Substance
        });
        match of {
            Some(next) => {
                self.without.insert(term(next).to_owned());
            }
            None => self.denied = true,
        }
    }

    /// Whether it is about something, or measures something by a word that points a way.
    fn says_something(&self) -> bool {
        let measures = !self.amounts.is_empty() && !self.tied.is_empty();
        !self.core.is_empty() || (measures && self.points())
    }

    /// Whether it says which way something went, or what became of it.
    fn points(&self) -> bool {
        self.ways != (false, false) || !self.outcomes.is_empty()
    }

    /// What it says in terms and times of day.
    pub(super) fn told(&self) -> impl Iterator<Item = String> {
        let days = self.when.days().iter().map(|day| (*day).to_owned());
        self.terms.iter().cloned().chain(days)
    }

    /// Takes in circumstances that are told around it.
    fn join(&mut self, around: &Self) {
        self.tied.extend(around.tied.iter().cloned());
        self.against.extend(around.against.iter().cloned());
        self.terms.extend(around.terms.iter().cloned());
        self.lasting.extend(around.lasting.iter().cloned());
        self.without.extend(around.without.iter().cloned());
        self.ordinals.join(&around.ordinals);
        self.denied |= around.denied;
    }

    /// Whether two clauses say the same of the same thing, as far as anything but amounts and the share of common
    /// words tells.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.ways == other.ways
            && self.outcomes == other.outcomes
            && self.denied == other.denied
            && self.without == other.without
            && self.is_about(other)
            && !self.is_elsewhere(other)
            && !self.is_held_against_another(other)
            && !self.is_opposed(other)
    }

    /// Whether words of the two stand against each other. Where both are denied, how far a denial reaches is no
    /// matter.
    fn is_opposed(&self, other: &Self) -> bool {
        let pairs = Alignment::new(&self.words, &other.words);
        let found = oppose(&self.words, &other.words, &pairs);
        found.is_some_and(|found| !self.denied || found.kind == Opposite::Turned)
    }

    /// The times of day that both name.
    pub(super) fn shared_days(&self, other: &Self) -> Vec<&'static str> {
        let (here, there) = (self.when.days(), other.when.days());
        here.intersection(there).copied().collect()
    }

    /// Whether two clauses are about the same: they have a phrase in common, and every word of what either
    /// is about stands in the other too. Where neither names more than its unit does, the circumstances must be the same.
    fn is_about(&self, other: &Self) -> bool {
        let told = |one: &Self, there: &Self| one.core.iter().all(|phrase| there.tells(phrase));
        if self.core.is_empty() && other.core.is_empty() {
            if !self.points() {
                return false;
            }
            let same = |one: &Phrase| {
                let mut theirs = other.tied.iter();
                theirs.any(|it| it.tie == one.tie && it.is_same(one))
            };
            return self.tied.iter().any(same);
        }
        let shared = |one: &Phrase| other.core.iter().any(|there| one.is_same(there));
        self.core.iter().any(shared) && told(self, other) && told(other, self)
    }

    /// Whether all terms of a phrase stand here.
    fn tells(&self, phrase: &Phrase) -> bool {
        phrase.terms.iter().all(|term| self.terms.contains(term))
    }

    /// Whether the two tell other circumstances: "in men" and "in children", "with care" and "without care", "at
    /// noon" and "at night", "in Rome" and "of Paris", "after a year" and "after ten", "in the first year" and
    /// "in the tenth". Where each tells one that
    /// the other is silent on, they may be cases of their own.
    fn is_elsewhere(&self, other: &Self) -> bool {
        let replaced = self.tied.iter().any(|one| {
            let mut theirs = other.tied.iter();
            theirs.any(|it| self.is_replaced(one, other, it))
        });
        let names = |clause: &Self| -> BTreeSet<String> {
            let named = clause.tied.iter().filter(|phrase| phrase.named);
            named.flat_map(|phrase| phrase.terms.clone()).collect()
        };
        let (here, there) = (names(self), names(other));
        let named = !here.is_empty() && !there.is_empty() && here.is_disjoint(&there);
        let strange = |one: &Self, there: &Self| one.tied.iter().any(|it| !there.tells(it));
        let apart = strange(self, other) && strange(other, self);
        let told = replaced || named || apart || self.lasts_otherwise(other);
        told || self.when.is_other(&other.when) || self.ordinals.is_other(&other.ordinals)
    }

    fn lasts_otherwise(&self, other: &Self) -> bool {
        let near = |one: &Amount| other.lasting.iter().any(|it| one.lasts_like(it));
        let both = !self.lasting.is_empty() && !other.lasting.is_empty();
        both && !self.lasting.iter().any(near)
    }

    /// Whether one tied phrase stands in the place of another.
    fn is_replaced(&self, one: &Phrase, other: &Self, it: &Phrase) -> bool {
        if one.tie != it.tie {
            return one.is_same(it) && are_opposite(one.tie, it.tie);
        }
        let strange = |phrase: &Phrase, there: &Self| !there.tells(phrase);
        !one.is_same(it) && strange(one, other) && strange(it, self)
    }

    /// Whether both are held against something, and not the same. To be held against the like without what the
    /// clause is about goes without saying.
    fn is_held_against_another(&self, other: &Self) -> bool {
        let telling = |clause: &Self| -> Vec<Phrase> {
            let plain = |one: &&Phrase| one.tie == Some("without") && clause.tells(one);
            let told = clause.against.iter().filter(|one| !plain(one));
            told.cloned().collect()
        };
        let (here, there) = (telling(self), telling(other));
        let same = |one: &Phrase| there.iter().any(|it| one.is_same(it));
        !here.is_empty() && !there.is_empty() && !here.iter().any(same)
    }
}
