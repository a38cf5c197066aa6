//! How much of what a claim is about stands in a source, and in which sentences.
//!
//! Takes the terms of a claim and a source; gives the sentences that together hold most of them,
//! rare terms counting most, and how much that is. It says nothing on whether they agree.

use std::collections::BTreeSet;

use super::SourceText;

/// A claim rests on at most this many sentences.
const SENTENCES_MAX: usize = 3;

/// A further sentence must add this share of the claim to be counted.
const ADDS_MIN: f64 = 0.08;

/// What a term counts that stands in the source only in another form.
const RELATIVE: f64 = 0.8;

/// Shares of a claim, between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lexical {
    /// In the best sentence.
    pub(crate) one: f64,
    /// In the best few together.
    pub(crate) few: f64,
    /// Anywhere in the source.
    pub(crate) whole: f64,
    /// The sentences, best first.
    pub(crate) best: Vec<usize>,
}

/// A term of a claim: what it counts, and where it stands.
struct Wanted {
    weight: f64,
    held: Vec<(u32, f64)>,
}

pub(crate) fn support(terms: &[String], source: &SourceText<'_>) -> Lexical {
    let distinct: BTreeSet<&String> = terms.iter().collect();
    let wanted: Vec<Wanted> = distinct.iter().map(|term| look_up(term, source)).collect();
    let total: f64 = wanted.iter().map(|term| term.weight).sum();
    if total <= 0.0 {
        return Lexical::default();
    }
    let mut got = vec![0.0; wanted.len()];
    let mut found = Lexical::default();
    for turn in 0..SENTENCES_MAX {
        let Some((at, adds)) = best_addition(&wanted, &got, source.sentences().len()) else {
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
    let anywhere = |term: &Wanted| term.weight * term.held.iter().map(|h| h.1).fold(0.0, f64::max);
    found.whole = wanted.iter().map(anywhere).sum::<f64>() / total;
    found
}

fn look_up(term: &str, source: &SourceText<'_>) -> Wanted {
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
    Wanted {
        weight: (1.0 + (all - often + 0.5).max(0.0) / (often + 0.5)).ln(),
        held,
    }
}

/// The sentence that adds most to what the chosen ones hold, the first of equals.
fn best_addition(wanted: &[Wanted], got: &[f64], sentences: usize) -> Option<(usize, f64)> {
    let mut adds = vec![0.0; sentences];
    for (term, got) in wanted.iter().zip(got) {
        for (at, credit) in &term.held {
            if let Some(sum) = adds.get_mut(*at as usize) {
                *sum += term.weight * (credit - got).max(0.0);
            }
        }
    }
    let mut best: Option<(usize, f64)> = None;
    for (at, sum) in adds.into_iter().enumerate() {
        if sum > best.map_or(0.0, |(_, most)| most) {
            best = Some((at, sum));
        }
    }
    best
}

fn take(wanted: &[Wanted], got: &mut [f64], at: usize) {
    for (term, got) in wanted.iter().zip(got) {
        for (held, credit) in &term.held {
            if *held as usize == at && credit > got {
                *got = *credit;
            }
        }
    }
}

/// The share of a text's terms that the best sentence of a source holds, and that sentence.
pub(crate) fn share(text: &str, source: &SourceText<'_>) -> (f64, Option<crate::Span>) {
    let found = support(&source.reader().about(text), source);
    let best = found
        .best
        .first()
        .and_then(|at| source.sentences().get(*at));
    (found.few, best.copied())
}
