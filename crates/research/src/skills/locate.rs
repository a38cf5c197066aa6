//! From documents to evidence: sentences, word for word, tied to the sub-questions they bear on.
//!
//! Takes a plan and the sources that were read; gives evidence, the conflicts among it, and what a second
//! look changed. Plain functions without input or output. What the evidence means is left to the reasoner.

mod assign;
mod choose;
mod conflict;
mod copies;
mod evidence_search;
mod profile;
mod sentence;

use std::sync::Arc;

use fathom_evidence::passage::{self, Passage};
use fathom_evidence::terms::Terms;
use fathom_evidence::validate::retry::{Retry, RetryDecision, RetryEntry, RetrySettings};
use fathom_evidence::{Document, Language, question};

use crate::analysis::{Contradiction, Evidence};
use crate::plan::Plan;
use crate::question::Question;
use crate::source::SourceId;

pub use copies::Copied;
pub(crate) use copies::is_copied;
use evidence_search::EvidenceSearch;
use profile::QuestionProfile;
pub(crate) use profile::synonyms;

/// A source that was read, cut into passages.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its number.
    pub source: SourceId,
    /// Its text and structure.
    pub document: Arc<Document>,
    /// The text in pieces that can be ranked.
    pub passages: Vec<Passage>,
}

impl Reading {
    /// Cuts a document into passages.
    pub fn new(source: SourceId, document: Arc<Document>) -> Self {
        let passages = passage::passages(&document, &passage::PassageSettings::default());
        Self {
            source,
            document,
            passages,
        }
    }
}

/// What was found in the sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// By sub-question, the best first.
    pub evidence: Vec<Evidence>,
    /// Conflicts between sources, each side quoted.
    pub contradictions: Vec<Contradiction>,
    /// What a second look under relaxed rules changed.
    pub retry_log: Vec<RetryEntry>,
    /// Sources that were left out because they copy another.
    pub copies: Vec<Copied>,
    /// The language that the report is written in.
    pub language: Language,
}

/// Finds the evidence for every sub-question of a plan.
pub fn locate(
    question: &Question,
    plan: &Plan,
    readings: &[Reading],
    settings: &RetrySettings,
) -> Located {
    let (kept, copies) = copies::split(readings);
    // Reports are written in the language of their question.
    let language = question::read(question.text()).language;
    let terms = Terms::new(language);
    let focuses: Vec<QuestionProfile> = plan
        .ids()
        .filter_map(|id| QuestionProfile::new(id, plan, question, &terms))
        .collect();
    let mut retry = Retry::new(*settings);
    let mut search = EvidenceSearch::new(kept, focuses, language, settings);
    let mut wanted = search.questions();
    // The retries are bounded by their settings.
    loop {
        search.look(&wanted, &retry.settings);
        match retry.decide(&search.validation(&retry.settings)) {
            RetryDecision::Retry {
                failed_questions, ..
            } => wanted = failed_questions,
            RetryDecision::Proceed | RetryDecision::ProceedMarked { .. } => break,
        }
    }
    let (evidence, contradictions) = assign::assign(&search);
    Located {
        evidence,
        contradictions,
        retry_log: retry.validation_retry_log,
        copies,
        language,
    }
}
