//! What happened in a run, numbered from 1 and stored in the same transaction as its cause.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::interrupt::{Answer, Interrupt};
use crate::record::{CutReason, Meters, Name, Status};
use crate::{Owner, RunId};

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Counts from 1 within the run, without a gap.
    pub number: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The things that can happen in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[expect(
    missing_docs,
    reason = "the fields are those of the step, entry or run of the same name"
)]
pub enum EventKind {
    /// The run was committed.
    RunStarted { workflow: Name },
    /// The run was committed as a fork of another.
    RunForked { from: RunId, step: u64 },
    /// An owner took the run up again.
    RunResumed {
        owner: Owner,
        step: u64,
        attempt: u32,
    },
    /// A node begins to work.
    StepStarted { step: u64, node: Name, phase: Name },
    /// A node's update was recorded.
    StepFinished {
        step: u64,
        node: Name,
        next: Option<Name>,
    },
    /// The node brought nothing; the run goes on at its rescue node.
    StepCut {
        step: u64,
        node: Name,
        cut: CutReason,
    },
    /// An outside call begins.
    EffectStarted { step: u64, key: String },
    /// An outside call failed and is made again after a wait.
    EffectRetried {
        step: u64,
        key: String,
        attempt: u32,
        wait_ms: u64,
        reason: String,
    },
    /// An outside call has brought a part of its answer. What it brings in the end may be another.
    EffectProgressed {
        step: u64,
        key: String,
        text: String,
    },
    /// An outside call's answer was recorded.
    EffectFinished {
        step: u64,
        key: String,
        ms: u64,
        #[serde(default, skip_serializing_if = "Meters::is_empty")]
        meters: Meters,
    },
    /// A node noted something for whoever watches.
    Log { level: Level, message: String },
    /// Spent outside any effect.
    Spent { meter: Name, amount: u64 },
    /// The run waits for an answer.
    Interrupted {
        step: u64,
        key: String,
        interrupt: Interrupt,
    },
    /// The run waits for a moment, and nobody is asked.
    Parked {
        step: u64,
        key: String,
        until: Timestamp,
        reason: String,
    },
    /// That moment has come, or a person resumed the run before it.
    Woken { step: u64, key: String },
    /// A gate was passed, by a decision or by its deadline.
    Answered {
        step: u64,
        key: String,
        answer: Answer,
    },
    /// A late decision sent the run back to the gate it had passed.
    Reopened { step: u64, gate_step: u64 },
    /// The run has ended.
    RunFinished {
        status: Status,
        reason: Option<String>,
    },
}

/// How much a noted line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For whoever looks for a fault.
    Debug,
    /// For whoever watches.
    Info,
    /// Something is missing or was done another way.
    Warn,
    /// Something failed.
    Error,
}
