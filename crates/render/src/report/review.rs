//! What the last review of a report said.

use serde::{Deserialize, Serialize};

use super::claim::TextPlace;

/// A review of the draft that became the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportReview {
    /// The number of the draft, from 1.
    pub draft: u32,
    /// Who reviewed: a model's name, or `extractive`; nothing in reports that were stored before it was kept.
    #[serde(default)]
    pub by: Option<String>,
    /// 0 to 10, weighed by code from the scores.
    pub score: f64,
    /// The single scores.
    pub scores: ReviewScores,
    /// What followed.
    pub verdict: ReviewVerdict,
    /// 0 to 1: what another revision may have brought.
    pub potential: f64,
    /// The reviewer's words.
    pub summary: String,
    /// What was found, the gravest first.
    pub items: Vec<ReviewItem>,
}

/// Something that a review found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewItem {
    /// What it concerns.
    pub category: ReviewCategory,
    /// How grave it is.
    pub severity: Severity,
    /// The part of the text that it stands in.
    pub place: TextPlace,
    /// The number of the section, where it stands in one.
    pub section: Option<usize>,
    /// What is wrong, in a sentence.
    pub description: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// Code found it, so it is no matter of opinion.
    pub proven: bool,
}

/// The scores of a review, each from 0 to 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewScores {
    /// Whether what it says is right.
    pub accuracy: f64,
    /// Whether it answers all of the question.
    pub completeness: f64,
    /// Whether it hangs together.
    pub coherence: f64,
    /// Whether it cites what it says.
    pub citation: f64,
    /// Whether its sources and their weighing are sound.
    pub methodology: f64,
    /// Whether it reads well.
    pub style: f64,
}

/// What an item of a review concerns; one for each score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewCategory {
    /// Whether what it says is right.
    Accuracy,
    /// Whether it answers all of the question.
    Completeness,
    /// Whether it hangs together.
    Coherence,
    /// Whether it cites what it says.
    Citation,
    /// Whether its sources and their weighing are sound.
    Methodology,
    /// Whether it reads well.
    Style,
}

/// How grave an item of a review is, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// May be left as it is.
    Suggestion,
    /// Does little harm.
    Minor,
    /// Harms the report; a few are borne.
    Major,
    /// Keeps a draft from being approved.
    Critical,
}

impl Severity {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Suggestion => "suggestion",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        }
    }
}

/// What follows from a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// It is good enough.
    Approve,
    /// Another draft is to be written.
    Revise,
    /// Another draft would not help.
    Reject,
}
