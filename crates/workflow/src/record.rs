//! What the log holds of a run: its header, its steps, the journal of its effects.
//!
//! State is the fold of the steps. Everything here is plain data; payloads stay opaque, so a store
//! never needs to know what a workflow is about.

mod check;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::{BlobHash, Payload, RunId};

/// A node's, phase's or meter's name: static where code wrote it, owned where the log brought it.
pub type Name = Cow<'static, str>;

/// Amounts spent, by meter ("tokens", "searches", …). Units are the caller's.
pub type Meters = BTreeMap<Name, u64>;

/// A run's header: what lists show, and where the run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub about: About,
    pub head: Head,
    /// MemoryContents runs never expire.
    pub keep: bool,
}

impl Run {
    pub fn id(&self) -> RunId {
        self.about.id
    }
}

/// The part of a header that never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub id: RunId,
    pub workflow: Name,
    /// The version of the workflow's state that the run was written by; logs from before there were
    /// versions are of the first.
    #[serde(default = "first_version", skip_serializing_if = "is_first_version")]
    pub version: u32,
    /// What a person recognises the run by: its question.
    pub title: String,
    pub created_at: Timestamp,
    pub forked_from: Option<Origin>,
    /// How long the run may take; what is left of it is the head's deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<Duration>,
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
    pub run: RunId,
    pub step: u64,
}

/// The part of a header that every append replaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Counts the appends. An append that expects another number is refused.
    pub rev: u64,
    pub status: Status,
    /// The last recorded step; 0 is the record that holds the initial state.
    pub step: u64,
    /// The node that runs next; `None` once the run has ended.
    pub next: Option<Name>,
    pub updated_at: Timestamp,
    /// When the run must have ended. Time in which nobody held the run does not count.
    pub deadline: Option<Timestamp>,
    /// When a waiting run goes on although nobody answered.
    pub wake_at: Option<Timestamp>,
    /// Whether it waits for `wake_at` alone: nobody is asked anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parked: bool,
    /// Why it waits, failed or was cancelled.
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

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// RecordedEffect, not begun.
    Pending,
    /// Under way; the name is the phase its node declares ("planning", "searching", …).
    Running(Name),
    /// Parked until a decision or its deadline.
    Waiting,
    Completed,
    Failed,
    /// Stopped on request; can be resumed.
    Cancelled,
}

impl Status {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::Running(phase) => phase,
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "pending" => Self::Pending,
            "waiting" => Self::Waiting,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            phase => Self::Running(Cow::Owned(phase.to_owned())),
        }
    }

    /// Whether the run has stopped for good unless somebody resumes it. Only such runs expire.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Pending | Self::Running(_) | Self::Waiting => false,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Status {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// One recorded step. `payload` is the state for [`StepKind::Base`], the update for
/// [`StepKind::Update`], and absent for [`StepKind::Cut`].
#[derive(Clone, Debug)]
pub struct StepRecord {
    pub meta: StepMeta,
    pub payload: Option<Payload>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepMeta {
    pub step: u64,
    pub node: Name,
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
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A whole state: the run's start, a fork's start, or a reopened gate.
    Base { tally: Tally, why: BaseReason },
    /// A node's update.
    Update,
    /// The node brought no update; the run went to its rescue node.
    Cut(Cut),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaseReason {
    Started,
    Forked,
    Reopened,
}

/// Why a step was cut short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "cause", content = "detail")]
pub enum Cut {
    /// The node failed, in its own words.
    Failed(String),
    /// The run's deadline came.
    Deadline,
    /// The run's step limit was reached.
    StepLimit(u64),
}

impl fmt::Display for Cut {
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
    pub edge: Name,
    pub used: u32,
}

/// What the engine counts along a run. Part of every base and snapshot; else folded from the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Steps that ran, those before a fork included.
    pub steps: u64,
    /// Uses of each bounded edge.
    pub loops: BTreeMap<Name, u32>,
    pub meters: Meters,
    /// Set once the run has been sent to its rescue node: from where, and why.
    pub rescue: Option<Rescue>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rescue {
    pub from: Name,
    pub cut: Cut,
}

impl Tally {
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
        for (meter, amount) in &meta.meters {
            *self.meters.entry(meter.clone()).or_default() += amount;
        }
    }
}

/// A state at a step, kept so that loading need not fold from the start.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub step: u64,
    pub tally: Tally,
    pub state: Payload,
}

/// One line of a step's journal. Lines are never changed: a gate is opened by one and answered by
/// another, and a second answer is refused.
#[derive(Clone, Debug)]
pub struct Entry {
    pub meta: EntryMeta,
    pub payload: Payload,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryMeta {
    pub step: u64,
    pub key: String,
    pub kind: EntryKind,
    pub part: Part,
    /// What the call spent.
    #[serde(default, skip_serializing_if = "Meters::is_empty")]
    pub meters: Meters,
    pub at: Timestamp,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Opened,
    Answered,
}

/// What a writer must know of a run for its append to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Raised each time the run changes hands.
    pub fence: u64,
    /// The number of appends the writer has seen.
    pub rev: u64,
}

/// Bytes to store once under their hash.
#[derive(Clone, Debug)]
pub struct Blob {
    pub hash: BlobHash,
    pub bytes: Bytes,
}

impl Blob {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = Bytes::from(bytes.into());
        Self {
            hash: BlobHash::from_content(&bytes),
            bytes,
        }
    }
}

/// Everything one write brings. It is committed whole or not at all.
#[derive(Clone, Debug)]
pub struct Append {
    pub run: RunId,
    pub token: Token,
    /// Tells this append from any other, so that a writer whose reply was lost can learn its fate.
    pub nonce: u64,
    /// The header after this append; its `rev` is the token's plus one.
    pub head: Head,
    pub record: Option<StepRecord>,
    pub snapshot: Option<Snapshot>,
    pub entries: Vec<Entry>,
    /// Numbered from the old head's `events` plus one, without a gap.
    pub events: Vec<Event>,
    pub blobs: Vec<Blob>,
    /// Whether the writer gives the run up with this append.
    pub release: bool,
}

/// A new run as it is first committed. The creator holds it.
#[derive(Clone, Debug)]
pub struct Creation {
    pub run: Run,
    pub base: StepRecord,
    pub events: Vec<Event>,
}

/// A run as it is read back.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub run: Run,
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
    pub why: String,
}
