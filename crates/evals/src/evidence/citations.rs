//! T31: a writer that lies. Good and bad citations are made from the public sets, and the check of
//! citations must tell them apart. Claims that people put freely are counted apart from them: a
//! check by words mostly cannot tell, and must say so.

mod distort;
pub(super) mod faults;
pub(super) mod judge;
mod make;
mod neighbours;
mod retell;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::Language;
use fathom_evidence::citation::{CitedSources, ClaimVerdict, SourceText, Support, check};
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
    people(&judged::scifact(data)?.half(part));
    people(&judged::wice(data)?.half(part));
    Ok(())
}

/// What became of some citations.
#[derive(Clone, Copy, Default)]
struct CitationTally {
    all: usize,
    supported: usize,
    /// Called contradicted or not supported.
    blamed: usize,
}

impl CitationTally {
    fn add(&mut self, checked: &ClaimVerdict) {
        self.all += 1;
        match checked.support {
            Support::Supported { .. } => self.supported += 1,
            Support::NotSupported | Support::Contradicted { .. } => self.blamed += 1,
            Support::NotChecked { .. } => {}
        }
    }

    fn join(self, other: &CitationTally) -> Self {
        Self {
            all: self.all + other.all,
            supported: self.supported + other.supported,
            blamed: self.blamed + other.blamed,
        }
    }

    fn share(&self, part: usize) -> f64 {
        part as f64 / self.all.max(1) as f64
    }

    /// What must not happen: a good one blamed, a bad one called supported.
    fn wrong(&self, good: bool) -> f64 {
        self.share(if good { self.blamed } else { self.supported })
    }

    fn print(&self, figure: Figure) {
        let unchecked = self.all - self.supported - self.blamed;
        figure
            .with("claims", self.all)
            .number("supported", self.share(self.supported))
            .number("blamed", self.share(self.blamed))
            .number("could_not_check", self.share(unchecked))
            .print();
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
    check(&Claim::alone(text, &[1]), &sources)
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
        let truth = if kind.is_true() { "good" } else { "bad" };
        all.print(
            Figure::named("t31_citations")
                .with("telling", truth)
                .with("kind", kind.name()),
        );
    }
    for good in [true, false] {
        let tallies = rounds
            .iter()
            .map(|(_, counts)| sum(counts, &|kind| kind.is_true() == good));
        let tallies: Vec<CitationTally> = tallies.collect();
        let all = tallies
            .iter()
            .fold(CitationTally::default(), |sum, one| sum.join(one));
        let worst = tallies
            .iter()
            .map(|one| one.wrong(good))
            .fold(0.0, f64::max);
        all.print(
            Figure::named("t31_citations")
                .with("kind", if good { "all_good" } else { "all_bad" })
                .with("seeds", rounds.len())
                .number("worst_seed_wrong", worst),
        );
    }
}

/// Claims that people wrote and judged, held against their source by what people said of them; those
/// that they found supported also against the source that looks most like it.
fn people(set: &Set) {
    let near = Neighbours::new(&set.sources);
    let mut tallies: BTreeMap<&'static str, CitationTally> = BTreeMap::new();
    for one in &set.judged {
        let tally = tallies.entry(one.label.name()).or_default();
        tally.add(&held(&one.claim, &set.sources[one.source]));
        let judged = |source: usize| {
            let same = |other: &&judged::Judged| other.claim == one.claim && other.source == source;
            set.judged.iter().find(same).is_some()
        };
        let other = near
            .nearest(&one.claim, one.source)
            .filter(|near| one.label == Label::Supported && !judged(*near));
        if let Some(other) = other {
            let tally = tallies.entry("wrong_source_near").or_default();
            tally.add(&held(&one.claim, &set.sources[other]));
        }
    }
    for (label, tally) in tallies {
        tally.print(
            Figure::named("human_claims")
                .with("set", set.name)
                .with("people_say", label),
        );
    }
}
