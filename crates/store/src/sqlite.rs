//! Runs in one SQLite file: the store that needs no server and no settings.
//!
//! One connection writes: a thread shares its synced commits among those who wait, and a run that
//! has the store to itself is written on its caller's thread ([`writer`]). A few connections read
//! ([`readers`]). Several processes may use the same file: fences and revs keep
//! them off each other's runs.

mod append;
mod failure;
mod file;
mod header;
mod history;
mod lease;
mod load;
mod readers;
mod removal;
mod wal;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fathom_workflow::event::Event;
use fathom_workflow::journal::{Appended, Purged, RunFilter, RunPage};
use fathom_workflow::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use fathom_workflow::{BlobHash, Clock, Error, Owner, RunId, Store, SystemClock};
use jiff::Timestamp;

use self::append::{AppendRequest, CreateRequest};
use self::lease::LeaseTime;
use self::readers::ReaderPool;
use self::writer::SharedWriter;

/// A store in one SQLite file. Dropping it waits until all that was handed in is written.
///
/// On a multi-thread runtime of tokio the step of a lone run is committed in the call that brings it, by
/// `block_in_place`. Tokio forbids that within a `LocalSet`: there, use a current-thread runtime.
pub struct Sqlite {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    readers: ReaderPool,
    writer: SharedWriter,
    /// The run that was last written to.
    last: Mutex<Option<RunId>>,
    /// What was wrong with the list of runs when the file was opened. Those that can be found go on.
    damaged_headers: Option<String>,
}

/// What proofs change about a store. Everybody else takes the default.
pub struct SqliteOptions {
    /// The file never has more pages (of 4 KiB) than this; beyond it, the disk counts as full.
    pub page_limit: Option<u32>,
    /// Asked before each commit. `true` drops the transaction, as a crash at this point would.
    pub before_commit: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// By which leases begin and lapse.
    pub clock: Arc<dyn Clock>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            page_limit: None,
            before_commit: None,
            clock: Arc::new(SystemClock),
        }
    }
}

impl Sqlite {
    /// Opens the file, or makes it and the folder it lies in. Waits for the disk.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// As [`Sqlite::open`], with what proofs change.
    pub fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, Error> {
        // Absolute, so that no name (":memory:") is special and no change of folder matters.
        let path = std::path::absolute(path).map_err(|error| Error::StoreGone {
            why: format!("its path cannot be used: {error}"),
        })?;
        let connection = file::open(&path, options.page_limit)?;
        let damaged_headers = file::damaged_headers(&connection);
        if let Some(why) = &damaged_headers {
            tracing::error!(path = %path.display(), why, "the list of runs is damaged");
        }
        Ok(Self {
            damaged_headers,
            readers: ReaderPool::new(path.clone()),
            writer: SharedWriter::start(connection, options.before_commit)?,
            last: Mutex::new(None),
            clock: options.clock,
            path,
        })
    }

    /// Commits made so far. Fewer than writes: those that wait at the same time share one.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Whether the last write was to the same run: then it has the store to itself, or nearly so.
    fn comes_again(&self, run: RunId) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.replace(run) == Some(run)
    }

    /// Where the list of runs is damaged, a run that is not found may be there all the same.
    fn found<T>(&self, found: Result<T, Error>) -> Result<T, Error> {
        match (found, &self.damaged_headers) {
            (Err(Error::NoSuchRun { run }), Some(why)) => Err(Error::StoreDamaged {
                what: format!("the list of runs, where {run} was looked for"),
                why: why.clone(),
            }),
            (found, _) => found,
        }
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.readers.close();
    }
}

#[async_trait]
impl Store for Sqlite {
    fn describe(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    fn is_durable(&self) -> bool {
        true
    }

    async fn create(
        &self,
        creation: Creation,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Token, Error> {
        self.comes_again(creation.run.id());
        let slot = self.writer.slot().await?;
        let request = CreateRequest::new(creation, owner)?;
        let clock = Arc::clone(&self.clock);
        let work = move |connection: &_| {
            append::create(connection, &request, LeaseTime::new(clock.now(), lease))
        };
        slot.run(work).await
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        let (clock, owner) = (Arc::clone(&self.clock), owner.clone());
        let work = move |connection: &_| {
            lease::claim(connection, run, &owner, LeaseTime::new(clock.now(), lease))
        };
        self.writer.run(work).await
    }

    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error> {
        let (clock, owner) = (Arc::clone(&self.clock), owner.clone());
        let runs = runs.to_vec();
        let work = move |connection: &_| {
            lease::renew(
                connection,
                &owner,
                &runs,
                LeaseTime::new(clock.now(), lease),
            )
        };
        self.writer.run(work).await
    }

    async fn release(&self, run: RunId, token: Token) -> Result<(), Error> {
        let work = move |connection: &_| lease::release(connection, run, token);
        self.writer.run(work).await
    }

    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
        let is_alone = self.comes_again(append.run);
        let slot = self.writer.slot().await?;
        let request = AppendRequest::new(&append)?;
        let clock = Arc::clone(&self.clock);
        let work = move |connection: &_| {
            append::append(connection, &request, LeaseTime::new(clock.now(), lease))
        };
        if is_alone && append.record.is_some() {
            slot.run_here(work).await
        } else {
            slot.run(work).await
        }
    }

    async fn mark_cancel(&self, run: RunId, wanted: bool) -> Result<(), Error> {
        let work = move |connection: &_| lease::mark_cancel(connection, run, wanted);
        self.writer.run(work).await
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        let owner = owner.clone();
        let read = move |connection: &_| lease::cancels(connection, &owner);
        self.readers.run(read).await
    }

    async fn head(&self, run: RunId) -> Result<(RunHeader, Token), Error> {
        let read = move |connection: &_| header::find(connection, run);
        self.found(self.readers.run_here(read).await)
    }

    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error> {
        let read = move |connection: &_| load::load(connection, run, at);
        self.found(self.readers.run(read).await)
    }

    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error> {
        let read = move |connection: &_| load::steps(connection, run, from, limit);
        self.found(self.readers.run(read).await)
    }

    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error> {
        let read = move |connection: &_| history::entries(connection, run, step);
        self.found(self.readers.run(read).await)
    }

    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let read = move |connection: &_| history::events(connection, run, after, limit);
        self.found(self.readers.run(read).await)
    }

    async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error> {
        let filter = filter.clone();
        let read = move |connection: &_| header::list(connection, &filter);
        let mut page = self.readers.run(read).await?;
        if let Some(why) = &self.damaged_headers {
            page.damaged.push(format!("the list of runs: {why}"));
        }
        Ok(page)
    }

    async fn due(
        &self,
        workflow: &str,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error> {
        let (clock, workflow) = (self.clock.now(), workflow.to_owned());
        let read =
            move |connection: &_| header::due(connection, &workflow, clock, now, unheld, limit);
        self.readers.run(read).await
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        let read = move |connection: &_| load::blob(connection, hash);
        self.readers.run(read).await
    }

    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        let work = move |connection: &_| lease::mark_keep(connection, run, keep);
        self.writer.run(work).await
    }

    async fn delete(&self, run: RunId) -> Result<(), Error> {
        let clock = Arc::clone(&self.clock);
        let work = move |connection: &_| removal::delete(connection, run, clock.now());
        self.writer.run(work).await
    }

    async fn purge(&self, before: Timestamp) -> Result<Purged, Error> {
        let read = move |connection: &_| removal::expired(connection, before);
        let expired = self.readers.run(read).await?;
        let mut total = Purged::default();
        for some in expired.chunks(removal::PURGED_AT_ONCE) {
            let (some, clock) = (some.to_vec(), Arc::clone(&self.clock));
            let work = move |connection: &_| removal::purge(connection, &some, before, clock.now());
            let purged = self.writer.run(work).await?;
            total.runs += purged.runs;
            total.blobs += purged.blobs;
        }
        Ok(total)
    }
}

/// How a moment lies in its column.
fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}
