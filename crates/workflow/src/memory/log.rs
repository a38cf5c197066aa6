//! One run as the memory store keeps it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;

use crate::clock::{later, time_until};
use crate::event::Event;
use crate::record::{
    Append, Blob, Creation, Entry, EntryPart, Loaded, RunHeader, Snapshot, Status, StepKind,
    StepRecord, Token,
};
use crate::{BlobHash, Error, Owner};

/// All there is of one run.
pub(super) struct RunLog {
    pub(super) run: RunHeader,
    pub(super) fence: u64,
    pub(super) lease: Option<HeldLease>,
    pub(super) last_nonce: Option<u64>,
    pub(super) cancel_requested: bool,
    /// A record's place is its step's number.
    pub(super) records: Vec<StepRecord>,
    /// Bases and snapshots by step: where a fold can begin.
    pub(super) wholes: BTreeMap<u64, Snapshot>,
    /// The journal by step.
    pub(super) journal: HashMap<u64, Vec<Entry>>,
    pub(super) entry_names: HashSet<EntryName>,
    /// As they were appended; no batch is empty.
    pub(super) event_batches: Vec<Vec<Event>>,
    pub(super) blobs: HashSet<BlobHash>,
}

pub(super) struct HeldLease {
    pub(super) owner: Owner,
    pub(super) until: Timestamp,
}

/// What only one journal entry of a run may be called.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct EntryName {
    step: u64,
    key: String,
    answered: bool,
}

pub(super) struct SharedBlob {
    pub(super) bytes: Bytes,
    /// How many runs refer to it; at none it goes.
    pub(super) runs: usize,
}

impl HeldLease {
    pub(super) fn from(now: Timestamp, owner: &Owner, lease: Duration) -> Self {
        Self {
            owner: owner.clone(),
            until: later(now, lease),
        }
    }
}

impl EntryName {
    pub(super) fn from_entry(entry: &Entry) -> Self {
        Self {
            step: entry.meta.step,
            key: entry.meta.key.clone(),
            answered: entry.meta.part == EntryPart::Answered,
        }
    }
}

impl RunLog {
    pub(super) fn begin(creation: Creation, lease: HeldLease) -> Self {
        let mut log = Self {
            run: creation.run,
            fence: 1,
            lease: Some(lease),
            last_nonce: None,
            cancel_requested: false,
            records: Vec::new(),
            wholes: BTreeMap::new(),
            journal: HashMap::new(),
            entry_names: HashSet::new(),
            event_batches: Vec::new(),
            blobs: HashSet::new(),
        };
        log.add_record(creation.base);
        log.add_events(creation.events);
        log
    }

    pub(super) fn token(&self) -> Token {
        Token {
            fence: self.fence,
            rev: self.run.head.rev,
        }
    }

    pub(super) fn refuse_if_held(&self, now: Timestamp) -> Result<(), Error> {
        match &self.lease {
            Some(held) if held.until > now => Err(Error::Held {
                run: self.run.id(),
                owner: held.owner.clone(),
                until: held.until,
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether this append was committed before and only its reply was lost.
    pub(super) fn has_taken(&self, append: &Append) -> bool {
        self.last_nonce == Some(append.nonce)
            && append.token.rev.checked_add(1) == Some(self.run.head.rev)
    }

    /// Commits an admitted append. All that can be refused is refused before the first change.
    pub(super) fn take(
        &mut self,
        append: Append,
        until: Timestamp,
        blobs: &mut HashMap<BlobHash, SharedBlob>,
    ) -> Result<(), Error> {
        if let Some(record) = &append.record {
            self.check_record(record)?;
        }
        let names = self.new_names(&append.entries)?;
        self.last_nonce = Some(append.nonce);
        self.run.head = append.head;
        if let Some(record) = append.record {
            self.add_record(record);
        }
        if let Some(snapshot) = append.snapshot {
            self.add_whole(snapshot);
        }
        self.add_entries(append.entries, names);
        self.add_events(append.events);
        for blob in append.blobs {
            self.add_blob(blob, blobs);
        }
        if append.release {
            self.lease = None;
        } else if let Some(held) = &mut self.lease {
            held.until = until;
        }
        Ok(())
    }

    /// Refuses a record that is not the next step.
    fn check_record(&self, record: &StepRecord) -> Result<(), Error> {
        let (step, next) = (record.meta.step, self.records.len());
        if index(step) != next {
            let why = format!("step {step} was written where step {next} comes next");
            return Err(Error::Store { why });
        }
        Ok(())
    }

    pub(super) fn add_record(&mut self, record: StepRecord) {
        if let (StepKind::Base { tally, .. }, Some(state)) = (&record.meta.kind, &record.payload) {
            self.add_whole(Snapshot {
                step: record.meta.step,
                tally: tally.clone(),
                state: state.clone(),
            });
        }
        self.records.push(record);
    }

    pub(super) fn add_whole(&mut self, whole: Snapshot) {
        self.wholes.insert(whole.step, whole);
    }

    pub(super) fn new_names(&self, entries: &[Entry]) -> Result<HashSet<EntryName>, Error> {
        let mut names = HashSet::new();
        for entry in entries {
            let name = EntryName::from_entry(entry);
            if self.entry_names.contains(&name) || !names.insert(name) {
                let (step, key, part) = (entry.meta.step, &entry.meta.key, entry.meta.part);
                return Err(Error::Store {
                    why: format!("the journal of step {step} has \"{key}\" ({part:?}) already"),
                });
            }
        }
        Ok(names)
    }

    pub(super) fn add_entries(&mut self, entries: Vec<Entry>, names: HashSet<EntryName>) {
        self.entry_names.extend(names);
        for entry in entries {
            self.journal.entry(entry.meta.step).or_default().push(entry);
        }
    }

    pub(super) fn add_events(&mut self, batch: Vec<Event>) {
        if !batch.is_empty() {
            self.event_batches.push(batch);
        }
    }

    pub(super) fn add_blob(&mut self, blob: Blob, shared: &mut HashMap<BlobHash, SharedBlob>) {
        if self.blobs.insert(blob.hash) {
            let first = SharedBlob {
                bytes: blob.bytes,
                runs: 0,
            };
            shared.entry(blob.hash).or_insert(first).runs += 1;
        }
    }

    pub(super) fn load(&self, at: Option<u64>) -> Result<Loaded, Error> {
        let last = (self.records.len() as u64).saturating_sub(1);
        let at = at.unwrap_or(last);
        let from = self.wholes.range(..=at).next_back();
        let Some((_, from)) = from.filter(|_| at <= last) else {
            return Err(Error::NoSuchStep {
                run: self.run.id(),
                step: at,
                last,
            });
        };
        Ok(Loaded {
            run: self.run.clone(),
            records: self.records[index(from.step) + 1..=index(at)].to_vec(),
            from: from.clone(),
            damage: None,
        })
    }

    pub(super) fn events(&self, after: u64, limit: usize) -> Vec<Event> {
        let ended = |batch: &Vec<Event>| batch.last().is_none_or(|event| event.number <= after);
        let first = self.event_batches.partition_point(ended);
        let mut found = Vec::new();
        for batch in &self.event_batches[first..] {
            if found.len() >= limit {
                break;
            }
            found.extend(batch.iter().filter(|event| event.number > after).cloned());
        }
        found
    }

    pub(super) fn is_due(&self, workflow: &str, now: Timestamp) -> bool {
        self.run.about.workflow == workflow && self.can_go_on(now)
    }

    fn can_go_on(&self, now: Timestamp) -> bool {
        match self.run.head.status {
            Status::Pending | Status::Running(_) => true,
            Status::Waiting => self.run.head.wake_at.is_some_and(|at| at <= now),
            Status::Completed | Status::Failed | Status::Cancelled => false,
        }
    }

    pub(super) fn is_unheld_for(&self, unheld: Duration, now: Timestamp) -> bool {
        match &self.lease {
            Some(held) => time_until(now, later(held.until, unheld)).is_none(),
            None => true,
        }
    }

    pub(super) fn expires(&self, before: Timestamp, now: Timestamp) -> bool {
        let RunHeader { head, keep, .. } = &self.run;
        let held = self.refuse_if_held(now).is_err();
        head.status.can_expire() && head.updated_at < before && !keep && !held
    }
}

/// A step's number as a place in a vector; one that no vector can have is past every end.
pub(super) fn index(step: u64) -> usize {
    usize::try_from(step).unwrap_or(usize::MAX)
}
