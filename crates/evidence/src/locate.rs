//! Finds the passages that bear on a question.
//!
//! Takes passages of one or several documents and a question; gives candidates, best first, each
//! with what every locator said of it. A [`PassageIndex`] builds its indexes once and answers many
//! questions. Models are handed in as further locators; whether a candidate really answers is left
//! to the validators.

mod context;
mod index;
mod lexical;
mod rerank;
mod rules;
mod settings;

use serde::{Deserialize, Serialize};

use crate::encode;
use crate::fusion::LocatorSupport;
use crate::passage::PassageId;

pub use index::{PassageEntry, PassageIndex};
pub use rerank::rerank;
pub use rules::{LocatorRule, LocatorRules, RuleError};
pub use settings::{LocateSettings, LocatorWeights};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct LocateQuestion<'q> {
    /// The question in its own words.
    pub text: &'q str,
    /// The name of the rule that fits it; nothing lets the rules tell by the text.
    pub kind: Option<&'q str>,
}

impl<'q> From<&'q str> for LocateQuestion<'q> {
    fn from(text: &'q str) -> Self {
        Self { text, kind: None }
    }
}

/// Something that ranks the passages of a pool.
pub trait Locator {
    /// Saved with every candidate: choose it once.
    fn name(&self) -> &str;

    /// The best passages, best first, by their place in the pool.
    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError>;
}

/// What a locator found.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPassage {
    /// The passage's place in the pool.
    pub place: usize,
    /// On the locator's own scale.
    pub score: f32,
    /// What spoke for it.
    pub why: LocateReason,
}

/// Why a locator thinks that a passage bears on the question. Empty parts were no reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocateReason {
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
pub struct PassageKey {
    /// The source's name, as its entries were given.
    pub source: String,
    /// The passage's id within its source.
    pub passage: PassageId,
}

/// A passage that may answer the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassageCandidate {
    /// Which passage it is.
    pub key: PassageKey,
    /// Its place among the entries of the index, as [`PassageIndex::entries`] gives them. They tell which passage of its
    /// document it is.
    pub place: usize,
    /// After fusion: comparable within one answer only.
    pub score: f32,
    /// What each locator said of it.
    pub support: Vec<LocatorSupport<LocateReason>>,
}

/// What was located.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LocatedPassages {
    /// The passages found, best first.
    pub candidates: Vec<PassageCandidate>,
    /// Which locators could not be used and why, in sentences for people.
    pub lost: Vec<String>,
}

#[cfg(test)]
mod tests;
