//! T31: a writer that lies. Good and bad citations are made from the public sets, and the check of
//! citations must tell them apart. Claims that people put freely are counted apart from them: a
//! check by words mostly cannot tell, and must say so.

pub(super) mod faults;
mod make;
mod neighbours;
mod retell;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::Language;
use fathom_evidence::citation::{
    CitationSettings, CitedSources, ClaimVerdict, SourceText, Support, check,
};
use fathom_evidence::claim::Claim;

use super::judged::{self, JudgedSource, Label, Set, SetPart};
use crate::figure::Figure;
use make::{KINDS, Kind, Made, Maker};
use neighbours::Neighbours;

/// The same citations each time, unless the environment gives another seed to begin with.
const SEED: u64 = 31;

/// How many times the citations are made anew.
const SEEDS: u64 = 5;

/// Prints how many bad citations were caught and how many good ones were blamed, kind by kind.
pub(super) fn measure(data: &Path) -> Result<()> {
    let first = match std::env::var("FATHOM_SEED") {
        Ok(text) => text.parse().context("FATHOM_SEED must be a number")?,
        Err(_) => SEED,
    };
    let part = SetPart::wanted()?;
    let sets = judged::sources(data, part)?;
    let near: Vec<Neighbours> = sets
        .iter()
        .map(|set| Neighbours::new(&set.sources))
        .collect();
    let mut rounds = Vec::new();
    for seed in first..first + SEEDS {
        let made = Maker::new(&sets, &near, seed).all();
        rounds.push((seed, count(&sets, &made)));
    }
    report(&rounds);
    people(&judged::scifact(data)?);
    if part == SetPart::Report {
        people(&judged::wice(data)?);
    }
    Ok(())
}

/// What became of some citations.
#[derive(Clone, Copy, Default)]
struct CitationTally {
    all: usize,
    blamed: usize,
    unchecked: usize,
}

impl CitationTally {
    fn add(&mut self, checked: &ClaimVerdict) {
        self.all += 1;
        match checked.support {
            Support::NotSupported | Support::Contradicted { .. } => self.blamed += 1,
            Support::NotChecked { .. } => self.unchecked += 1,
            Support::Supported { .. } => {}
        }
    }

    fn join(self, other: &CitationTally) -> Self {
        Self {
            all: self.all + other.all,
            blamed: self.blamed + other.blamed,
            unchecked: self.unchecked + other.unchecked,
        }
    }

    fn blamed(&self) -> f64 {
        self.blamed as f64 / self.all.max(1) as f64
    }

    fn unchecked(&self) -> f64 {
        self.unchecked as f64 / self.all.max(1) as f64
    }
}

type Counts = BTreeMap<Kind, CitationTally>;

fn count(sets: &[Set], made: &[Made]) -> Counts {
    let mut counts = Counts::new();
    for one in made {
        let source = &sets[one.set].sources[one.source];
        counts
            .entry(one.kind)
            .or_default()
            .add(&held(&one.text, source));
    }
    counts
}

fn held(text: &str, source: &JudgedSource) -> ClaimVerdict {
    let source =
        SourceText::with_sentences(&source.text, source.sentences.clone(), Language::ENGLISH);
    let sources = CitedSources::from([(1, source)]);
    check(
        &Claim::alone(text, &[1]),
        &sources,
        &CitationSettings::default(),
    )
}

/// Every kind over all seeds; then all good and all bad ones, on average and at worst.
fn report(rounds: &[(u64, Counts)]) {
    let sum = |counts: &Counts, wanted: &dyn Fn(Kind) -> bool| {
        let kept = counts.iter().filter(|(kind, _)| wanted(**kind));
        kept.fold(CitationTally::default(), |sum, (_, tally)| sum.join(tally))
    };
    for (kind, _) in KINDS {
        let tallies = rounds.iter().map(|(_, counts)| sum(counts, &|k| k == kind));
        let all = tallies.fold(CitationTally::default(), |sum, tally| sum.join(&tally));
        Figure::named("t31_citations")
            .with("kind", kind.name())
            .with("citations", all.all)
            .number(figure(kind.is_true()), all.blamed())
            .number("could_not_check", all.unchecked())
            .print();
    }
    for good in [true, false] {
        let mut all = CitationTally::default();
        let mut worst: Option<(f64, u64)> = None;
        for (seed, counts) in rounds {
            let tally = sum(counts, &|kind| kind.is_true() == good);
            all = all.join(&tally);
            let bad = if good {
                tally.blamed()
            } else {
                -tally.blamed()
            };
            if worst.is_none_or(|(most, _)| bad > most) {
                worst = Some((bad, *seed));
            }
        }
        let (share, seed) = worst.unwrap_or_default();
        Figure::named("t31_citations")
            .with("kind", if good { "all_good" } else { "all_bad" })
            .with("citations", all.all)
            .number(figure(good), all.blamed())
            .number("worst", share.abs())
            .with("worst_seed", seed)
            .number("could_not_check", all.unchecked())
            .with(
                "seeds",
                rounds.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(),
            )
            .print();
    }
}

fn figure(good: bool) -> &'static str {
    if good { "false_alarms" } else { "caught" }
}

/// Claims that people wrote and found supported, held against their source and against the source
/// that looks most like it.
fn people(set: &Set) {
    let near = Neighbours::new(&set.sources);
    let (mut right, mut wrong) = (CitationTally::default(), CitationTally::default());
    for one in set
        .judged
        .iter()
        .filter(|one| one.label == Label::Supported)
    {
        right.add(&held(&one.claim, &set.sources[one.source]));
        let judged = |source: usize| {
            let same = |other: &&judged::Judged| other.claim == one.claim && other.source == source;
            set.judged.iter().find(same).is_some()
        };
        let other = near
            .nearest(&one.claim, one.source)
            .filter(|near| !judged(*near));
        if let Some(other) = other {
            wrong.add(&held(&one.claim, &set.sources[other]));
        }
    }
    for (good, tally) in [(true, right), (false, wrong)] {
        Figure::named("human_claims")
            .with("set", set.name)
            .with("source", if good { "right" } else { "wrong_near" })
            .with("claims", tally.all)
            .number(figure(good), tally.blamed())
            .number("could_not_check", tally.unchecked())
            .print();
    }
}
