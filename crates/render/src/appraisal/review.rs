//! What a person decided who was asked to look at an appraisal before it went out.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A person's decision on an appraisal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppraisalReview {
    /// What was decided.
    pub result: ReviewResult,
    /// Who decided; nobody where the deadline did.
    pub by: Option<String>,
    /// When.
    pub at: Timestamp,
    /// What was said besides.
    pub remark: Option<String>,
}

/// The ways in which a review ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum ReviewResult {
    /// It stands as it was.
    Approved,
    /// Some answers were given otherwise, and the judgements made anew.
    Changed {
        /// How many.
        answers: usize,
    },
    /// It was let go without a look at it.
    Skipped,
    /// It was not accepted, and goes out marked so.
    Rejected,
}

impl ReviewResult {
    /// Whether the person let it go out.
    pub fn is_accepted(self) -> bool {
        match self {
            Self::Approved | Self::Changed { .. } | Self::Skipped => true,
            Self::Rejected => false,
        }
    }
}

impl AppraisalReview {
    /// The decision as a sentence.
    pub fn sentence(&self) -> String {
        let Some(by) = &self.by else {
            return "Nobody reviewed it in time.".to_owned();
        };
        let what = match self.result {
            ReviewResult::Approved => "approved it".to_owned(),
            ReviewResult::Changed { answers: 1 } => "changed 1 answer".to_owned(),
            ReviewResult::Changed { answers } => format!("changed {answers} answers"),
            ReviewResult::Skipped => "let it go without a look".to_owned(),
            ReviewResult::Rejected => "did not accept it".to_owned(),
        };
        match &self.remark {
            Some(remark) => format!("{by} {what}: {remark}"),
            None => format!("{by} {what}."),
        }
    }
}
