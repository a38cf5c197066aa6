//! Texts as weighted terms, to be compared by the angle between them.

use std::collections::BTreeMap;

use crate::phrases::is_stop_word;
use crate::terms::{Terms, words};

/// A text's terms by number, sorted, with weights of length 1 together.
pub(crate) type Vector = Vec<(usize, f64)>;

/// The terms of a text that bear meaning.
pub(crate) fn meaningful(text: &str, terms: &Terms) -> Vec<String> {
    words(text)
        .filter_map(|span| span.of(text))
        .filter(|word| !is_stop_word(&word.to_lowercase()))
        .map(|word| terms.term(word))
        .collect()
}

/// One vector a text; a term weighs more the fewer texts hold it.
pub(crate) fn vectors(texts: &[&str], terms: &Terms) -> Vec<Vector> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut held: Vec<f64> = Vec::new();
    let counted: Vec<BTreeMap<usize, f64>> = texts
        .iter()
        .map(|text| {
            let mut counts = BTreeMap::new();
            for term in meaningful(text, terms) {
                let next = numbers.len();
                let number = *numbers.entry(term).or_insert(next);
                *counts.entry(number).or_insert(0.0) += 1.0;
            }
            held.resize(numbers.len(), 0.0);
            counts.keys().for_each(|number| held[*number] += 1.0);
            counts
        })
        .collect();
    let rarity = |number: usize| {
        ((texts.len() as f64 + 1.0) / (held[number] + 0.5))
            .ln()
            .max(0.01)
    };
    let weigh = |(number, count): (usize, f64)| (number, (1.0 + count.ln()) * rarity(number));
    counted
        .into_iter()
        .map(|counts| unit(counts.into_iter().map(weigh).collect()))
        .collect()
}

/// Scaled to length 1; an empty one stays empty.
pub(crate) fn unit(mut vector: Vector) -> Vector {
    let length = vector
        .iter()
        .map(|(_, weight)| weight * weight)
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
    vector
}

pub(crate) fn cosine(one: &[(usize, f64)], other: &[(usize, f64)]) -> f64 {
    let (mut a, mut b, mut sum) = (0, 0, 0.0);
    while let (Some((x, weight)), Some((y, with))) = (one.get(a), other.get(b)) {
        if x == y {
            sum += weight * with;
        }
        a += usize::from(x <= y);
        b += usize::from(y <= x);
    }
    sum
}

/// The sum of vectors, scaled to length 1.
pub(crate) fn centre<'v>(vectors: impl Iterator<Item = &'v Vector>) -> Vector {
    let mut sum: BTreeMap<usize, f64> = BTreeMap::new();
    for (number, weight) in vectors.flatten() {
        *sum.entry(*number).or_insert(0.0) += weight;
    }
    unit(sum.into_iter().collect())
}
