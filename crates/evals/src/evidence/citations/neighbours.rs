//! The source that looks most like the right one.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::Language;
use fathom_evidence::terms::Terms;

use super::super::judged::JudgedSource;

pub(super) struct Neighbours {
    held: BTreeMap<String, Vec<usize>>,
    lengths: Vec<f64>,
}

impl Neighbours {
    pub(super) fn new(sources: &[JudgedSource]) -> Self {
        let terms = Terms::new(Language::ENGLISH);
        let mut held: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            let distinct: BTreeSet<String> = terms.of(&source.text).into_iter().collect();
            lengths.push(distinct.len() as f64);
            for term in distinct {
                held.entry(term).or_default().push(at);
            }
        }
        Self { held, lengths }
    }

    /// The source, other than the right one, that shares most of a claim's rare words.
    pub(super) fn nearest(&self, claim: &str, than: usize) -> Option<usize> {
        let all = self.lengths.len() as f64;
        let mean = self.lengths.iter().sum::<f64>() / all;
        let mut scores = vec![0.0; self.lengths.len()];
        let terms: BTreeSet<String> = Terms::new(Language::ENGLISH)
            .of(claim)
            .into_iter()
            .collect();
        for places in terms.iter().filter_map(|term| self.held.get(term)) {
            let rarity =
                (1.0 + (all - places.len() as f64 + 0.5) / (places.len() as f64 + 0.5)).ln();
            for at in places {
                scores[*at] += rarity / (0.6 + 0.4 * self.lengths[*at] / mean);
            }
        }
        scores[than] = -1.0;
        let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map(|(at, _)| at)
    }
}
