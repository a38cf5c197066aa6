//! A store that remembers only as long as the process lives: for tests, trials and one-off runs.
//!
//! Nothing in it is durable, and it says so. It keeps payloads in their typed form and moves what it
//! is given, so a step costs it no encoding and no copy. One lock guards everything: an append holds
//! it for well under a microsecond, and only lists and sweeps look at every run under it.

mod log;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use self::log::{HeldLease, RunLog, SharedBlob, index};
use crate::clock::later;
use crate::event::Event;
use crate::journal::{Appended, ListCursor, Purged, RunFilter, RunPage, Store};
use crate::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use crate::{BlobHash, Clock, Error, Owner, RunId, SystemClock};

/// Keeps runs in this process's memory. **Not durable**: when the process ends, every run is gone.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    kept: Mutex<MemoryContents>,
}

#[derive(Default)]
struct MemoryContents {
    runs: HashMap<RunId, RunLog>,
    blobs: HashMap<BlobHash, SharedBlob>,
}

impl MemoryStore {
    /// An empty store on the machine's clock.
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
    fn lock(&self) -> MutexGuard<'_, MemoryContents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, run: RunId, look: impl FnOnce(&RunLog) -> T) -> Result<T, Error> {
        let kept = self.lock();
        kept.runs
            .get(&run)
            .map(look)
            .ok_or(Error::NoSuchRun { run })
    }

    fn change<T>(&self, run: RunId, act: impl FnOnce(&mut RunLog) -> T) -> Result<T, Error> {
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
        creation.check()?;
        let run = creation.run.id();
        let lease = HeldLease::from(self.clock.now(), owner, lease);
        let mut kept = self.lock();
        if kept.runs.contains_key(&run) {
            return Err(Error::RunExists { run });
        }
        let origin = creation.run.about.forked_from.as_ref().map(|from| from.run);
        let mut log = RunLog::begin(creation, lease);
        log.blobs = kept.share_blobs_of(origin);
        let token = log.token();
        kept.runs.insert(run, log);
        Ok(token)
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        let now = self.clock.now();
        self.change(run, |log| {
            log.refuse_if_held(now)?;
            log.fence += 1;
            log.lease = Some(HeldLease::from(now, owner, lease));
            Ok(log.token())
        })?
    }

    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error> {
        let until = later(self.clock.now(), lease);
        let mut kept = self.lock();
        for run in runs {
            if let Some(log) = kept.runs.get_mut(run)
                && let Some(held) = log.lease.as_mut().filter(|held| held.owner == *owner)
            {
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
        append.check()?;
        let until = later(self.clock.now(), lease);
        let mut kept = self.lock();
        let MemoryContents { runs, blobs } = &mut *kept;
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

    async fn mark_cancel(&self, run: RunId, wanted: bool) -> Result<(), Error> {
        self.change(run, |log| log.cancel_requested = wanted)
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        let kept = self.lock();
        let marked = kept.runs.values().filter(|log| {
            log.cancel_requested && log.lease.as_ref().is_some_and(|held| held.owner == *owner)
        });
        Ok(marked.map(|log| log.run.id()).collect())
    }

    async fn head(&self, run: RunId) -> Result<(RunHeader, Token), Error> {
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

    async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error> {
        let kept = self.lock();
        let wanted = RunMatcher::new(filter);
        let mut runs: Vec<&RunHeader> = kept.runs.values().map(|log| &log.run).collect();
        runs.retain(|run| wanted.includes(run));
        runs.sort_unstable_by_key(|run| std::cmp::Reverse((run.about.created_at, run.id())));
        let more = runs.len() > filter.page_size();
        runs.truncate(filter.page_size());
        Ok(RunPage {
            next: runs.last().filter(|_| more).map(|run| ListCursor {
                created_at: run.about.created_at,
                id: run.id(),
            }),
            runs: runs.into_iter().cloned().collect(),
            damaged: Vec::new(),
        })
    }

    async fn due(
        &self,
        workflow: &str,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error> {
        // Leases lapse by the store's clock; only wake-up times go by the caller's.
        let clock = self.clock.now();
        let kept = self.lock();
        let due = kept.runs.values().filter(|log| log.is_due(workflow, now));
        let mut due: Vec<_> = due
            .filter(|log| log.is_unheld_for(unheld, clock))
            .map(|log| (log.run.head.updated_at, log.run.id()))
            .collect();
        due.sort_unstable();
        Ok(due.into_iter().take(limit).map(|(_, run)| run).collect())
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        let found = self.lock().blobs.get(&hash).map(|blob| blob.bytes.clone());
        let Some(bytes) = found else { return Ok(None) };
        if BlobHash::from_content(&bytes) != hash {
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

impl MemoryContents {
    /// Counts one more run for every blob that the origin of a fork refers to.
    fn share_blobs_of(&mut self, origin: Option<RunId>) -> HashSet<BlobHash> {
        let origin = origin.and_then(|origin| self.runs.get(&origin));
        let shared = origin.map(|log| log.blobs.clone()).unwrap_or_default();
        for hash in &shared {
            if let Some(blob) = self.blobs.get_mut(hash) {
                blob.runs += 1;
            }
        }
        shared
    }

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

/// A filter made ready to be held against many runs.
struct RunMatcher<'a> {
    filter: &'a RunFilter,
    text: Option<String>,
}

impl<'a> RunMatcher<'a> {
    fn new(filter: &'a RunFilter) -> Self {
        let text = filter.text.as_deref().map(str::to_lowercase);
        Self { filter, text }
    }

    fn includes(&self, run: &RunHeader) -> bool {
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
