//! What can go wrong with a run or its store, each with what to do about it.

use jiff::Timestamp;

use crate::host::InvalidInput;
use crate::record::Damage;
use crate::{GraphError, Owner, RunId};

/// Why something could not be done. The message of each says what to do next.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each variant is told by its message, with its fields in it"
)]
#[non_exhaustive]
pub enum Error {
    // The caller's mistakes.
    #[error("\"{given}\" is not a run id, which looks like 01a1e155-3fda-70a9-9a60-5495200fda34")]
    BadRunId { given: String },
    #[error("\"{given}\" is not the hash of stored bytes (64 hexadecimal digits)")]
    BadBlobHash { given: String },
    #[error("there is no run {run}; it may have expired or been deleted")]
    NoSuchRun { run: RunId },
    #[error("run {run} exists already")]
    RunExists { run: RunId },
    #[error("run {run} has no step {step}: its steps are 0 to {last}")]
    NoSuchStep { run: RunId, step: u64, last: u64 },
    #[error("run {run} has ended ({status}); fork it to go on from one of its steps")]
    Ended { run: RunId, status: String },
    #[error("run {run} ends with step {step}; fork it at an earlier step")]
    NothingAfter { run: RunId, step: u64 },
    #[error("run {run} waits ({reason}){}", until.map(|until| format!(" until {until}")).unwrap_or_default())]
    Waiting {
        run: RunId,
        reason: String,
        until: Option<Timestamp>,
    },
    #[error("run {run} is not waiting for a decision: it is {status}")]
    NotWaiting { run: RunId, status: String },
    #[error("run {run} cannot take this decision: {why}")]
    GateClosed { run: RunId, why: String },
    #[error("run {run} belongs to the workflow \"{is}\", not \"{wanted}\"")]
    OtherWorkflow {
        run: RunId,
        is: String,
        wanted: String,
    },
    #[error(
        "run {run} was written by version {written} of the workflow \"{workflow}\", but this program knows up to {known}; use the newer program"
    )]
    NewerVersion {
        run: RunId,
        workflow: String,
        written: u32,
        known: u32,
    },
    #[error(
        "run {run} belongs to the workflow \"{workflow}\", which this program does not know; it knows {}",
        if known.is_empty() { "none".to_owned() } else { known.join(", ") }
    )]
    UnknownWorkflow {
        run: RunId,
        workflow: String,
        known: Vec<String>,
    },
    #[error(
        "there is no workflow \"{workflow}\"; available: {}",
        if known.is_empty() { "none".to_owned() } else { known.join(", ") }
    )]
    NoSuchWorkflow {
        workflow: String,
        known: Vec<String>,
    },
    #[error("the workflow \"{workflow}\" was registered twice; give one of them another name")]
    DuplicateWorkflow { workflow: String },
    #[error("{why}")]
    NotReady { why: String },
    #[error(transparent)]
    InvalidInput(#[from] InvalidInput),
    #[error(transparent)]
    Graph(#[from] GraphError),

    // Mistakes in a workflow's code.
    #[error("the update of node \"{node}\" does not fit the state: {why}")]
    InvalidUpdate { node: String, why: String },
    #[error("node \"{node}\" used the effect key \"{key}\" twice in one step; keys must differ")]
    KeyReused { node: String, key: String },
    #[error(
        "the route after \"{node}\" chose \"{chose}\", which the graph does not name as a target"
    )]
    UndeclaredTarget { node: String, chose: String },
    #[error("run {run} is at node \"{node}\", which the graph no longer has")]
    UnknownNode { run: RunId, node: String },
    #[error(
        "replay of run {run} diverged at step {step} (node \"{node}\"): {how}; the code has changed since, or a node depends on more than its state and effects"
    )]
    Diverged {
        run: RunId,
        step: u64,
        node: String,
        how: String,
    },
    #[error(
        "step {step} (node \"{node}\") of run {run} was started {attempts} times and never ended; resume the run to try again"
    )]
    CrashLoop {
        run: RunId,
        step: u64,
        node: String,
        attempts: u32,
    },
    #[error("a value could not be written as JSON: {source}")]
    Encode { source: serde_json::Error },
    #[error(
        "a stored value cannot be read as {wanted}: {source}; another version of the program wrote it"
    )]
    Decode {
        wanted: &'static str,
        source: serde_json::Error,
    },

    // Somebody else is at work.
    #[error("run {run} is held by {owner} until {until}; try again then, or stop that process")]
    Held {
        run: RunId,
        owner: Owner,
        until: Timestamp,
    },
    #[error(
        "run {run} was asked to stop, but the process that works on it has not stopped yet; try again, or end that process"
    )]
    NotStopped { run: RunId },
    #[error(
        "the work on run {run} was interrupted, so this process may be ahead of the log; open the run again"
    )]
    Poisoned { run: RunId },
    #[error(
        "the lease on run {run} could not be renewed and has lapsed, so this process has stopped; resume the run: nothing recorded is lost"
    )]
    LeaseLost { run: RunId },
    #[error("run {run} was taken over or changed by another process; this one has stopped")]
    Superseded { run: RunId },

    // The store.
    #[error("run {run} is damaged ({}: {}); steps before it can still be read and forked", .damage.what, .damage.why)]
    Damaged { run: RunId, damage: Damage },
    #[error("stored data is damaged: {what}: {why}; restore it from a backup")]
    StoreDamaged { what: String, why: String },
    #[error(
        "the database has format {found}, but this program knows up to {known}; use the newer program that wrote it"
    )]
    NewerFormat { found: u32, known: u32 },
    #[error("the disk is full; free some space, then resume the run: nothing recorded is lost")]
    DiskFull,
    #[error(
        "the store does not answer ({why}); resume the run when it does: nothing recorded is lost"
    )]
    StoreGone { why: String },
    #[error("the store refused an operation: {why}")]
    Store { why: String },
}

impl Error {
    /// Whether the same call may succeed later without anybody changing anything in the run.
    pub fn retry(&self) -> bool {
        matches!(
            self,
            Self::Held { .. } | Self::LeaseLost { .. } | Self::DiskFull | Self::StoreGone { .. }
        )
    }
}
