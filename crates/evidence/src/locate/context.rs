//! A passage and those beside it: words and pieces on one scale, and a share of the neighbours'.
//!
//! Words and pieces measure the same thing, what a passage shares with the question, so that their
//! scores may be added; ranks would lose by how much one passage is ahead of the next. The sum is
//! one locator among others, and those are joined by rank. A word that looks like a name counts
//! more: `IL-6` or `BRCA1` is what the question is about, whatever else it says. Neighbours count
//! since an answer often says "it" or "the trial" where the sentence before it has the name.

use super::lexical::{found, terms};
use super::{LocateQuestion, LocateReason, Locator, RankedPassage};
use crate::bm25::Bm25;
use crate::encode;
use crate::fusion::blend;
use crate::inverted::{Hit, best};
use crate::ngrams::Ngrams;
use crate::terms::TermId;

/// What a term that looks like a name counts, where another counts 1. Chosen by cross-validation
/// on the training questions of SciFact: from 1.2 to 1.5 it matters little.
const NAME: f32 = 1.3;

pub(super) struct ContextLocator<'p> {
    pub(super) words: &'p Bm25,
    pub(super) pieces: &'p Ngrams,
    /// What pieces count beside words.
    pub(super) pieces_share: f32,
    /// Of each passage, the number of its source: only passages of one source are neighbours.
    pub(super) sources: &'p [usize],
    /// What a passage borrows from each neighbour.
    pub(super) share: f32,
}

/// Saved with candidates.
pub(super) const CONTEXT_LOCATOR: &str = "context";

impl Locator for ContextLocator<'_> {
    fn name(&self) -> &str {
        CONTEXT_LOCATOR
    }

    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let query = with_names(self.words, question.text);
        let words = self.words.scores_query(&query);
        let pieces = self.pieces.scores(question.text);
        let own = blend(&[(1.0, &words), (self.pieces_share, &pieces)]);
        let scores = borrowed(&own, self.sources, self.share);
        let why = |hit: &Hit| {
            let alone = own.get(hit.doc).copied().unwrap_or_default();
            LocateReason {
                neighbours: hit.score > alone,
                ..terms(self.words.explain_query(&query, hit.doc))
            }
        };
        Ok(found(best(&scores, top_n), why))
    }
}

/// The question's terms; those of names count more.
fn with_names(words: &Bm25, question: &str) -> Vec<(TermId, f32)> {
    let mut query = words.query(question);
    for name in question.split_whitespace().filter(|word| is_name(word)) {
        for term in words.vocabulary().find(name) {
            let found = query.iter_mut().find(|(known, _)| *known == term);
            if let Some((_, weight)) = found {
                *weight = NAME;
            }
        }
    }
    query
}

/// Whether a word has a digit or several capital letters.
fn is_name(word: &str) -> bool {
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    capitals > 1 || word.bytes().any(|byte| byte.is_ascii_digit())
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
    use crate::{Language, bm25};

    #[test]
    fn a_passage_borrows_only_within_its_source() {
        let scores = borrowed(&[1.0, 0.0, 0.0, 2.0], &[0, 0, 1, 1], 0.5);
        assert_eq!(scores, [1.0, 0.5, 1.0, 2.0]);
    }

    #[test]
    fn a_name_counts_more_than_a_word_and_once() {
        let index = Bm25::build(
            ["IL-6 rose in mice", "Mice slept"],
            Language::ENGLISH,
            &bm25::Bm25Settings::default(),
        );
        let query = with_names(&index, "Does IL-6 or IL6 rise in mice?");
        let named = |(term, weight): (TermId, f32)| (index.vocabulary().name(term), weight);
        let query: Vec<_> = query.into_iter().map(named).collect();
        assert_eq!(
            query,
            [
                (Some("il"), NAME),
                (Some("6"), NAME),
                (Some("il6"), NAME),
                (Some("mice"), 1.0)
            ]
        );
    }
}
