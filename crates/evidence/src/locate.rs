//! Finds the passages that bear on a question.
//!
//! Takes passages of one or several documents and a question; gives candidates, best first, each
//! with what every locator said of it. A [`PassageIndex`] builds its indexes once and answers many
//! questions. What a model says of the candidates is added by [`rerank`]; whether a candidate really answers is left to
//! the validators.

mod index;
mod rerank;
mod rules;

use serde::{Deserialize, Serialize};

use crate::fusion::LocatorSupport;
use crate::passage::PassageId;

pub use index::{
    NEIGHBOUR_SHARE, PIECES_SHARE, PassageEntry, PassageIndex, SENTENCE_BYTES, TITLE_WEIGHT,
};
pub use rerank::rerank;
pub use rules::{LocatorRule, LocatorRules, RuleError};

/// How many passages are located, and what counts for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocateSettings {
    /// How many passages the words name. Rules look at these alone.
    pub per_query_top_n: usize,
    /// How many candidates are given.
    pub top_k: usize,
    /// Whether neighbouring passages and rules count.
    pub use_structure: bool,
    /// Whether candidates are wanted that together answer all parts of the question, rather than the best ones.
    /// It helps where passages are single sentences: several of them answer together, a long passage answers alone.
    pub cover: bool,
}

impl Default for LocateSettings {
    fn default() -> Self {
        Self {
            per_query_top_n: 50,
            top_k: 5,
            use_structure: true,
            cover: false,
        }
    }
}

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

impl PassageCandidate {
    /// How well its words fit the question, headings and neighbours counted; 0 where only a rule found it.
    pub fn by_words(&self) -> f32 {
        let mut support = self.support.iter();
        let words = support.find(|one| one.locator == index::CONTEXT_LOCATOR);
        words.map_or(0.0, |one| one.score)
    }
}

#[cfg(test)]
mod tests;
