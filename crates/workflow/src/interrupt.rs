//! Questions a run puts to people, and their answers.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a parked run asks, and shows while it waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interrupt {
    /// Why it waits, in a sentence.
    pub reason: String,
    /// The fields to look at before deciding.
    pub show: Value,
    /// When it goes on without an answer; `None` waits for ever.
    pub deadline: Option<Timestamp>,
}

impl Interrupt {
    /// A wait for a moment, with nothing to decide.
    pub(crate) fn timer(at: Timestamp, reason: String) -> Self {
        Self {
            reason,
            show: Value::Null,
            deadline: Some(at),
        }
    }
}

/// What a node says to open a gate; the engine turns `within` into a stored moment.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Why it asks, in a sentence.
    pub reason: String,
    /// The fields to look at before deciding.
    pub show: Value,
    /// How long it waits for an answer; `None` waits for ever.
    pub within: Option<Duration>,
}

/// A person's decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What was decided.
    pub verdict: Verdict,
    /// Edited fields, for [`Verdict::Modify`]. The workflow checks that they fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<Value>,
    /// Words for whoever plans or writes next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Who decided, for the record.
    pub by: String,
}

impl Decision {
    /// A decision without edits or feedback.
    pub fn new(verdict: Verdict, by: impl Into<String>) -> Self {
        Self {
            verdict,
            edits: None,
            feedback: None,
            by: by.into(),
        }
    }
}

/// The ways to decide at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Go on as proposed.
    Approve,
    /// Do not go on this way.
    Reject,
    /// Go on with the edits, or do it again with the feedback.
    Modify,
    /// Go on without having looked.
    Skip,
}

/// How a gate was passed. The first answer wins; there is never a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Answer {
    /// A person decided in time.
    Decided {
        /// What was decided, and by whom.
        #[serde(flatten)]
        decision: Decision,
        /// When the decision was taken.
        at: Timestamp,
    },
    /// Its deadline came first.
    TimedOut {
        /// When that was noticed.
        at: Timestamp,
    },
}

/// What became of a wish to park until a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParkOutcome {
    /// The moment has come, or a person did not want to wait for it.
    Woken,
    /// The moment lies beyond the run's deadline, so the run was not parked.
    PastDeadline,
    /// The step was parked as often as it may be, so it was not parked again.
    TooManyParks,
}

impl Answer {
    /// When the run was free to go on.
    pub(crate) fn at(&self) -> Timestamp {
        match self {
            Self::Decided { at, .. } | Self::TimedOut { at } => *at,
        }
    }
}
