//! A passage and those beside it: words and pieces on one scale, and a share of the neighbours'.
//!
//! An answer often says "it" or "the trial" where the sentence before it has the name.

use super::lexical::{found, terms};
use super::{Found, Locator, Question, Reason};
use crate::bm25::Bm25;
use crate::encode;
use crate::fusion::blend;
use crate::inverted::{Hit, best};
use crate::ngrams::Ngrams;

/// What pieces count beside words.
const PIECES: f32 = 1.0;

pub struct Context<'p> {
    pub words: &'p Bm25,
    pub pieces: &'p Ngrams,
    /// Of each passage, the number of its source: only passages of one source are neighbours.
    pub sources: &'p [usize],
    /// What a passage borrows from each neighbour.
    pub share: f32,
}

impl Locator for Context<'_> {
    fn name(&self) -> &str {
        "context"
    }

    fn locate(&self, question: Question<'_>, top_n: usize) -> Result<Vec<Found>, encode::Error> {
        let words = self.words.scores(question.text);
        let pieces = self.pieces.scores(question.text);
        let own = blend(&[(1.0, &words), (PIECES, &pieces)]);
        let scores = borrowed(&own, self.sources, self.share);
        let why = |hit: &Hit| {
            let alone = own.get(hit.doc).copied().unwrap_or_default();
            Reason {
                neighbours: hit.score > alone,
                ..terms(self.words.explain(question.text, hit.doc))
            }
        };
        Ok(found(best(&scores, top_n), why))
    }
}

fn borrowed(own: &[f32], sources: &[usize], share: f32) -> Vec<f32> {
    let beside = |place: usize, other: Option<usize>| {
        let other = other.filter(|other| sources.get(*other) == sources.get(place));
        other
            .and_then(|other| own.get(other))
            .copied()
            .unwrap_or_default()
    };
    own.iter()
        .enumerate()
        .map(|(place, score)| {
            let (before, after) = (place.checked_sub(1), place.checked_add(1));
            score + share * (beside(place, before) + beside(place, after))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_borrows_only_within_its_source() {
        let scores = borrowed(&[1.0, 0.0, 0.0, 2.0], &[0, 0, 1, 1], 0.5);
        assert_eq!(scores, [1.0, 0.5, 1.0, 2.0]);
    }
}
