//! How much of what a claim is about stands in a source, and in which sentences.
//!
//! Takes the terms of a claim and a source; gives the sentences that together hold most of them,
//! rare terms counting most, and how much that is. It says nothing on whether they agree.

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::reading::words;

use super::SourceText;

/// A claim rests on at most this many sentences.
const SENTENCES_MAX: usize = 3;

/// A further sentence must add this share of the claim to be counted.
const ADDS_MIN: f64 = 0.08;

/// Sentences that add this share of what the best one adds are as good as it.
const NEARLY_EQUAL: f64 = 0.97;

/// How many of them are compared word by word.
const EQUALS_MAX: usize = 8;

/// What a term counts that stands in the source only in another form.
const RELATIVE: f64 = 0.8;

/// Shares of a claim, between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LexicalSupport {
    /// In the best sentence.
    pub(crate) one: f64,
    /// In the best few together.
    pub(crate) few: f64,
    /// Anywhere in the source.
    pub(crate) whole: f64,
    /// The sentences, best first.
    pub(crate) best: Vec<usize>,
    /// How many distinct terms the claim has.
    pub(crate) terms: usize,
}

/// A term of a claim: what it counts, and where it stands.
struct WantedTerms {
    weight: f64,
    held: Vec<(u32, f64)>,
}

/// `text` has the terms; its other words decide between sentences that hold equally many of them.
pub(crate) fn support(terms: &[String], text: &str, source: &SourceText<'_>) -> LexicalSupport {
    let distinct: BTreeSet<&String> = terms.iter().collect();
    let wanted: Vec<WantedTerms> = distinct.iter().map(|term| look_up(term, source)).collect();
    let total: f64 = wanted.iter().map(|term| term.weight).sum();
    if total <= 0.0 {
        return LexicalSupport::default();
    }
    let mut got = vec![0.0; wanted.len()];
    let mut found = LexicalSupport {
        terms: wanted.len(),
        ..LexicalSupport::default()
    };
    let said = counted(text);
    for turn in 0..SENTENCES_MAX {
        let best = best_additions(&wanted, &got);
        let Some((at, adds)) = most_alike(&said, best, source) else {
            break;
        };
        if turn > 0 && adds < ADDS_MIN * total {
            break;
        }
        take(&wanted, &mut got, at);
        found.best.push(at);
        found.few += adds / total;
        if turn == 0 {
            found.one = adds / total;
        }
    }
    let anywhere =
        |term: &WantedTerms| term.weight * term.held.iter().map(|h| h.1).fold(0.0, f64::max);
    found.whole = wanted.iter().map(anywhere).sum::<f64>() / total;
    found
}

fn look_up(term: &str, source: &SourceText<'_>) -> WantedTerms {
    let all = source.sentences().len() as f64;
    let exact = source.holding(term);
    let held: Vec<(u32, f64)> = if exact.is_empty() {
        let relatives = source.relatives(term);
        let all = relatives.iter().flat_map(|(held, _)| held.iter());
        all.map(|at| (*at, RELATIVE)).collect()
    } else {
        exact.iter().map(|at| (*at, 1.0)).collect()
    };
    // A term that is nowhere counts as much as one that is in a single sentence.
    let often = held.len().max(1) as f64;
    WantedTerms {
        weight: (1.0 + (all - often + 0.5).max(0.0) / (often + 0.5)).ln(),
        held,
    }
}

/// The sentences that add most to what the chosen ones hold, up to a small difference, in order.
fn best_additions(wanted: &[WantedTerms], got: &[f64]) -> Vec<(usize, f64)> {
    let mut adds: BTreeMap<u32, f64> = BTreeMap::new();
    for (term, got) in wanted.iter().zip(got) {
        for (at, credit) in &term.held {
            *adds.entry(*at).or_default() += term.weight * (credit - got).max(0.0);
        }
    }
    let most = adds.values().fold(0.0, |most: f64, sum| most.max(*sum));
    let near = |sum: f64| sum > 0.0 && sum >= most * NEARLY_EQUAL;
    let best = adds.into_iter().filter(|(_, sum)| near(*sum));
    best.map(|(at, sum)| (at as usize, sum))
        .take(EQUALS_MAX)
        .collect()
}

/// Of sentences that hold equally many terms, the one whose words, small ones and numbers included,
/// are most like those of the claim; the first of equals.
fn most_alike(
    said: &BTreeMap<String, usize>,
    equals: Vec<(usize, f64)>,
    source: &SourceText<'_>,
) -> Option<(usize, f64)> {
    if equals.len() < 2 {
        return equals.first().copied();
    }
    let mut best: Option<(f64, (usize, f64))> = None;
    for one in equals {
        let alike = likeness(said, &counted(source.sentence(one.0)?));
        if best.is_none_or(|(most, _)| alike > most) {
            best = Some((alike, one));
        }
    }
    best.map(|(_, one)| one)
}

fn counted(text: &str) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for span in words(text) {
        let word = span.of(text).unwrap_or_default().to_lowercase();
        *all.entry(word).or_default() += 1;
    }
    all
}

/// Twice the shared words over all words.
fn likeness(a: &BTreeMap<String, usize>, b: &BTreeMap<String, usize>) -> f64 {
    let shared = a
        .iter()
        .filter_map(|(word, n)| Some((*b.get(word)?).min(*n)));
    let all = a.values().sum::<usize>() + b.values().sum::<usize>();
    2.0 * shared.sum::<usize>() as f64 / all.max(1) as f64
}

fn take(wanted: &[WantedTerms], got: &mut [f64], at: usize) {
    for (term, got) in wanted.iter().zip(got) {
        for (held, credit) in &term.held {
            if *held as usize == at && credit > got {
                *got = *credit;
            }
        }
    }
}
