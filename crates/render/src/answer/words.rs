//! What an answer says by itself, in the language of its question.

use fathom_evidence::Language;
use serde::Deserialize;

use crate::phrases::Phrases;

/// The words of one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerWords {
    pub(super) page: &'static str,
    pub(super) line: &'static str,
    /// Before the question in full.
    pub(super) understood_as: &'static str,
    pub(super) confidence: &'static str,
    /// Quality, coverage, relevance, results.
    pub(super) measures: [&'static str; 4],
    /// `{why}` stands for the measures that fell short.
    pub(super) searched_again: &'static str,
    pub(super) still_poor: &'static str,
    /// `{stage}` stands for the stage that was under way.
    pub(super) timeout: &'static str,
    /// The same where something had been found by then.
    pub(super) cut_short: &'static str,
    pub(super) error: &'static str,
    /// `{name}` stands for a model.
    pub(super) written_by: &'static str,
    pub(super) quotes_only: &'static str,
    /// Behind a sentence that its passages were not found to say.
    pub(super) unconfirmed: &'static str,
}

impl AnswerWords {
    pub(super) fn new(language: Language) -> &'static Self {
        &Phrases::new(language).answer
    }
}
