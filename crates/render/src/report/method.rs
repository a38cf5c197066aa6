//! How a report came about: what was searched for, who judged, why the search ended, what failed.

use fathom_evidence::validate::retry::RetryEntry;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::SourceId;

/// The course of the research behind a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResearchMethod {
    /// The depth that was worked at: as asked, or as the planner chose.
    pub depth: String,
    /// The parts that the question was taken apart into.
    pub sub_questions: Vec<String>,
    /// What was searched for, each wording once.
    pub queries: Vec<String>,
    /// Who reasoned: `extractive`, or a model's name.
    pub reasoners: Vec<String>,
    /// One for each time the evidence was analysed.
    pub rounds: Vec<SearchRound>,
    /// Drafts that were written.
    pub drafts: u32,
    /// Steps that the run took.
    pub steps: u64,
    /// What could not be done as well as intended, in sentences.
    pub degraded: Vec<String>,
    /// Failures that the run lived through, the last of them.
    pub errors: Vec<FailureNote>,
    /// How many results each sub-question had, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<usize>,
    /// How the plan was reasoned, in the planner's own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TracePart>,
    /// What the planner found ambiguous or out of scope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What each revision changed in which part, and how many remarks asked for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    /// Second looks under relaxed rules, and what they changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation_retry_log: Vec<RetryEntry>,
    /// Cited sources with evidence that only relaxed rules accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relaxed: Vec<SourceId>,
    /// Why searching was cut short, and what is missing; nothing where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insufficient_termination: Option<CutShort>,
}

/// One part of how a plan was reasoned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracePart {
    /// `understanding`, `decomposition`, `strategy`, `outline` or `risks`.
    pub part: String,
    /// The planner's own words.
    pub text: String,
}

/// That a run had to stop before its answer was complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CutShort {
    /// What was used up.
    pub reason: StopReason,
    /// What is still missing, in clauses.
    pub missing: Vec<String>,
}

/// What one round of searching brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRound {
    /// How complete the answer was after it.
    pub signals: StopSignals,
    /// Pieces of evidence that no round before had.
    pub new_evidence: usize,
    /// Why it was the last; nothing if it searched on.
    pub stop: Option<StopReason>,
}

/// What the stop rule sees of a round. Each signal lies between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopSignals {
    /// The share of the rounds that is used up.
    pub iteration: f64,
    /// The share of the sub-questions with a finding to rely on.
    pub coverage: f64,
    /// How sure the findings are, in the mean.
    pub confidence: f64,
    /// 1 without a gap, less with each.
    pub gaps: f64,
    /// The weighted sum of the others.
    pub completeness: f64,
}

/// Why no more is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The signals say that the answer is complete.
    Complete,
    /// The reasoner finds the evidence sufficient and every sub-question is covered.
    Sufficient,
    /// There is no gap that another search is meant to fill.
    NoGaps,
    /// The rounds are used up.
    Iterations,
    /// The rounds for gaps are used up.
    GapSearches,
    /// The time is used up.
    Time,
    /// The cap on tokens is reached.
    Tokens,
    /// The cap on money is reached.
    Cost,
    /// The cap on queries is reached.
    Queries,
    /// The cap on page reads is reached.
    Fetches,
    /// Too many searches failed.
    SearchErrors,
    /// Two rounds in a row brought no new evidence.
    NothingNew,
    /// What is missing was searched for already, in the very same words.
    AlreadyAsked,
}

impl StopReason {
    /// Whether the run was cut short: something is missing that more means might have found.
    pub fn is_cut_short(self) -> bool {
        match self {
            Self::Complete
            | Self::Sufficient
            | Self::NoGaps
            | Self::NothingNew
            | Self::AlreadyAsked => false,
            Self::Iterations
            | Self::GapSearches
            | Self::Time
            | Self::Tokens
            | Self::Cost
            | Self::Queries
            | Self::Fetches
            | Self::SearchErrors => true,
        }
    }

    /// The reason as a clause behind "because".
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Complete => "the answer is complete",
            Self::Sufficient => "the evidence suffices and every sub-question is covered",
            Self::NoGaps => "no more than minor gaps are left",
            Self::Iterations => "the rounds of searching are used up",
            Self::GapSearches => "the searches for gaps are used up",
            Self::Time => "the time is used up",
            Self::Tokens => "the tokens are used up",
            Self::Cost => "the money is used up",
            Self::Queries => "the queries are used up",
            Self::Fetches => "the page reads are used up",
            Self::SearchErrors => "too many searches failed",
            Self::NothingNew => "two rounds in a row brought no new evidence",
            Self::AlreadyAsked => "what is missing was searched for already, in the same words",
        }
    }
}

/// A failure that the run lived through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureNote {
    /// The step that it happened in.
    pub node: String,
    /// When the step gave up.
    pub at: Timestamp,
    /// The class of the failure, such as `rate_limit`.
    pub category: String,
    /// What it meant: `recoverable`, `degraded` or `fatal`. Empty in reports from before it was kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub severity: String,
    /// How often it was tried.
    pub attempts: u32,
    /// What was said.
    pub message: String,
}
