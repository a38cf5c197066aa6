//! Which sentences say what the others say too.

use crate::Language;
use crate::terms::Terms;
use crate::vector::{cosine, vectors};

/// More are not compared: the work grows with the square. Those after get 0.
const MAX_SENTENCES: usize = 300;

/// Sentences less alike than this have nothing to do with each other.
const ALIKE: f64 = 0.1;

const ROUNDS: usize = 20;
const DAMPING: f64 = 0.85;

/// How central each text is among all, 0 to 1: the most central has 1. A text is central when
/// central texts are like it.
pub(super) fn centrality(texts: &[&str], language: Language) -> Vec<f64> {
    let seen = &texts[..texts.len().min(MAX_SENTENCES)];
    let vectors = vectors(seen, &Terms::new(language));
    let like = |one: usize, other: usize| {
        let alike = cosine(&vectors[one], &vectors[other]);
        if one == other || alike < ALIKE {
            0.0
        } else {
            alike
        }
    };
    let count = seen.len();
    let row = |one: usize| (0..count).map(|other| like(one, other)).collect();
    let links: Vec<Vec<f64>> = (0..count).map(row).collect();
    let sums: Vec<f64> = links.iter().map(|row| row.iter().sum()).collect();
    let mut rank = vec![1.0; count];
    for _ in 0..ROUNDS {
        let given = |to: usize| {
            let from = (0..count).filter(|from| sums[*from] > 0.0);
            from.map(|from| rank[from] * links[from][to] / sums[from])
                .sum::<f64>()
        };
        rank = (0..count)
            .map(|to| 1.0 - DAMPING + DAMPING * given(to))
            .collect();
    }
    let top = rank.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut all: Vec<f64> = rank.into_iter().map(|rank| rank / top).collect();
    all.resize(texts.len(), 0.0);
    all
}
