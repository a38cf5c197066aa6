//! How passages are located.

use serde::{Deserialize, Serialize};

use crate::{bm25, ngrams, prf};

/// How many passages are located, and what counts for them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocateSettings {
    /// How many passages each locator names.
    pub per_query_top_n: usize,
    /// How many candidates are given.
    pub top_k: usize,
    /// Whether sections, titles and neighbours count.
    pub use_structure: bool,
    /// How much each locator counts.
    pub weights: LocatorWeights,
    /// What a passage borrows of the score of each passage beside it.
    pub neighbour_share: f32,
    /// What a part of the question is worth each time it was answered again; 1 takes the
    /// candidates as fusion ranks them. Nothing takes what fits the length of the passages: several
    /// sentences answer together, a long passage answers alone.
    pub cover_decay: Option<f32>,
    /// How much more a word of the title counts, where there are several documents.
    pub title_weight: f32,
    /// How much a word of the headings above a passage counts.
    pub section_weight: f32,
    /// Nothing takes what fits the length of the passages.
    pub words: Option<bm25::Bm25Settings>,
    /// Nothing takes what fits the length of the passages.
    pub pieces: Option<ngrams::NgramSettings>,
    /// How a question is widened by what it finds.
    pub feedback: prf::FeedbackSettings,
}

impl Default for LocateSettings {
    fn default() -> Self {
        Self {
            per_query_top_n: 50,
            top_k: 5,
            use_structure: true,
            weights: LocatorWeights::default(),
            neighbour_share: 0.2,
            cover_decay: None,
            title_weight: 2.0,
            section_weight: 1.0,
            words: None,
            pieces: None,
            feedback: prf::FeedbackSettings::default(),
        }
    }
}

/// How much each locator counts in fusion; 0 leaves it out. The context holds words and pieces
/// already, so that those decide only between near equals. A rule that is guessed from the wording
/// of a question is weak; who names the question's kind does well to raise it above 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocatorWeights {
    /// Words by BM25.
    pub bm25: f32,
    /// Pieces of words.
    pub ngrams: f32,
    /// Words of the question and of the best passages.
    pub feedback: f32,
    /// Words and pieces together, with a share of the neighbours'.
    pub context: f32,
    /// Where answers of this kind usually stand.
    pub rules: f32,
}

impl Default for LocatorWeights {
    fn default() -> Self {
        Self {
            bm25: 0.05,
            ngrams: 0.02,
            feedback: 0.02,
            context: 1.0,
            rules: 0.01,
        }
    }
}
