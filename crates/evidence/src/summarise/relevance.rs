//! How much of what was asked a sentence has.

use std::collections::BTreeMap;

/// How soon a repeated word counts no more, and how much a long sentence is marked down for its
/// length: the two settings of BM25, for single sentences.
const REPEATS: f64 = 0.9;
const LENGTH: f64 = 0.4;

/// A sentence that has most of what was asked is as good as one that has all.
const ENOUGH: f64 = 1.4;

/// The share of the asked terms that each text has, 0 to 1. A term counts more the fewer texts have
/// it. The work grows with the texts, however many terms are asked.
pub(super) fn relevances(asked: &[String], texts: &[Vec<String>]) -> Vec<f64> {
    let mut held: BTreeMap<&str, usize> = asked.iter().map(|term| (term.as_str(), 0)).collect();
    let counted: Vec<BTreeMap<&str, f64>> = texts
        .iter()
        .map(|text| {
            let mut times = BTreeMap::new();
            for term in text.iter().filter(|term| held.contains_key(term.as_str())) {
                *times.entry(term.as_str()).or_insert(0.0) += 1.0;
            }
            for term in times.keys() {
                *held.entry(term).or_insert(0) += 1;
            }
            times
        })
        .collect();
    let count = texts.len() as f64;
    let weight = |held: usize| (1.0 + (count - held as f64 + 0.5) / (held as f64 + 0.5)).ln();
    let weights: BTreeMap<&str, f64> = held
        .into_iter()
        .map(|(term, held)| (term, weight(held)))
        .collect();
    let all: f64 = weights.values().sum();
    let mean = texts.iter().map(Vec::len).sum::<usize>() as f64 / count.max(1.0);
    let share = |(times, text): (BTreeMap<&str, f64>, &Vec<String>)| {
        let length = 1.0 - LENGTH + LENGTH * text.len() as f64 / mean.max(1.0);
        let fit: f64 = times
            .iter()
            .filter_map(|(term, times)| {
                let weight = weights.get(term)?;
                Some(weight * times / (times + REPEATS * length))
            })
            .sum();
        if all > 0.0 {
            (fit / all * ENOUGH).min(1.0)
        } else {
            0.0
        }
    };
    counted.into_iter().zip(texts).map(share).collect()
}
