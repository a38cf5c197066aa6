//! Makes citations of which it is known whether they are true: what a writer says, and the source
//! that is named for it. No sentence is used twice.

use std::collections::BTreeSet;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::super::judged::{JudgedSource, Set};
use super::neighbours::Neighbours;
use super::{distort, faults, retell};

/// How often something is drawn until it can be used.
const DRAWS_MAX: usize = 20_000;

/// A source that has this share of a sentence's runs of three words says it too.
const SAID_TOO: f64 = 0.4;

/// What was done to a sentence of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Verbatim,
    Compressed,
    Reordered,
    Joined,
    Reworded,
    Renumbered,
    ExactQuote,
    WrongSourceNear,
    WrongSourceRandom,
    ChangedNumber,
    Negated,
    AbsentQuote,
    ExchangedNumbers,
    ExchangedArms,
    PopulationSwapped,
    NameFromSameSource,
    SomeToAll,
    HedgeRemoved,
    CausalForLink,
    InventedAddition,
}

/// How many of each kind are made with one seed.
pub(super) const KINDS: [(Kind, usize); 20] = [
    (Kind::Verbatim, 83),
    (Kind::Compressed, 83),
    (Kind::Reordered, 83),
    (Kind::Joined, 83),
    (Kind::Reworded, 84),
    (Kind::Renumbered, 83),
    (Kind::ExactQuote, 84),
    (Kind::WrongSourceNear, 63),
    (Kind::WrongSourceRandom, 62),
    (Kind::ChangedNumber, 125),
    (Kind::Negated, 125),
    (Kind::AbsentQuote, 125),
    (Kind::ExchangedNumbers, 60),
    (Kind::ExchangedArms, 60),
    (Kind::PopulationSwapped, 60),
    (Kind::NameFromSameSource, 60),
    (Kind::SomeToAll, 60),
    (Kind::HedgeRemoved, 60),
    (Kind::CausalForLink, 60),
    (Kind::InventedAddition, 60),
];

/// The ways to tell a sentence again that a fault is then put into.
const TRUE_TELLINGS: [Kind; 5] = [
    Kind::Verbatim,
    Kind::Compressed,
    Kind::Reordered,
    Kind::Joined,
    Kind::Reworded,
];

/// One way to distort a sentence that was told truly.
type Distortion = fn(&str, &mut StdRng) -> Option<String>;

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Compressed => "compressed",
            Self::Reordered => "reordered",
            Self::Joined => "joined",
            Self::Reworded => "reworded",
            Self::Renumbered => "renumbered",
            Self::ExactQuote => "exact_quote",
            Self::WrongSourceNear => "wrong_source_near",
            Self::WrongSourceRandom => "wrong_source_random",
            Self::ChangedNumber => "changed_number",
            Self::Negated => "negated",
            Self::AbsentQuote => "absent_quote",
            Self::ExchangedNumbers => "exchanged_numbers",
            Self::ExchangedArms => "exchanged_arms",
            Self::PopulationSwapped => "population_swapped",
            Self::NameFromSameSource => "name_from_same_source",
            Self::SomeToAll => "some_to_all",
            Self::HedgeRemoved => "hedge_removed",
            Self::CausalForLink => "causal_for_link",
            Self::InventedAddition => "invented_addition",
        }
    }

    pub(super) fn is_true(self) -> bool {
        TRUE_TELLINGS.contains(&self) || matches!(self, Self::ExactQuote | Self::Renumbered)
    }
}

/// A citation that was made.
pub(super) struct Made {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) set: usize,
    pub(super) source: usize,
}

/// Places of a sentence that is told, or of the first of two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    set: usize,
    source: usize,
    sentence: usize,
}

pub(super) struct Maker<'a> {
    sets: &'a [Set],
    near: &'a [Neighbours],
    used: BTreeSet<Place>,
    rng: StdRng,
}

impl<'a> Maker<'a> {
    pub(super) fn new(sets: &'a [Set], near: &'a [Neighbours], seed: u64) -> Self {
        Self {
            sets,
            near,
            used: BTreeSet::new(),
            rng: StdRng::seed_from_u64(seed),
        }
    }

    /// All of them; fewer of a kind when the sets do not give as many.
    pub(super) fn all(&mut self) -> Vec<Made> {
        let mut made = Vec::new();
        for (kind, many) in KINDS {
            let enough = made.len() + many;
            for _ in 0..DRAWS_MAX {
                if made.len() == enough {
                    break;
                }
                made.extend(self.one(kind));
            }
        }
        made
    }

    fn one(&mut self, kind: Kind) -> Option<Made> {
        let place = self.place()?;
        let Place { set, source, .. } = place;
        let (text, source) = match kind {
            Kind::ExactQuote => (retell::quote(self.sentence(place)?, &mut self.rng)?, source),
            Kind::WrongSourceNear => {
                let told = self.any_telling(place)?;
                let near = self.near.get(set)?.nearest(&told, source)?;
                (self.unless_said_there(told, set, near)?, near)
            }
            Kind::WrongSourceRandom => {
                let told = self.any_telling(place)?;
                let other = self.other(set, source)?;
                (self.unless_said_there(told, set, other)?, other)
            }
            Kind::ChangedNumber => {
                let told = self.any_telling(place)?;
                (faults::change_number(&told, &mut self.rng)?, source)
            }
            Kind::Negated => {
                let told = self.any_telling(place)?;
                (faults::negate(&told, &mut self.rng)?, source)
            }
            Kind::AbsentQuote => {
                let elsewhere = self.place()?;
                let (here, there) = (self.sentence(place)?, self.sentence(elsewhere)?);
                (faults::absent_quote(here, there, &mut self.rng)?, source)
            }
            Kind::NameFromSameSource => {
                let told = self.any_telling(place)?;
                let text = &self.source(set, source)?.text;
                (distort::replace_name(&told, text, &mut self.rng)?, source)
            }
            Kind::InventedAddition => {
                let elsewhere = self.place()?;
                let (told, there) = (self.any_telling(place)?, self.sentence(elsewhere)?);
                (distort::add_clause(&told, there, &mut self.rng)?, source)
            }
            Kind::ExchangedNumbers => (self.distorted(place, distort::exchange_numbers)?, source),
            Kind::ExchangedArms => (self.distorted(place, distort::exchange_arms)?, source),
            Kind::PopulationSwapped => (self.distorted(place, distort::swap_population)?, source),
            Kind::SomeToAll => (self.distorted(place, distort::some_to_all)?, source),
            Kind::HedgeRemoved => (self.distorted(place, distort::remove_hedge)?, source),
            Kind::CausalForLink => (self.distorted(place, distort::make_causal)?, source),
            Kind::Verbatim
            | Kind::Compressed
            | Kind::Reordered
            | Kind::Joined
            | Kind::Reworded
            | Kind::Renumbered => (self.telling(kind, place)?, source),
        };
        self.used.insert(place);
        Some(Made {
            kind,
            text,
            set,
            source,
        })
    }

    /// A true telling with one distortion put into it.
    fn distorted(&mut self, place: Place, distort: Distortion) -> Option<String> {
        let told = self.any_telling(place)?;
        distort(&told, &mut self.rng)
    }

    fn any_telling(&mut self, place: Place) -> Option<String> {
        let kind = *TRUE_TELLINGS.choose(&mut self.rng)?;
        self.telling(kind, place)
    }

    /// A sentence told again, truly.
    fn telling(&mut self, kind: Kind, place: Place) -> Option<String> {
        let sentence = self.sentence(place)?;
        match kind {
            Kind::Compressed => retell::compress(sentence, &mut self.rng),
            Kind::Reordered => retell::reorder(sentence),
            Kind::Reworded => retell::reword(sentence, &mut self.rng),
            Kind::Renumbered => retell::renumber(sentence),
            Kind::Joined => {
                let next = Place {
                    sentence: place.sentence + self.rng.random_range(1..=2),
                    ..place
                };
                let joined = retell::join(sentence, self.sentence(next)?, &mut self.rng);
                self.used.insert(next);
                joined
            }
            _ => Some(sentence.to_owned()),
        }
    }

    /// A sentence that nothing was made of yet.
    fn place(&mut self) -> Option<Place> {
        let set = self.rng.random_range(0..self.sets.len());
        let source = self.rng.random_range(0..self.sets.get(set)?.sources.len());
        let sentences = self.source(set, source)?.sentences.len();
        let place = Place {
            set,
            source,
            sentence: self.rng.random_range(0..sentences.max(1)),
        };
        (!self.used.contains(&place)).then_some(place)
    }

    fn source(&self, set: usize, source: usize) -> Option<&'a JudgedSource> {
        self.sets.get(set)?.sources.get(source)
    }

    fn sentence(&self, place: Place) -> Option<&'a str> {
        self.source(place.set, place.source)?
            .plain_sentence(place.sentence)
    }

    fn other(&mut self, set: usize, than: usize) -> Option<usize> {
        let other = self.rng.random_range(0..self.sets.get(set)?.sources.len());
        (other != than).then_some(other)
    }

    /// Mirrors and stock phrases stand in several sources; naming another is no fault then.
    fn unless_said_there(&self, told: String, set: usize, source: usize) -> Option<String> {
        let text = plain(&self.source(set, source)?.text);
        let told_plain = plain(&told);
        let words: Vec<&str> = told_plain.split(' ').collect();
        let runs: Vec<String> = words.windows(3).map(|run| run.join(" ")).collect();
        let there = runs
            .iter()
            .filter(|run| text.contains(run.as_str()))
            .count();
        ((there as f64) < SAID_TOO * runs.len() as f64).then_some(told)
    }
}

fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let said: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    said.join(" ")
}
