//! Encoders as locators: an index of encoded passages and the model that encodes the question.

use super::{Found, Locator, Question, Reason};
use crate::dense::Dense;
use crate::encode::{self, DenseEncoder, SparseEncoder};
use crate::inverted::Hit;
use crate::sparse::Sparse;

/// Learned sparse retrieval.
pub struct SparseLocator<'m> {
    pub index: Sparse,
    pub encoder: &'m dyn SparseEncoder,
}

impl Locator for SparseLocator<'_> {
    fn name(&self) -> &str {
        "sparse"
    }

    fn locate(&self, question: Question<'_>, top_n: usize) -> Result<Vec<Found>, encode::Error> {
        let hits = self.index.search(question.text, top_n, self.encoder)?;
        Ok(judged(hits, self.encoder.name()))
    }
}

/// Dense retrieval.
pub struct DenseLocator<'m> {
    pub index: Dense,
    pub encoder: &'m dyn DenseEncoder,
}

impl Locator for DenseLocator<'_> {
    fn name(&self) -> &str {
        "dense"
    }

    fn locate(&self, question: Question<'_>, top_n: usize) -> Result<Vec<Found>, encode::Error> {
        let hits = self.index.search(question.text, top_n, self.encoder)?;
        Ok(judged(hits, self.encoder.name()))
    }
}

fn judged(hits: Vec<Hit>, model: &str) -> Vec<Found> {
    super::lexical::found(hits, |_| Reason {
        model: Some(model.to_owned()),
        ..Reason::default()
    })
}
