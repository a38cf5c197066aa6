//! A store that remembers only as long as the process lives: for tests, trials and one-off runs.
//!
//! Nothing in it is durable, and it says so. It keeps payloads in their typed form and moves what it
//! is given, so a step costs it no encoding and no copy. One lock guards everything: an append holds
//! it for well under a microsecond, and only lists and sweeps look at every run under it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::clock::{later, time_until};
use crate::event::Event;
use crate::journal::{Appended, Cursor, Page, Purged, RunFilter, Store};
use crate::record::{
    Append, Blob, Creation, Entry, Loaded, Part, Run, Snapshot, Status, StepKind, StepRecord, Token,
};
use crate::{BlobHash, Clock, Error, Owner, RunId, SystemClock};

/// Keeps runs in this process's memory. **Not durable**: when the process ends, every run is gone.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    runs: HashMap<RunId, Log>,
    blobs: HashMap<BlobHash, SharedBlob>,
}

/// All there is of one run.
struct Log {
    run: Run,
    fence: u64,
    lease: Option<Lease>,
    last_nonce: Option<u64>,
    cancel_requested: bool,
    /// A record's place is its step's number.
    records: Vec<StepRecord>,
    /// Bases and snapshots by step: where a fold can begin.
    wholes: BTreeMap<u64, Snapshot>,
    /// The journal by step.
    journal: HashMap<u64, Vec<Entry>>,
    entry_names: HashSet<EntryName>,
    /// As they were appended; no batch is empty.
    event_batches: Vec<Vec<Event>>,
    blobs: HashSet<BlobHash>,
}

struct Lease {
    owner: Owner,
    until: Timestamp,
}

/// What only one journal entry of a run may be called.
#[derive(PartialEq, Eq, Hash)]
struct EntryName {
    step: u64,
    key: String,
    answered: bool,
}

struct SharedBlob {
    bytes: Arc<[u8]>,
    /// How many runs refer to it; at none it goes.
    runs: usize,
}

impl MemoryStore {
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// A store whose leases run by `clock`.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            kept: Mutex::default(),
        }
    }

    /// Every write checks before it changes anything, so a panic elsewhere leaves nothing half done
    /// and a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, run: RunId, look: impl FnOnce(&Log) -> T) -> Result<T, Error> {
        let kept = self.lock();
        kept.runs
            .get(&run)
            .map(look)
            .ok_or(Error::NoSuchRun { run })
    }

    fn change<T>(&self, run: RunId, act: impl FnOnce(&mut Log) -> T) -> Result<T, Error> {
        let mut kept = self.lock();
        kept.runs
            .get_mut(&run)
            .map(act)
            .ok_or(Error::NoSuchRun { run })
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn describe(&self) -> String {
        "memory".to_owned()
    }

    fn is_durable(&self) -> bool {
        false
    }

    async fn create(
        &self,
        creation: Creation,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Token, Error> {
        let run = creation.run.id();
        let lease = Lease::from(self.clock.now(), owner, lease);
        let mut kept = self.lock();
        if kept.runs.contains_key(&run) {
            return Err(Error::RunExists { run });
        }
        let log = Log::begin(creation, lease)?;
        let token = log.token();
        kept.runs.insert(run, log);
        Ok(token)
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        let now = self.clock.now();
        self.change(run, |log| {
            log.refuse_if_held(now)?;
            log.fence += 1;
            log.lease = Some(Lease::from(now, owner, lease));
            Ok(log.token())
        })?
    }

    async fn renew(&self, owner: &Owner, lease: Duration) -> Result<(), Error> {
        let until = later(self.clock.now(), lease);
        for log in self.lock().runs.values_mut() {
            if let Some(held) = log.lease.as_mut().filter(|held| held.owner == *owner) {
                held.until = until;
            }
        }
        Ok(())
    }

    async fn release(&self, run: RunId, token: Token) -> Result<(), Error> {
        if let Some(log) = self.lock().runs.get_mut(&run)
            && log.fence == token.fence
        {
            log.lease = None;
        }
        Ok(())
    }

    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
        let until = later(self.clock.now(), lease);
        let mut kept = self.lock();
        let Kept { runs, blobs } = &mut *kept;
        let run = append.run;
        let log = runs.get_mut(&run).ok_or(Error::NoSuchRun { run })?;
        let appended = Appended {
            cancel_requested: log.cancel_requested,
            bytes: 0,
        };
        if log.has_taken(&append) {
            return Ok(appended);
        }
        if log.token() != append.token {
            return Err(Error::Superseded { run });
        }
        log.take(append, until, blobs)?;
        Ok(appended)
    }

    async fn request_cancel(&self, run: RunId) -> Result<(), Error> {
        self.change(run, |log| log.cancel_requested = true)
    }

    async fn clear_cancel(&self, run: RunId) -> Result<(), Error> {
        self.change(run, |log| log.cancel_requested = false)
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        let kept = self.lock();
        let marked = kept.runs.values().filter(|log| {
            log.cancel_requested && log.lease.as_ref().is_some_and(|held| held.owner == *owner)
        });
        Ok(marked.map(|log| log.run.id()).collect())
    }

    async fn head(&self, run: RunId) -> Result<(Run, Token), Error> {
        self.read(run, |log| (log.run.clone(), log.token()))
    }

    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error> {
        self.read(run, |log| log.load(at))?
    }

    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error> {
        self.read(run, |log| {
            let from = index(from).min(log.records.len());
            log.records.iter().skip(from).take(limit).cloned().collect()
        })
    }

    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error> {
        self.read(run, |log| {
            let mut entries = log.journal.get(&step).cloned().unwrap_or_default();
            entries.sort_by(|a, b| (a.meta.at, &a.meta.key).cmp(&(b.meta.at, &b.meta.key)));
            entries
        })
    }

    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        self.read(run, |log| log.events(after, limit))
    }

    async fn list(&self, filter: &RunFilter) -> Result<Page, Error> {
        let kept = self.lock();
        let wanted = Wanted::new(filter);
        let mut runs: Vec<&Run> = kept.runs.values().map(|log| &log.run).collect();
        runs.retain(|run| wanted.includes(run));
        runs.sort_unstable_by_key(|run| std::cmp::Reverse((run.about.created_at, run.id())));
        let more = runs.len() > filter.page_size();
        runs.truncate(filter.page_size());
        Ok(Page {
            next: runs.last().filter(|_| more).map(|run| Cursor {
                created_at: run.about.created_at,
                id: run.id(),
            }),
            runs: runs.into_iter().cloned().collect(),
            damaged: Vec::new(),
        })
    }

    async fn due(
        &self,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error> {
        // Leases lapse by the store's clock; only wake-up times go by the caller's.
        let clock = self.clock.now();
        let kept = self.lock();
        let due = kept.runs.values().filter(|log| log.is_due(now));
        let mut due: Vec<_> = due
            .filter(|log| log.is_unheld_for(unheld, clock))
            .map(|log| (log.run.head.updated_at, log.run.id()))
            .collect();
        due.sort_unstable();
        Ok(due.into_iter().take(limit).map(|(_, run)| run).collect())
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        let found = self.lock().blobs.get(&hash).map(|b| Arc::clone(&b.bytes));
        let Some(bytes) = found else { return Ok(None) };
        if BlobHash::of(&bytes) != hash {
            return Err(Error::StoreDamaged {
                what: format!("blob {hash}"),
                why: "its bytes have another hash".to_owned(),
            });
        }
        Ok(Some(bytes.to_vec()))
    }

    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        self.change(run, |log| log.run.keep = keep)
    }

    async fn delete(&self, run: RunId) -> Result<(), Error> {
        let now = self.clock.now();
        let mut kept = self.lock();
        let log = kept.runs.get(&run).ok_or(Error::NoSuchRun { run })?;
        log.refuse_if_held(now)?;
        kept.remove(run);
        Ok(())
    }

    async fn purge(&self, before: Timestamp) -> Result<Purged, Error> {
        let now = self.clock.now();
        let mut kept = self.lock();
        let expired = kept.runs.values().filter(|log| log.expires(before, now));
        let expired: Vec<RunId> = expired.map(|log| log.run.id()).collect();
        let mut purged = Purged::default();
        for run in expired {
            purged.runs += 1;
            purged.blobs += kept.remove(run);
        }
        Ok(purged)
    }
}

impl Kept {
    /// Forgets a run and the blobs that no other run refers to. Tells how many those were.
    fn remove(&mut self, run: RunId) -> u64 {
        let log = self.runs.remove(&run);
        let mut gone = 0;
        for hash in log.into_iter().flat_map(|log| log.blobs) {
            let Some(blob) = self.blobs.get_mut(&hash) else {
                continue;
            };
            blob.runs -= 1;
            if blob.runs == 0 {
                self.blobs.remove(&hash);
                gone += 1;
            }
        }
        gone
    }
}

impl Lease {
    fn from(now: Timestamp, owner: &Owner, lease: Duration) -> Self {
        Self {
            owner: owner.clone(),
            until: later(now, lease),
        }
    }
}

impl EntryName {
    fn of(entry: &Entry) -> Self {
        Self {
            step: entry.meta.step,
            key: entry.meta.key.clone(),
            answered: entry.meta.part == Part::Answered,
        }
    }
}

impl Log {
    fn begin(creation: Creation, lease: Lease) -> Result<Self, Error> {
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
        log.check_record(&creation.base)?;
        let names = log.new_names(&creation.entries)?;
        log.add_record(creation.base);
        log.add_entries(creation.entries, names);
        log.add_events(creation.events);
        Ok(log)
    }

    fn token(&self) -> Token {
        Token {
            fence: self.fence,
            rev: self.run.head.rev,
        }
    }

    fn refuse_if_held(&self, now: Timestamp) -> Result<(), Error> {
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
    fn has_taken(&self, append: &Append) -> bool {
        self.last_nonce == Some(append.nonce)
            && append.token.rev.checked_add(1) == Some(self.run.head.rev)
    }

    /// Commits an admitted append. All that can be refused is refused before the first change.
    fn take(
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

    /// Refuses a record that is not the next step, or a base without a state.
    fn check_record(&self, record: &StepRecord) -> Result<(), Error> {
        let (step, next) = (record.meta.step, self.records.len());
        if index(step) != next {
            let why = format!("step {step} was to be recorded where step {next} belongs");
            return Err(Error::Store { why });
        }
        match (&record.meta.kind, &record.payload) {
            (StepKind::Base { .. }, None) => Err(Error::Store {
                why: format!("step {step} was to be a base, but holds no state"),
            }),
            (StepKind::Base { .. }, Some(_)) | (StepKind::Update | StepKind::Cut(_), _) => Ok(()),
        }
    }

    fn add_record(&mut self, record: StepRecord) {
        if let (StepKind::Base { tally, .. }, Some(state)) = (&record.meta.kind, &record.payload) {
            self.add_whole(Snapshot {
                step: record.meta.step,
                tally: tally.clone(),
                state: state.clone(),
            });
        }
        self.records.push(record);
    }

    fn add_whole(&mut self, whole: Snapshot) {
        self.wholes.insert(whole.step, whole);
    }

    fn new_names(&self, entries: &[Entry]) -> Result<HashSet<EntryName>, Error> {
        let mut names = HashSet::new();
        for entry in entries {
            let name = EntryName::of(entry);
            if self.entry_names.contains(&name) || !names.insert(name) {
                let (step, key, part) = (entry.meta.step, &entry.meta.key, entry.meta.part);
                return Err(Error::Store {
                    why: format!("the journal of step {step} has \"{key}\" ({part:?}) already"),
                });
            }
        }
        Ok(names)
    }

    fn add_entries(&mut self, entries: Vec<Entry>, names: HashSet<EntryName>) {
        self.entry_names.extend(names);
        for entry in entries {
            self.journal.entry(entry.meta.step).or_default().push(entry);
        }
    }

    fn add_events(&mut self, batch: Vec<Event>) {
        if !batch.is_empty() {
            self.event_batches.push(batch);
        }
    }

    fn add_blob(&mut self, blob: Blob, shared: &mut HashMap<BlobHash, SharedBlob>) {
        if self.blobs.insert(blob.hash) {
            let first = SharedBlob {
                bytes: blob.bytes,
                runs: 0,
            };
            shared.entry(blob.hash).or_insert(first).runs += 1;
        }
    }

    fn load(&self, at: Option<u64>) -> Result<Loaded, Error> {
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

    fn events(&self, after: u64, limit: usize) -> Vec<Event> {
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

    fn is_due(&self, now: Timestamp) -> bool {
        match self.run.head.status {
            Status::Pending | Status::Running(_) => true,
            Status::Waiting => self.run.head.wake_at.is_some_and(|at| at <= now),
            Status::Completed | Status::Failed | Status::Cancelled => false,
        }
    }

    fn is_unheld_for(&self, unheld: Duration, now: Timestamp) -> bool {
        match &self.lease {
            Some(held) => time_until(now, later(held.until, unheld)).is_none(),
            None => true,
        }
    }

    fn expires(&self, before: Timestamp, now: Timestamp) -> bool {
        let Run { head, keep, .. } = &self.run;
        let held = self.refuse_if_held(now).is_err();
        head.status.is_finished() && head.updated_at < before && !keep && !held
    }
}

/// A filter made ready to be held against many runs.
struct Wanted<'a> {
    filter: &'a RunFilter,
    text: Option<String>,
}

impl<'a> Wanted<'a> {
    fn new(filter: &'a RunFilter) -> Self {
        let text = filter.text.as_deref().map(str::to_lowercase);
        Self { filter, text }
    }

    fn includes(&self, run: &Run) -> bool {
        let (filter, about) = (self.filter, &run.about);
        let status = run.head.status.as_str();
        let place = (about.created_at, about.id);
        (filter.statuses.is_empty() || filter.statuses.iter().any(|name| name == status))
            && filter
                .workflow
                .as_ref()
                .is_none_or(|name| *name == about.workflow)
            && filter
                .created_from
                .is_none_or(|from| about.created_at >= from)
            && filter
                .created_before
                .is_none_or(|before| about.created_at < before)
            && filter
                .after
                .is_none_or(|after| place < (after.created_at, after.id))
            && self
                .text
                .as_ref()
                .is_none_or(|text| about.title.to_lowercase().contains(text))
    }
}

/// A step's number as a place in a vector; one that no vector can have is past every end.
fn index(step: u64) -> usize {
    usize::try_from(step).unwrap_or(usize::MAX)
}
