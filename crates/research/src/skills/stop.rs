//! The stop rule: how complete the answer is, by several signals, and whether to search on.
//!
//! Plain arithmetic over what a round brought. Every signal is kept, so that a reader sees why a run stopped.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
pub use fathom_render::report::method::{StopReason, StopSignals};

/// How much each signal counts. They add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CompletenessWeights {
    /// The share of rounds that are used up.
    pub iteration: f64,
    /// The share of sub-questions with a finding that is sure.
    pub coverage: f64,
    /// The mean confidence of the findings.
    pub confidence: f64,
    /// How few gaps are left.
    pub gaps: f64,
}

impl Default for CompletenessWeights {
    fn default() -> Self {
        Self {
            iteration: 0.40,
            coverage: 0.30,
            confidence: 0.20,
            gaps: 0.10,
        }
    }
}

/// A finding from this confidence on covers its sub-question.
const COVERS_FROM: f64 = 0.7;

/// However many rounds have passed, they alone never make an answer complete.
const ITERATION_CAP: f64 = 0.9;

const GAP_COST: f64 = 0.2;

/// What one round brought, as the rule sees it.
pub fn stop_signals(
    analysis: &Analysis,
    sub_questions: usize,
    iteration: u32,
    max_iterations: u32,
    weights: &CompletenessWeights,
) -> StopSignals {
    let findings = &analysis.findings;
    let covered: BTreeSet<_> = findings
        .iter()
        .filter(|finding| finding.confidence >= COVERS_FROM)
        .map(|finding| finding.answers)
        .collect();
    let sum: f64 = findings.iter().map(|finding| finding.confidence).sum();
    let iteration = f64::from(iteration) / f64::from(max_iterations.max(1));
    let mut signals = StopSignals {
        iteration: iteration.min(ITERATION_CAP),
        coverage: covered.len() as f64 / sub_questions.max(1) as f64,
        confidence: sum / findings.len().max(1) as f64,
        gaps: (1.0 - GAP_COST * analysis.gaps.len() as f64).max(0.0),
        completeness: 0.0,
    };
    if !findings.is_empty() {
        signals.completeness = weights.iteration * signals.iteration
            + weights.coverage * signals.coverage
            + weights.confidence * signals.confidence
            + weights.gaps * signals.gaps;
    }
    signals
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Finding, Gap, Strength};
    use crate::plan::SubQuestionId;

    fn finding(answers: u32, confidence: f64) -> Finding {
        Finding {
            statement: String::new(),
            answers: SubQuestionId(answers),
            evidence: vec![],
            strength: Strength::Moderate,
            confidence,
        }
    }

    fn gap() -> Gap {
        Gap {
            answers: SubQuestionId(0),
            missing: String::new(),
            query: String::new(),
        }
    }

    fn completeness(findings: Vec<Finding>, gaps: usize, iteration: u32) -> f64 {
        let analysis = Analysis {
            findings,
            gaps: vec![gap(); gaps],
            ..Analysis::default()
        };
        stop_signals(&analysis, 4, iteration, 5, &CompletenessWeights::default()).completeness
    }

    #[test]
    fn without_findings_nothing_is_complete() {
        assert_eq!(completeness(vec![], 0, 5), 0.0);
    }

    #[test]
    fn the_signals_are_weighed_as_written() {
        let findings = vec![finding(0, 0.8), finding(1, 0.6)];
        let expected = 0.40 * 0.4 + 0.30 * 0.25 + 0.20 * 0.7 + 0.10 * 0.6;
        assert!((completeness(findings, 2, 2) - expected).abs() < 1e-9);
    }

    #[test]
    fn five_findings_on_one_sub_question_cover_one() {
        let one = vec![finding(0, 0.9); 5];
        let four = (0..4).map(|sub| finding(sub, 0.9)).collect();
        let gain = completeness(four, 0, 1) - completeness(one, 0, 1);
        assert!((gain - 0.30 * 0.75).abs() < 1e-9);
    }

    #[test]
    fn rounds_alone_never_complete_an_answer_and_many_gaps_cost_no_more_than_their_share() {
        let all: Vec<_> = (0..4).map(|sub| finding(sub, 1.0)).collect();
        assert!((completeness(all.clone(), 0, 50) - 0.96).abs() < 1e-9);
        assert!((completeness(all, 50, 50) - 0.86).abs() < 1e-9);
    }
}
