//! Whether a passage bears on a question: a label, how sure, and the words that show it.

use serde::{Deserialize, Serialize};

use crate::Language;
use crate::citation::{SourceText, share};

use super::ValidationRules;

/// From these shares of the question's terms on, a passage answers it or bears on it.
const DIRECT_MIN: f64 = 0.6;
const PARTIAL_MIN: f64 = 0.3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relevance {
    Direct,
    Partial,
    None,
}

/// What a judge says of a passage and a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelevanceVerdict {
    pub label: Relevance,
    /// Between 0 and 1.
    pub confidence: f64,
    /// Words of the passage that show it.
    pub quote: Option<String>,
}

/// Who judges relevance. A judge that must be waited for gives its verdicts as data instead.
pub trait RelevanceJudge {
    fn judge(&self, question: &str, passage: &str) -> RelevanceVerdict;
}

/// Judges by the words a question and a passage share, rare ones counting most.
#[derive(Clone, Copy, Debug)]
pub struct LexicalJudge {
    pub language: Language,
}

impl RelevanceJudge for LexicalJudge {
    fn judge(&self, question: &str, passage: &str) -> RelevanceVerdict {
        let source = SourceText::new(passage, self.language);
        let (share, best) = share(question, &source);
        let quote = best.and_then(|span| span.of(passage)).map(str::to_owned);
        let label = if share >= DIRECT_MIN {
            Relevance::Direct
        } else if share >= PARTIAL_MIN {
            Relevance::Partial
        } else {
            Relevance::None
        };
        // Sure of a "none" when nothing is shared, of a "direct" when all is.
        let confidence = if label == Relevance::None {
            1.0 - share
        } else {
            share
        };
        RelevanceVerdict {
            label,
            confidence,
            quote: quote.filter(|_| label != Relevance::None),
        }
    }
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
