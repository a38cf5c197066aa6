//! A store between the engine and the real one, where a test decides what befalls each operation.
//!
//! It keeps nothing itself. [`StoreFaults`] may refuse an operation before it reaches the real store,
//! lose its reply afterwards, or take its time, which is how a process is stopped in the middle.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fathom_workflow::event::Event;
use fathom_workflow::journal::{Appended, Purged, RunFilter, RunPage};
use fathom_workflow::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use fathom_workflow::{BlobHash, Error, Owner, RunId, Store};
use jiff::Timestamp;

/// What a store is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreOp {
    /// To take hold of a run.
    Claim(RunId),
    /// To add to a run's log.
    Append,
    /// Any other change on somebody's request.
    Write,
    /// To prolong leases, which the engine does in the background.
    Renew,
    /// Which runs are to stop, which the engine asks in the background.
    Cancels,
    /// What a run's state is folded from.
    Load,
    /// Any other question.
    Read,
}

impl StoreOp {
    /// Whether it changes something on somebody's request.
    pub fn is_write(self) -> bool {
        matches!(self, Self::Claim(_) | Self::Append | Self::Write)
    }

    /// Whether the engine does it at moments of its own.
    pub fn is_background(self) -> bool {
        matches!(self, Self::Renew | Self::Cancels)
    }
}

/// What befalls the operations of one process.
#[async_trait]
pub trait StoreFaults: Send + Sync + 'static {
    /// An error means that the operation never reached the store.
    async fn before(&self, op: StoreOp) -> Result<(), Error>;

    /// An error means that the operation was done and its reply was lost.
    async fn after(&self, _op: StoreOp) -> Result<(), Error> {
        Ok(())
    }

    /// The process became a run's owner, under this token.
    fn holds(&self, _token: Token) {}

    /// The log was added to, under this token.
    fn appended(&self, _token: Token) {}
}

/// What a store says that cannot be reached.
pub fn store_gone() -> Error {
    Error::StoreGone {
        why: "a test has cut the line".into(),
    }
}

/// The real store, seen through faults.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    faults: Arc<dyn StoreFaults>,
}

impl FaultyStore {
    /// A store whose operations go through `faults` on their way to `inner`.
    pub fn new(inner: Arc<dyn Store>, faults: Arc<dyn StoreFaults>) -> Arc<Self> {
        Arc::new(Self { inner, faults })
    }

    async fn pass<T>(
        &self,
        op: StoreOp,
        work: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        self.faults.before(op).await?;
        let done = work.await?;
        self.faults.after(op).await?;
        Ok(done)
    }

    async fn hold(&self, work: impl Future<Output = Result<Token, Error>>) -> Result<Token, Error> {
        let token = work.await?;
        self.faults.holds(token);
        Ok(token)
    }
}

/// The operations that are passed on as they are, beside those whose tokens are told.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty, $op:ident;)*) => {
        #[async_trait]
        impl Store for FaultyStore {
            fn describe(&self) -> String {
                self.inner.describe()
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
                let work = self.hold(self.inner.create(creation, owner, lease));
                self.pass(StoreOp::Write, work).await
            }

            async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
                let work = self.hold(self.inner.claim(run, owner, lease));
                self.pass(StoreOp::Claim(run), work).await
            }

            async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
                let token = append.token;
                let work = async {
                    let appended = self.inner.append(append, lease).await?;
                    self.faults.appended(token);
                    Ok(appended)
                };
                self.pass(StoreOp::Append, work).await
            }

            $(async fn $name(&self, $($argument: $type),*) -> Result<$output, Error> {
                self.pass(StoreOp::$op, self.inner.$name($($argument),*)).await
            })*
        }
    };
}

pass_on! {
    renew(owner: &Owner, runs: &[RunId], lease: Duration) -> (), Renew;
    cancels(owner: &Owner) -> Vec<RunId>, Cancels;
    release(run: RunId, token: Token) -> (), Write;
    mark_cancel(run: RunId, wanted: bool) -> (), Write;
    keep(run: RunId, keep: bool) -> (), Write;
    delete(run: RunId) -> (), Write;
    purge(before: Timestamp) -> Purged, Write;
    head(run: RunId) -> (RunHeader, Token), Read;
    load(run: RunId, at: Option<u64>) -> Loaded, Load;
    steps(run: RunId, from: u64, limit: usize) -> Vec<StepRecord>, Read;
    entries(run: RunId, step: u64) -> Vec<Entry>, Read;
    events(run: RunId, after: u64, limit: usize) -> Vec<Event>, Read;
    list(filter: &RunFilter) -> RunPage, Read;
    due(workflow: &str, now: Timestamp, unheld: Duration, limit: usize) -> Vec<RunId>, Read;
    blob(hash: BlobHash) -> Option<Vec<u8>>, Read;
}
