//! Validators: whether evidence bears on its question, really stands where it is said to, agrees
//! with the rest, and is enough.
//!
//! Takes questions, evidence with the verdicts of a judge and the texts; gives what was accepted and why not, conflicts, and which questions failed. Verdicts
//! are plain data, so that a workflow can fetch them as recorded calls. What to do about a failure
//! is decided in [`retry`].

pub mod amounts;
pub mod completeness;
pub mod consistency;
pub mod existence;
pub mod relevance;
pub mod retry;

use serde::{Deserialize, Serialize};

use crate::{Language, Span};

use completeness::Completeness;
use consistency::{Conflict, Statement};
use existence::{NotThere, QuoteMode};
use relevance::RelevanceVerdict;

/// Rules that evidence must pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ValidationRules {
    /// A verdict that is less sure does not pass.
    pub relevance_min_confidence: f64,
    /// A verdict must quote the words that show it.
    pub relevance_require_quote: bool,
    /// How closely a quote must agree with its source.
    pub existence: QuoteMode,
    /// Only evidence that passed relevance counts towards completeness.
    pub completeness_require_relevance: bool,
    /// How many pieces of valid evidence a question needs.
    pub completeness_min_evidence: usize,
    /// Evidence accepted now is marked as accepted under relaxed rules.
    pub relaxed: bool,
}

impl Default for ValidationRules {
    fn default() -> Self {
        Self {
            relevance_min_confidence: 0.5,
            relevance_require_quote: true,
            existence: QuoteMode::Exact,
            completeness_require_relevance: true,
            completeness_min_evidence: 1,
            relaxed: false,
        }
    }
}

/// A passage put forward for a question, with a judge's verdict on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceCandidate {
    /// The question that it is put forward for.
    pub question: String,
    /// The id of its source.
    pub source: String,
    /// Where the passage stands in the source's text.
    pub span: Span,
    /// The passage's words as they were given to the judge.
    pub passage: String,
    /// What the judge said.
    pub verdict: RelevanceVerdict,
}

/// A candidate after all validators that look at it alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidatedEvidence {
    /// What was put forward.
    pub candidate: EvidenceCandidate,
    /// Where the verdict's quote stands in the source.
    pub quote: Option<Span>,
    /// It passed the rules on relevance.
    pub relevant: bool,
    /// It passed all rules.
    pub accepted: bool,
    /// It was accepted under rules that had been relaxed for a retry.
    pub relaxed: bool,
    /// Why it was not accepted, in sentences for people.
    pub reasons: Vec<String>,
}

/// What the validators say of all evidence together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Each candidate in the order given.
    pub evidence: Vec<ValidatedEvidence>,
    /// The conflicts among what was accepted.
    pub conflicts: Vec<Conflict>,
    /// Of each question, whether it has enough.
    pub completeness: Vec<Completeness>,
}

/// Runs all four validators. `text` gives a source's text by its id.
pub fn validate<'t>(
    questions: &[String],
    candidates: &[EvidenceCandidate],
    text: impl Fn(&str) -> Option<&'t str>,
    language: Language,
    settings: &ValidationRules,
) -> Validation {
    let evidence = validate_each(candidates, text, settings);
    let statements: Vec<Statement<'_>> = evidence
        .iter()
        .filter(|e| e.accepted)
        .map(Statement::from_evidence)
        .collect();
    Validation {
        conflicts: consistency::conflicts(&statements, language),
        completeness: completeness::completeness(questions, &evidence, settings),
        evidence,
    }
}

/// Runs the validators that look at each candidate alone: relevance and existence.
pub fn validate_each<'t>(
    candidates: &[EvidenceCandidate],
    text: impl Fn(&str) -> Option<&'t str>,
    settings: &ValidationRules,
) -> Vec<ValidatedEvidence> {
    let one =
        |candidate: &EvidenceCandidate| validate_one(candidate, text(&candidate.source), settings);
    candidates.iter().map(one).collect()
}

fn validate_one(
    candidate: &EvidenceCandidate,
    text: Option<&str>,
    settings: &ValidationRules,
) -> ValidatedEvidence {
    let mut reasons = Vec::new();
    let irrelevant = relevance::objection(&candidate.verdict, settings);
    let relevant = irrelevant.is_none();
    if settings.completeness_require_relevance {
        reasons.extend(irrelevant);
    }
    let quote = match existence::exists(candidate, text, settings.existence) {
        Ok(found) => found,
        Err(why) => {
            reasons.push(NotThere::to_string(&why));
            None
        }
    };
    let accepted = reasons.is_empty();
    ValidatedEvidence {
        candidate: candidate.clone(),
        quote,
        relevant,
        accepted,
        relaxed: accepted && settings.relaxed,
        reasons,
    }
}

#[cfg(test)]
mod tests;
