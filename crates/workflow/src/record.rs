//! What the log holds of a run: its header, its steps, the journal of its effects.
//!
//! State is the fold of the steps. Everything here is plain data; payloads stay opaque, so a store
//! never needs to know what a workflow is about.

mod status;
mod write;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::status::Status;
pub use self::write::{Append, Blob, Creation, Token};
use crate::{Payload, RunId};

/// A node's, phase's or meter's name: static where code wrote it, owned where the log brought it.
pub type Name = Cow<'static, str>;

/// Amounts spent, by meter ("tokens", "searches", …). Units are the caller's.
pub type Meters = BTreeMap<Name, u64>;

/// What a caller notes about a run, by name. The engine only keeps it.
pub type Labels = BTreeMap<String, String>;

pub(crate) fn add_meters(meters: &mut Meters, more: &Meters) {
    for (meter, amount) in more {
        *meters.entry(meter.clone()).or_default() += amount;
    }
}

/// A run's header: what lists show, and where the run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// What never changes.
    pub about: RunIdentity,
    /// Where the run stands.
    pub head: LogHead,
    /// Kept runs never expire.
    pub keep: bool,
}

impl RunHeader {
    /// The run's id.
    pub fn id(&self) -> RunId {
        self.about.id
    }
}

/// The part of a header that never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// The run's id.
    pub id: RunId,
    /// The name of its workflow, which this program may not know.
    pub workflow: Name,
    /// The version of the workflow's state that the run was written by; logs from before there were
    /// versions are of the first.
    #[serde(default = "first_version", skip_serializing_if = "is_first_version")]
    pub version: u32,
    /// What a person recognises the run by: its question.
    pub title: String,
    /// When the run was committed.
    pub created_at: Timestamp,
    /// The run and step that it was forked from, if it was.
    pub forked_from: Option<Origin>,
    /// How long the run may take; what is left of it is the head's deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<Duration>,
    /// What the caller noted about it when it was begun.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
}

fn first_version() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_first_version(version: &u32) -> bool {
    *version == first_version()
}

/// The step of another run that a fork began from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The run forked from.
    pub run: RunId,
    /// The step that the fork goes on after.
    pub step: u64,
}

/// The part of a header that every append replaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogHead {
    /// Counts the appends. An append that expects another number is refused.
    pub rev: u64,
    /// What the run is doing.
    pub status: Status,
    /// The last recorded step; 0 is the record that holds the initial state.
    pub step: u64,
    /// The node that runs next; `None` once the run has ended.
    pub next: Option<Name>,
    /// When the run was last written to.
    pub updated_at: Timestamp,
    /// When the run must have ended. Time in which nobody held the run does not count.
    pub deadline: Option<Timestamp>,
    /// When a waiting run goes on although nobody answered.
    pub wake_at: Option<Timestamp>,
    /// Whether it waits for `wake_at` alone: nobody is asked anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parked: bool,
    /// Why it waits, failed or was cancelled; of a completed run, why what it brought is partial.
    pub reason: Option<String>,
    /// The number of the last event.
    pub events: u64,
    /// Journal entries of the step that is under way.
    pub entries: u32,
    /// How often the step under way has been started.
    pub attempts: u32,
    /// How long nobody held the run in the step under way, since its last answer.
    #[serde(default, skip_serializing_if = "Duration::is_zero")]
    pub waited: Duration,
}

/// One recorded step. `payload` is the state for [`StepKind::Base`], the update for
/// [`StepKind::Update`], and absent for [`StepKind::Cut`].
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// Everything about the step but its content.
    pub meta: StepMeta,
    /// The state or the update, if there is one.
    pub payload: Option<Payload>,
}

/// What is recorded of a step besides its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepMeta {
    /// The step's number; 0 is the initial state.
    pub step: u64,
    /// The node that ran.
    pub node: Name,
    /// What the step brought.
    pub kind: StepKind,
    /// `None` when this step ended the run.
    pub next: Option<Name>,
    /// The bounded edge this step left by, with how often the run has now used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looped: Option<LoopUse>,
    /// What this step spent.
    #[serde(default, skip_serializing_if = "Meters::is_empty")]
    pub meters: Meters,
    /// How many journal entries this step made.
    #[serde(default)]
    pub entries: u32,
    /// When the step ended.
    pub at: Timestamp,
}

/// What a step brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A whole state: the run's start, a fork's start, or a reopened gate.
    Base {
        /// What the engine had counted by then.
        tally: RunTally,
        /// What it was recorded for.
        why: BaseReason,
    },
    /// A node's update.
    Update,
    /// The node brought no update; the run went to its rescue node.
    Cut(CutReason),
}

/// Why a whole state was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaseReason {
    /// The run began.
    Started,
    /// The run goes on from a step of another.
    Forked,
    /// A late decision sent the run back to a gate.
    Reopened,
}

/// Why a step was cut short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "cause", content = "detail")]
pub enum CutReason {
    /// The node failed, in its own words.
    Failed(String),
    /// The run's deadline came.
    Deadline,
    /// The run's step limit was reached.
    StepLimit(u64),
}

impl fmt::Display for CutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) => f.write_str(why),
            Self::Deadline => f.write_str("the run's time was used up"),
            Self::StepLimit(limit) => write!(f, "the run reached its limit of {limit} steps"),
        }
    }
}

/// One use of a bounded edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopUse {
    /// The edge, by [`crate::edge_name`].
    pub edge: Name,
    /// How often the run has taken it by now.
    pub used: u32,
}

/// What the engine counts along a run. Part of every base and snapshot; else folded from the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTally {
    /// Steps that ran, those before a fork included.
    pub steps: u64,
    /// Uses of each bounded edge.
    pub loops: BTreeMap<Name, u32>,
    /// What the run has spent.
    pub meters: Meters,
    /// Set once the run has been sent to its rescue node: from where, and why.
    pub rescue: Option<Rescue>,
}

/// How a run came to its rescue node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rescue {
    /// The node whose step was cut short.
    pub from: Name,
    /// Why it was.
    pub cut: CutReason,
}

impl RunTally {
    /// Folds one recorded step.
    pub fn count(&mut self, meta: &StepMeta) {
        match &meta.kind {
            StepKind::Base { tally, .. } => *self = tally.clone(),
            StepKind::Update => self.steps += 1,
            StepKind::Cut(cut) => {
                self.steps += 1;
                self.rescue = Some(Rescue {
                    from: meta.node.clone(),
                    cut: cut.clone(),
                });
            }
        }
        if let Some(looped) = &meta.looped {
            self.loops.insert(looped.edge.clone(), looped.used);
        }
        add_meters(&mut self.meters, &meta.meters);
    }
}

/// A state at a step, kept so that loading need not fold from the start.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The step that the state is of.
    pub step: u64,
    /// What the engine had counted by then.
    pub tally: RunTally,
    /// The whole state.
    pub state: Payload,
}

/// One line of a step's journal. Lines are never changed: a gate is opened by one and answered by
/// another, and a second answer is refused.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Everything about the line but its content.
    pub meta: EntryMeta,
    /// The call's answer, or the question of a gate.
    pub payload: Payload,
}

/// What is recorded of a line of the journal besides its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryMeta {
    /// The step that the line belongs to.
    pub step: u64,
    /// The key that the node chose, unique within the step.
    pub key: String,
    /// What the line is about.
    pub kind: EntryKind,
    /// Whether it begins or answers it.
    pub part: EntryPart,
    /// What the call spent.
    #[serde(default, skip_serializing_if = "Meters::is_empty")]
    pub meters: Meters,
    /// When the line was written.
    pub at: Timestamp,
}

/// What a line of the journal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// An outside call, which a crash in flight may repeat once.
    Call,
    /// An outside call that must not be repeated: its start is recorded first.
    Once,
    /// A question to a person, or a timer.
    Gate,
    /// A moment that the run parks until, nobody being asked.
    Timer,
}

/// Which half of an effect a line records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryPart {
    /// It is about to happen, or was asked.
    Opened,
    /// It has its answer.
    Answered,
}

/// A run as it is read back.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The header.
    pub run: RunHeader,
    /// The latest whole state at or before the wanted step.
    pub from: Snapshot,
    /// The steps after it, in order.
    pub records: Vec<StepRecord>,
    /// The first thing found damaged, if any; `records` then ends before it.
    pub damage: Option<Damage>,
}

/// A record whose checksum, number or form is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    /// What it is, as a person would look for it: "step 7", "journal of step 3", "header".
    pub what: String,
    /// What is wrong with it.
    pub why: String,
}
