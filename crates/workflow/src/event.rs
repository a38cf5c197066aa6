//! What happened in a run, numbered from 1 and stored in the same transaction as its cause.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::interrupt::{Answer, Interrupt};
use crate::record::{Cut, Meters, Name, Status};
use crate::{Owner, RunId};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub number: u64,
    pub at: Timestamp,
    #[serde(flatten)]
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum EventKind {
    RunStarted {
        workflow: Name,
    },
    RunForked {
        from: RunId,
        step: u64,
    },
    /// An owner took the run up again.
    RunResumed {
        owner: Owner,
        step: u64,
        attempt: u32,
    },
    StepStarted {
        step: u64,
        node: Name,
        phase: Name,
    },
    StepFinished {
        step: u64,
        node: Name,
        next: Option<Name>,
    },
    /// The node brought nothing; the run goes on at its rescue node.
    StepCut {
        step: u64,
        node: Name,
        cut: Cut,
    },
    EffectStarted {
        step: u64,
        key: String,
    },
    EffectRetried {
        step: u64,
        key: String,
        attempt: u32,
        wait_ms: u64,
        reason: String,
    },
    EffectFinished {
        step: u64,
        key: String,
        ms: u64,
        #[serde(default, skip_serializing_if = "Meters::is_empty")]
        meters: Meters,
    },
    Log {
        level: Level,
        message: String,
    },
    /// Spent outside any effect.
    Spent {
        meter: Name,
        amount: u64,
    },
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
    Woken {
        step: u64,
        key: String,
    },
    Answered {
        step: u64,
        key: String,
        answer: Answer,
    },
    /// A late decision sent the run back to the gate it had passed.
    Reopened {
        step: u64,
        gate_step: u64,
    },
    RunFinished {
        status: Status,
        reason: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}
