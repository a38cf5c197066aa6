//! The buffer between a node at work and the engine that writes for it.
//!
//! A node lays notes down: answers of calls, events, bytes to keep. The engine takes them up in order
//! and commits them, many at once; whoever waits for an answer to be stored is told when it is. Each
//! step has a buffer of its own, so what a stray task lays down later reaches nobody.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::event::EventKind;
use crate::interrupt::ParkOutcome;
use crate::node::{HaltReason, StepHalted};
use crate::record::{
    Blob, Entry, EntryKind, EntryMeta, EntryPart, Meters, Name, RunTally, add_meters,
};
use crate::{BlobHash, Clock, Error, NodeName, Payload, RunId, Store, waiting};

/// What the journal holds of one key.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordedEffect {
    pub(crate) opened: Option<Payload>,
    pub(crate) answered: Option<Payload>,
    pub(crate) meters: Meters,
    /// When the answer was given.
    pub(crate) at: Option<Timestamp>,
    /// Whether the run was parked under this key until a moment.
    parked: bool,
}

/// The journal of the step under way, as it was when the step was started.
pub(crate) type StepJournal = HashMap<String, RecordedEffect>;

pub(crate) fn journal(entries: Vec<Entry>) -> StepJournal {
    let mut journal = StepJournal::new();
    for Entry { meta, payload } in entries {
        let recorded = journal.entry(meta.key).or_default();
        match meta.part {
            EntryPart::Opened => {
                recorded.opened = Some(payload);
                recorded.parked = meta.kind == EntryKind::Timer;
            }
            EntryPart::Answered => {
                recorded.answered = Some(payload);
                recorded.meters = meta.meters;
                recorded.at = Some(meta.at);
            }
        }
    }
    journal
}

pub(crate) struct StepBuffer {
    pub(crate) params: StepParams,
    pending: Mutex<Pending>,
    laid: Notify,
}

/// Which step a buffer belongs to, and what its node may read.
pub(crate) struct StepParams {
    pub(crate) run: RunId,
    pub(crate) step: u64,
    pub(crate) node: NodeName,
    pub(crate) started_at: Timestamp,
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) tally: Arc<RunTally>,
    pub(crate) journal: StepJournal,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) store: Arc<dyn Store>,
    /// Whether calls may be made; a replay only reads.
    pub(crate) replay: bool,
    /// How often the step may park until a moment.
    pub(crate) max_parks: u32,
}

/// What the node has handed over and the engine has not yet committed.
#[derive(Default)]
struct Pending {
    notes: StepNotes,
    /// Since when events have been lying here that nobody waits for.
    waiting_since: Option<Instant>,
    /// Whether somebody waits for something here to be stored.
    urgent: bool,
    used: HashSet<String>,
    spent: Meters,
    kept: HashMap<BlobHash, Bytes>,
    /// The moment of the last answer that the node got, and how long the run waited for them all.
    heard_at: Option<Timestamp>,
    waited: Duration,
    stop: Option<HaltReason>,
    /// Set when the node's turn is over.
    closed: bool,
}

/// Notes in the order they were laid down.
#[derive(Default)]
pub(crate) struct StepNotes {
    pub(crate) entries: Vec<Entry>,
    pub(crate) events: Vec<(Timestamp, EventKind)>,
    pub(crate) blobs: Vec<Blob>,
    pub(crate) acks: Vec<oneshot::Sender<()>>,
}

impl StepBuffer {
    pub(crate) fn new(params: StepParams) -> Self {
        Self {
            params,
            pending: Mutex::default(),
            laid: Notify::new(),
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // What nodes do, through their context.

    /// Marks a key as used and gives what the journal holds of it.
    pub(crate) fn begin(&self, key: &str) -> Result<RecordedEffect, StepHalted> {
        if !self.pending().used.insert(key.to_owned()) {
            let (node, key) = (self.params.node.to_owned(), key.to_owned());
            return Err(self.halt(HaltReason::Broken(Error::KeyReused { node, key })));
        }
        match self.params.journal.get(key) {
            Some(recorded) => Ok(recorded.clone()),
            None if self.params.replay => {
                let how = format!("it asks for \"{key}\", which the journal does not hold");
                Err(self.halt(HaltReason::Fault(self.diverged(how))))
            }
            None => Ok(RecordedEffect::default()),
        }
    }

    /// Moves the node's time on to an answer that it gets. Logs from before waiting was counted keep
    /// the time that their nodes had.
    pub(crate) fn hear(&self, answer: &RecordedEffect) {
        if let Some(waited) = waiting::counted(&answer.meters) {
            let mut pending = self.pending();
            pending.heard_at = pending.heard_at.max(answer.at);
            pending.waited = pending.waited.saturating_add(waited);
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let heard_at = self.pending().heard_at;
        heard_at.map_or(self.params.started_at, |heard| {
            heard.max(self.params.started_at)
        })
    }

    pub(crate) fn waited(&self) -> Duration {
        let before = waiting::counted(&self.params.tally.meters).unwrap_or_default();
        before.saturating_add(self.pending().waited)
    }

    /// Notes that a call begins.
    pub(crate) fn started(&self, key: &str) -> Timestamp {
        self.note(EventKind::EffectStarted {
            step: self.params.step,
            key: key.to_owned(),
        });
        self.params.clock.now()
    }

    /// Stores a line of the journal that no event tells of, and waits until it is stored.
    pub(crate) async fn write<T: Serialize>(
        &self,
        kind: EntryKind,
        key: &str,
        part: EntryPart,
        value: &T,
    ) -> Result<(), StepHalted> {
        let entry = self.entry(kind, key, part, Meters::new(), value)?;
        self.lay_and_wait(entry, None).await
    }

    /// Stores an effect's answer, and waits until it is stored.
    pub(crate) async fn answered<T: Serialize>(
        &self,
        kind: EntryKind,
        key: &str,
        meters: Meters,
        call_made: Timestamp,
        value: &T,
    ) -> Result<(), StepHalted> {
        let took = self
            .params
            .clock
            .now()
            .duration_since(call_made)
            .as_millis();
        let event = EventKind::EffectFinished {
            step: self.params.step,
            key: key.to_owned(),
            ms: u64::try_from(took).unwrap_or(0),
            meters: meters.clone(),
        };
        let entry = self.entry(kind, key, EntryPart::Answered, meters, value)?;
        self.lay_and_wait(entry, Some(event)).await
    }

    fn entry<T: Serialize>(
        &self,
        kind: EntryKind,
        key: &str,
        part: EntryPart,
        meters: Meters,
        value: &T,
    ) -> Result<Entry, StepHalted> {
        let payload =
            Payload::encoded(value).map_err(|error| self.halt(HaltReason::Broken(error)))?;
        let at = self.params.clock.now();
        let meta = EntryMeta {
            step: self.params.step,
            key: key.to_owned(),
            kind,
            part,
            meters,
            at,
        };
        Ok(Entry { meta, payload })
    }

    async fn lay_and_wait(&self, entry: Entry, event: Option<EventKind>) -> Result<(), StepHalted> {
        let (ack, stored) = oneshot::channel();
        {
            let mut pending = self.pending();
            if pending.closed {
                drop(pending);
                return Err(self.halt(HaltReason::Superseded));
            }
            add_meters(&mut pending.spent, &entry.meta.meters);
            pending
                .notes
                .events
                .extend(event.map(|event| (entry.meta.at, event)));
            pending.notes.entries.push(entry);
            pending.notes.acks.push(ack);
            pending.urgent = true;
        }
        self.laid.notify_one();
        // The engine is gone when it drops the ack; the node must not go on as if it were stored.
        stored.await.map_err(|_| self.halt(HaltReason::Superseded))
    }

    pub(crate) fn note(&self, event: EventKind) {
        let at = self.params.clock.now();
        let mut pending = self.pending();
        pending.notes.events.push((at, event));
        if pending.waiting_since.is_none() {
            pending.waiting_since = Some(Instant::now());
            drop(pending);
            self.laid.notify_one();
        }
    }

    pub(crate) fn spend(&self, meter: Name, amount: u64) {
        *self.pending().spent.entry(meter.clone()).or_default() += amount;
        self.note(EventKind::Spent { meter, amount });
    }

    pub(crate) fn keep(&self, blob: Blob) -> BlobHash {
        let hash = blob.hash;
        let mut pending = self.pending();
        if pending.kept.insert(hash, blob.bytes.clone()).is_none() {
            pending.notes.blobs.push(blob);
        }
        hash
    }

    pub(crate) async fn kept(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, StepHalted> {
        let laid_here = self.pending().kept.get(&hash).map(|bytes| bytes.to_vec());
        if let Some(bytes) = laid_here {
            return Ok(Some(bytes));
        }
        self.params
            .store
            .blob(hash)
            .await
            .map_err(|error| self.halt(HaltReason::Fault(error)))
    }

    /// What to tell a node at once that wants to park until `at`; `None` if it has to wait.
    pub(crate) fn answer_park(&self, at: Timestamp) -> Option<ParkOutcome> {
        let parks = self
            .params
            .journal
            .values()
            .filter(|recorded| recorded.parked);
        if at <= self.params.clock.now() {
            Some(ParkOutcome::Woken)
        } else if self.params.deadline.is_some_and(|deadline| at >= deadline) {
            Some(ParkOutcome::PastDeadline)
        } else if parks.count() >= self.params.max_parks as usize {
            Some(ParkOutcome::TooManyParks)
        } else {
            None
        }
    }

    /// Leaves word for the engine, which reads it even if the node swallows the halt. The first
    /// word stands.
    pub(crate) fn halt(&self, stop: HaltReason) -> StepHalted {
        self.pending().stop.get_or_insert(stop);
        StepHalted(())
    }

    fn diverged(&self, how: String) -> Error {
        Error::Diverged {
            run: self.params.run,
            step: self.params.step,
            node: self.params.node.to_owned(),
            how,
        }
    }

    // What the engine does.

    /// Ends the node's turn: what a stray task of it lays down from now on is turned away.
    pub(crate) fn close(&self) {
        self.pending().closed = true;
    }

    pub(crate) fn stop(&self) -> Option<HaltReason> {
        self.pending().stop.take()
    }

    /// Everything laid down since the last time.
    pub(crate) fn take(&self) -> StepNotes {
        let mut pending = self.pending();
        pending.urgent = false;
        pending.waiting_since = None;
        std::mem::take(&mut pending.notes)
    }

    /// Whether somebody waits for a commit; else since when events lie here.
    pub(crate) fn urgency(&self) -> CommitUrgency {
        let pending = self.pending();
        match (pending.urgent, pending.waiting_since) {
            (true, _) => CommitUrgency::Now,
            (false, Some(since)) => CommitUrgency::Since(since),
            (false, None) => CommitUrgency::None,
        }
    }

    /// Resolves when something may have been added to the buffer.
    pub(crate) async fn news(&self) {
        self.laid.notified().await;
    }

    /// What this step spent: on calls made now, on calls recorded before, and outside of calls. What
    /// was recorded before was paid for, also if a cut came before the node asked for it again.
    pub(crate) fn spendings(&self) -> Meters {
        let mut spent = self.pending().spent.clone();
        for recorded in self.params.journal.values() {
            add_meters(&mut spent, &recorded.meters);
        }
        spent
    }

    /// A recorded key that the node did not ask for.
    pub(crate) fn unasked(&self) -> Option<&str> {
        let pending = self.pending();
        let mut unasked: Vec<&str> = self
            .params
            .journal
            .keys()
            .filter(|key| !pending.used.contains(*key))
            .map(String::as_str)
            .collect();
        unasked.sort_unstable();
        unasked.first().copied()
    }
}

pub(crate) enum CommitUrgency {
    /// Somebody waits.
    Now,
    /// Events lie here since then.
    Since(Instant),
    None,
}
