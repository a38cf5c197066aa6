//! A store between the engine and the real one, where a proof decides what befalls each operation.
//!
//! It keeps nothing itself. A [`StoreFaults`] may refuse an operation before it reaches the real store, lose
//! its reply afterwards, or just take its time, which is how a process is stopped in the middle.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fathom_workflow::event::Event;
use fathom_workflow::journal::{Appended, Purged, RunFilter, RunPage};
use fathom_workflow::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use fathom_workflow::{BlobHash, Error, Owner, RunId, Store};
use jiff::Timestamp;

/// What kind of operation a store is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Changes something on somebody's request.
    Write,
    /// What the engine does in the background, at moments of its own.
    Keeping,
    /// Changes nothing.
    Read,
}

/// A write that the real store has taken, with the token it gave or took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenWrite {
    /// Somebody became the run's owner.
    Hold(Token),
    /// The log was added to.
    Append(Token),
}

/// What befalls the operations of one process.
#[async_trait]
pub trait StoreFaults: Send + Sync + 'static {
    /// An error means that the operation never reached the store.
    async fn before(&self, op: Op) -> Result<(), Error>;

    /// An error means that the operation was done and its reply was lost.
    async fn after(&self, op: Op) -> Result<(), Error>;

    /// Told of each write that changed a run's log or holder, as soon as it is done.
    fn taken(&self, _write: TakenWrite) {}
}

/// What a store says that cannot be reached.
pub fn gone() -> Error {
    Error::StoreGone {
        why: "a proof has cut the line".into(),
    }
}

/// The real store, seen through faults.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    faults: Arc<dyn StoreFaults>,
}

impl FaultyStore {
    pub fn new(inner: Arc<dyn Store>, faults: Arc<dyn StoreFaults>) -> Self {
        Self { inner, faults }
    }

    async fn through<T>(
        &self,
        op: Op,
        work: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        self.watched(op, work, |_| None).await
    }

    async fn watched<T>(
        &self,
        op: Op,
        work: impl Future<Output = Result<T, Error>> + Send,
        taken: impl FnOnce(&T) -> Option<TakenWrite> + Send,
    ) -> Result<T, Error> {
        self.faults.before(op).await?;
        let done = work.await?;
        if let Some(write) = taken(&done) {
            self.faults.taken(write);
        }
        self.faults.after(op).await?;
        Ok(done)
    }
}

#[async_trait]
impl Store for FaultyStore {
    fn describe(&self) -> String {
        format!("{}, meddled with", self.inner.describe())
    }

    fn is_durable(&self) -> bool {
        self.inner.is_durable()
    }

    async fn create(
        &self,
        creation: Creation,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Token, Error> {
        let work = self.inner.create(creation, owner, lease);
        self.watched(Op::Write, work, |token| Some(TakenWrite::Hold(*token)))
            .await
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        let work = self.inner.claim(run, owner, lease);
        self.watched(Op::Write, work, |token| Some(TakenWrite::Hold(*token)))
            .await
    }

    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error> {
        self.through(Op::Keeping, self.inner.renew(owner, runs, lease))
            .await
    }

    async fn release(&self, run: RunId, token: Token) -> Result<(), Error> {
        self.through(Op::Write, self.inner.release(run, token))
            .await
    }

    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
        let token = append.token;
        let work = self.inner.append(append, lease);
        self.watched(Op::Write, work, |_| Some(TakenWrite::Append(token)))
            .await
    }

    async fn request_cancel(&self, run: RunId) -> Result<(), Error> {
        self.through(Op::Write, self.inner.request_cancel(run))
            .await
    }

    async fn clear_cancel(&self, run: RunId) -> Result<(), Error> {
        self.through(Op::Write, self.inner.clear_cancel(run)).await
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        self.through(Op::Keeping, self.inner.cancels(owner)).await
    }

    async fn head(&self, run: RunId) -> Result<(RunHeader, Token), Error> {
        self.through(Op::Read, self.inner.head(run)).await
    }

    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error> {
        self.through(Op::Read, self.inner.load(run, at)).await
    }

    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error> {
        self.through(Op::Read, self.inner.steps(run, from, limit))
            .await
    }

    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error> {
        self.through(Op::Read, self.inner.entries(run, step)).await
    }

    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        self.through(Op::Read, self.inner.events(run, after, limit))
            .await
    }

    async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error> {
        self.through(Op::Read, self.inner.list(filter)).await
    }

    async fn due(
        &self,
        workflow: &str,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error> {
        self.through(Op::Read, self.inner.due(workflow, now, unheld, limit))
            .await
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        self.through(Op::Read, self.inner.blob(hash)).await
    }

    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        self.through(Op::Write, self.inner.keep(run, keep)).await
    }

    async fn delete(&self, run: RunId) -> Result<(), Error> {
        self.through(Op::Write, self.inner.delete(run)).await
    }

    async fn purge(&self, before: Timestamp) -> Result<Purged, Error> {
        self.through(Op::Write, self.inner.purge(before)).await
    }
}
