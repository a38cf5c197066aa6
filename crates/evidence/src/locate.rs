//! Finds the passages that bear on a question.
//!
//! Takes passages of one or several documents and a question; gives candidates, best first, each
//! with what every locator said of it. A [`Pool`] builds its indexes once and answers many
//! questions. Models are handed in as further locators; whether a candidate really answers is left
//! to the validators.

mod context;
mod lexical;
mod model;
mod pool;
mod rules;
mod settings;

use serde::{Deserialize, Serialize};

use crate::encode;
use crate::fusion::Support;
use crate::passage::PassageId;

pub use model::{DenseLocator, SparseLocator};
pub use pool::{Entry, Pool};
pub use rules::{Rule, RuleError, Rules};
pub use settings::{Settings, Weights};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    pub text: &'q str,
    /// The name of the rule that fits it; nothing lets the rules tell by the text.
    pub kind: Option<&'q str>,
}

impl<'q> From<&'q str> for Question<'q> {
    fn from(text: &'q str) -> Self {
        Self { text, kind: None }
    }
}

/// Something that ranks the passages of a pool.
pub trait Locator {
    /// Saved with every candidate: choose it once.
    fn name(&self) -> &str;

    /// The best passages, best first, by their place in the pool.
    fn locate(&self, question: Question<'_>, top_n: usize) -> Result<Vec<Found>, encode::Error>;
}

/// What a locator found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The passage's place in the pool.
    pub place: usize,
    /// On the locator's own scale.
    pub score: f32,
    pub why: Reason,
}

/// Why a locator thinks that a passage bears on the question. Empty parts were no reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reason {
    /// Terms of the question that the passage has, those that say most first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// The section it stands in, where that spoke for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Phrases of the rule that stand in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// Whether passages beside it spoke for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub neighbours: bool,
    /// The model that judged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Names a passage among those of several sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub source: String,
    pub passage: PassageId,
}

/// A passage that may answer the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub key: Key,
    /// Its place in the pool.
    pub place: usize,
    /// After fusion: comparable within one answer only.
    pub score: f32,
    pub support: Vec<Support<Reason>>,
}

/// What was located.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Located {
    pub candidates: Vec<Candidate>,
    /// Which locators could not be used and why, in sentences for people.
    pub lost: Vec<String>,
}

#[cfg(test)]
mod tests;
