//! Encoders as locators: an index of encoded passages and the model that encodes the question.

use super::{LocateQuestion, LocateReason, Locator, RankedPassage};
use crate::dense::DenseIndex;
use crate::encode::{self, DenseEncoder, SparseEncoder};
use crate::inverted::Hit;
use crate::sparse::SparseIndex;

/// Learned sparse retrieval.
pub struct SparseLocator<'m> {
    /// The encoded passages, in the order of the index's entries.
    pub index: SparseIndex,
    /// Encodes the question; must be the one that encoded the passages.
    pub encoder: &'m dyn SparseEncoder,
}

impl Locator for SparseLocator<'_> {
    fn name(&self) -> &str {
        "sparse"
    }

    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let hits = self.index.search(question.text, top_n, self.encoder)?;
        Ok(judged(hits, self.encoder.name()))
    }
}

/// Dense retrieval.
pub struct DenseLocator<'m> {
    /// The encoded passages, in the order of the index's entries.
    pub index: DenseIndex,
    /// Encodes the question; must be the one that encoded the passages.
    pub encoder: &'m dyn DenseEncoder,
}

impl Locator for DenseLocator<'_> {
    fn name(&self) -> &str {
        "dense"
    }

    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let hits = self.index.search(question.text, top_n, self.encoder)?;
        Ok(judged(hits, self.encoder.name()))
    }
}

fn judged(hits: Vec<Hit>, model: &str) -> Vec<RankedPassage> {
    super::lexical::found(hits, |_| LocateReason {
        model: Some(model.to_owned()),
        ..LocateReason::default()
    })
}
