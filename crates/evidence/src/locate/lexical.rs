//! The indexes of words and of their pieces as locators, and the question asked again.

use super::{LocateQuestion, LocateReason, Locator, RankedPassage};
use crate::bm25::{Bm25, Contribution};
use crate::encode;
use crate::inverted::Hit;
use crate::ngrams::Ngrams;
use crate::prf;

/// So many terms say why; more only fill the record.
const REASON_TERMS: usize = 8;

impl Locator for Bm25 {
    fn name(&self) -> &str {
        "bm25"
    }

    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let query = self.query(question.text);
        let hits = self.search_query(&query, top_n);
        let why = |hit: &Hit| terms(self.explain_query(&query, hit.doc));
        Ok(found(hits, why))
    }
}

impl Locator for Ngrams {
    fn name(&self) -> &str {
        "ngrams"
    }

    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let hits = self.search(question.text, top_n);
        let why = |hit: &Hit| terms(self.explain(question.text, hit.doc));
        Ok(found(hits, why))
    }
}

/// BM25 with the question widened by what it finds.
pub(super) struct FeedbackLocator<'p> {
    pub(super) words: &'p Bm25,
    pub(super) settings: prf::FeedbackSettings,
}

impl Locator for FeedbackLocator<'_> {
    fn name(&self) -> &str {
        "feedback"
    }

    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let query = prf::widened(self.words, question.text, &self.settings);
        let hits = self.words.search_query(&query, top_n);
        let why = |hit: &Hit| terms(self.words.explain_query(&query, hit.doc));
        Ok(found(hits, why))
    }
}

pub(super) fn terms(said: Vec<Contribution>) -> LocateReason {
    let terms = said.into_iter().map(|one| one.term).take(REASON_TERMS);
    LocateReason {
        terms: terms.collect(),
        ..LocateReason::default()
    }
}

pub(super) fn found(hits: Vec<Hit>, why: impl Fn(&Hit) -> LocateReason) -> Vec<RankedPassage> {
    hits.iter()
        .map(|hit| RankedPassage {
            place: hit.doc,
            score: hit.score,
            why: why(hit),
        })
        .collect()
}
