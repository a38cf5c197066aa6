//! Whether a passage bears on a question: a label, how sure, and the words that show it.

use serde::{Deserialize, Serialize};

use super::ValidationRules;

/// How well a passage answers a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relevance {
    /// It answers the question.
    Direct,
    /// It bears on the question without answering it.
    Partial,
    /// It does neither.
    None,
}

/// What a judge says of a passage and a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelevanceVerdict {
    /// How well the passage answers.
    pub label: Relevance,
    /// Between 0 and 1.
    pub confidence: f64,
    /// Words of the passage that show it.
    pub quote: Option<String>,
}

/// Why a verdict does not pass, in a sentence.
pub(super) fn objection(verdict: &RelevanceVerdict, settings: &ValidationRules) -> Option<String> {
    let least = settings.relevance_min_confidence;
    // Written so that a confidence that is no number does not pass.
    let sure = verdict.confidence >= least;
    if verdict.label == Relevance::None {
        Some("the passage does not bear on the question".to_owned())
    } else if !sure {
        Some(format!(
            "the judge is {:.2} sure, {least:.2} is needed",
            verdict.confidence
        ))
    } else if settings.relevance_require_quote && verdict.quote.is_none() {
        Some("the judge quoted nothing".to_owned())
    } else {
        None
    }
}
