//! T31: a writer that lies. Good and bad citations are made from the public sets, and the check of
//! citations must tell them apart.

mod faults;
mod neighbours;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::Language;
use fathom_evidence::citation::{Checked, Settings, SourceText, Sources, Support, check};
use fathom_evidence::claim::Claim;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::judged::{self, Label, Set};
use crate::figure::Figure;
use neighbours::Neighbours;

/// As many good ones and as many bad ones.
const EACH: usize = 500;

/// The same citations each time, unless the environment gives another seed.
const SEED: u64 = 31;

/// How often something is drawn until it can be used.
const DRAWS_MAX: usize = 2_000;

const GOOD: [&str; 4] = ["verbatim", "compressed", "exact_quote", "human_claim"];
const BAD: [&str; 5] = [
    "wrong_source_near",
    "wrong_source_random",
    "changed_number",
    "negated",
    "absent_quote",
];

/// A citation that was made, and whether it is true.
struct Made {
    kind: &'static str,
    text: String,
    set: usize,
    source: usize,
}

/// Prints how many bad citations were caught and how many good ones were blamed, kind by kind.
pub(super) fn measure(data: &Path) -> Result<()> {
    let seed = match std::env::var("FATHOM_SEED") {
        Ok(text) => text.parse().context("FATHOM_SEED must be a number")?,
        Err(_) => SEED,
    };
    let sets = [judged::scifact(data)?, judged::wice(data)?];
    let mut maker = Maker::new(&sets, seed);
    let mut made = Vec::new();
    for kind in GOOD {
        made.extend(maker.several(kind, EACH / GOOD.len()));
    }
    for (i, kind) in BAD.iter().enumerate() {
        // The two kinds of wrong source share one part of four.
        let share = if i < 2 { EACH / 8 } else { EACH / 4 };
        made.extend(maker.several(kind, share + usize::from(i < 2)));
    }
    report(&sets, &made, seed);
    Ok(())
}

/// Makes citations from the sets.
struct Maker<'a> {
    sets: &'a [Set],
    near: Vec<Neighbours>,
    rng: StdRng,
}

impl<'a> Maker<'a> {
    fn new(sets: &'a [Set], seed: u64) -> Self {
        let near = sets
            .iter()
            .map(|set| Neighbours::of(&set.sources))
            .collect();
        Self {
            sets,
            near,
            rng: StdRng::seed_from_u64(seed),
        }
    }

    fn several(&mut self, kind: &'static str, many: usize) -> Vec<Made> {
        let mut made = Vec::new();
        for _ in 0..DRAWS_MAX.max(many * 20) {
            if made.len() == many {
                break;
            }
            made.extend(self.one(kind));
        }
        made
    }

    fn one(&mut self, kind: &'static str) -> Option<Made> {
        let set = self.rng.random_range(0..self.sets.len());
        let (human, true_source) = self.human(set)?;
        let (sentence, at) = self.sentence(set)?;
        let (base, base_source) = if self.rng.random_bool(0.5) {
            (human.clone(), true_source)
        } else {
            (sentence.clone(), at)
        };
        let (text, source) = match kind {
            "verbatim" => (sentence, at),
            "compressed" => (faults::compress(&sentence)?, at),
            "exact_quote" => (faults::quote(&sentence, &mut self.rng)?, at),
            "human_claim" => (human, true_source),
            "wrong_source_near" => {
                let near = self.near.get(set)?.nearest(&base, base_source)?;
                (base, near)
            }
            "wrong_source_random" => (base, self.other(set, base_source)?),
            "changed_number" => (faults::change_number(&base, &mut self.rng)?, base_source),
            "negated" => (faults::negate(&base, &mut self.rng)?, base_source),
            "absent_quote" => {
                let other = self.other(set, at)?;
                let elsewhere = self.sentence_of(set, other)?;
                (
                    faults::absent_quote(&sentence, &elsewhere, &mut self.rng)?,
                    at,
                )
            }
            _ => return None,
        };
        Some(Made {
            kind,
            text,
            set,
            source,
        })
    }

    /// A claim that people wrote and found supported.
    fn human(&mut self, set: usize) -> Option<(String, usize)> {
        let all: Vec<_> = self
            .sets
            .get(set)?
            .judged
            .iter()
            .filter(|j| j.label == Label::Supported)
            .collect();
        let one = all.choose(&mut self.rng)?;
        Some((one.claim.clone(), one.source))
    }

    fn sentence(&mut self, set: usize) -> Option<(String, usize)> {
        let at = self.rng.random_range(0..self.sets.get(set)?.sources.len());
        Some((self.sentence_of(set, at)?, at))
    }

    /// A sentence that looks like one: some words, a capital, a full stop.
    fn sentence_of(&mut self, set: usize, at: usize) -> Option<String> {
        let source = self.sets.get(set)?.sources.get(at)?;
        let sentence = source.sentence(self.rng.random_range(0..source.sentences.len()));
        let words = sentence.split_whitespace().count();
        let whole = sentence.starts_with(char::is_uppercase) && sentence.ends_with('.');
        let plain = !sentence.contains(['"', '“', '”', '[', '|', '?']);
        ((8..=40).contains(&words) && whole && plain).then(|| sentence.to_owned())
    }

    fn other(&mut self, set: usize, than: usize) -> Option<usize> {
        let other = self.rng.random_range(0..self.sets.get(set)?.sources.len());
        (other != than).then_some(other)
    }
}

#[derive(Default)]
struct Tally {
    all: usize,
    blamed: usize,
    unchecked: usize,
}

fn report(sets: &[Set], made: &[Made], seed: u64) {
    let mut kinds: BTreeMap<&str, Tally> = BTreeMap::new();
    for one in made {
        let checked = held(sets, one);
        let tally = kinds.entry(one.kind).or_default();
        tally.all += 1;
        let blamed = matches!(
            checked.support,
            Support::NotSupported | Support::Contradicted { .. }
        );
        tally.blamed += usize::from(blamed);
        tally.unchecked += usize::from(matches!(checked.support, Support::NotChecked { .. }));
    }
    for kind in GOOD.iter().chain(&BAD) {
        let Some(tally) = kinds.get(kind) else {
            continue;
        };
        let name = if GOOD.contains(kind) {
            "false_alarms"
        } else {
            "caught"
        };
        line(kind, name, tally, seed);
    }
    for (kinds_of, name) in [(&GOOD[..], "false_alarms"), (&BAD[..], "caught")] {
        let mut sum = Tally::default();
        for tally in kinds_of.iter().filter_map(|kind| kinds.get(kind)) {
            sum.all += tally.all;
            sum.blamed += tally.blamed;
            sum.unchecked += tally.unchecked;
        }
        line("all", name, &sum, seed);
    }
}

fn line(kind: &str, name: &str, tally: &Tally, seed: u64) {
    Figure::named("t31_citations")
        .with("kind", kind)
        .with("citations", tally.all)
        .number(name, tally.blamed as f64 / tally.all.max(1) as f64)
        .number(
            "could_not_check",
            tally.unchecked as f64 / tally.all.max(1) as f64,
        )
        .with("seed", seed)
        .print();
}

fn held(sets: &[Set], made: &Made) -> Checked {
    let source = &sets[made.set].sources[made.source];
    let source =
        SourceText::with_sentences(&source.text, source.sentences.clone(), Language::ENGLISH);
    let sources = Sources::from([(1, source)]);
    check(
        &Claim::alone(&made.text, &[1]),
        &sources,
        &Settings::default(),
    )
}
