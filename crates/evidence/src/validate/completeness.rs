//! Whether each question has enough valid evidence.

use serde::{Deserialize, Serialize};

use super::{ValidatedEvidence, ValidationRules};

/// Whether one question has enough evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completeness {
    /// The question in its own words.
    pub question: String,
    /// How many different passages count for it.
    pub valid: usize,
    /// How many it needs.
    pub wanted: usize,
    /// Whether it has as many as it needs.
    pub met: bool,
}

/// Counts passages once each: the same one found twice is no more evidence.
pub fn completeness(
    questions: &[String],
    evidence: &[ValidatedEvidence],
    settings: &ValidationRules,
) -> Vec<Completeness> {
    let wanted = settings.completeness_min_evidence;
    let of = |question: &String| {
        let counts = |e: &&ValidatedEvidence| {
            e.accepted
                && e.candidate.question == *question
                && (e.relevant || !settings.completeness_require_relevance)
        };
        let place = |e: &ValidatedEvidence| (e.candidate.source.clone(), e.candidate.span);
        let mut places: Vec<_> = evidence.iter().filter(counts).map(place).collect();
        places.sort();
        places.dedup();
        let valid = places.len();
        Completeness {
            question: question.clone(),
            valid,
            wanted,
            met: valid >= wanted,
        }
    };
    questions.iter().map(of).collect()
}
