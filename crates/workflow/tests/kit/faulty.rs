//! A store that counts what is asked of it, and fails where a test tells it to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use fathom_workflow::event::Event;
use fathom_workflow::journal::{Appended, Purged, RunFilter, RunPage};
use fathom_workflow::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use fathom_workflow::{BlobHash, Error, Owner, RunId, Store};
use jiff::Timestamp;

/// What goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreFault {
    #[default]
    Nothing,
    RenewalFails,
    /// The first time only.
    RenewalPanics,
    ClaimFails,
    /// Claims of this run are refused for a reason that may pass.
    ClaimRefused(RunId),
}

/// Passes everything on to another store.
pub struct CountingStore {
    inner: Arc<dyn Store>,
    fault: StoreFault,
    loads: AtomicUsize,
    appends: AtomicUsize,
    renewals: AtomicUsize,
    claims: AtomicUsize,
}

impl CountingStore {
    pub fn new(inner: Arc<dyn Store>, fault: StoreFault) -> Arc<Self> {
        Arc::new(Self {
            inner,
            fault,
            loads: AtomicUsize::new(0),
            appends: AtomicUsize::new(0),
            renewals: AtomicUsize::new(0),
            claims: AtomicUsize::new(0),
        })
    }

    /// How often a log was loaded, and how many appends were made.
    pub fn loads_and_appends(&self) -> (usize, usize) {
        (
            self.loads.load(Ordering::SeqCst),
            self.appends.load(Ordering::SeqCst),
        )
    }

    pub fn claims(&self) -> usize {
        self.claims.load(Ordering::SeqCst)
    }

    pub fn renewals(&self) -> usize {
        self.renewals.load(Ordering::SeqCst)
    }
}

fn gone() -> Error {
    Error::StoreGone { why: "away".into() }
}

#[async_trait]
impl Store for CountingStore {
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
        self.inner.create(creation, owner, lease).await
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        self.claims.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            StoreFault::ClaimFails => Err(gone()),
            StoreFault::ClaimRefused(refused) if refused == run => Err(Error::Store {
                why: "out of memory".into(),
            }),
            _ => self.inner.claim(run, owner, lease).await,
        }
    }

    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error> {
        let before = self.renewals.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            StoreFault::RenewalFails => return Err(gone()),
            StoreFault::RenewalPanics if before == 0 => panic!("the renewal falls over"),
            StoreFault::Nothing
            | StoreFault::RenewalPanics
            | StoreFault::ClaimFails
            | StoreFault::ClaimRefused(_) => {}
        }
        self.inner.renew(owner, runs, lease).await
    }

    async fn release(&self, run: RunId, token: Token) -> Result<(), Error> {
        self.inner.release(run, token).await
    }

    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
        self.appends.fetch_add(1, Ordering::SeqCst);
        self.inner.append(append, lease).await
    }

    async fn request_cancel(&self, run: RunId) -> Result<(), Error> {
        self.inner.request_cancel(run).await
    }

    async fn clear_cancel(&self, run: RunId) -> Result<(), Error> {
        self.inner.clear_cancel(run).await
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        self.inner.cancels(owner).await
    }

    async fn head(&self, run: RunId) -> Result<(RunHeader, Token), Error> {
        self.inner.head(run).await
    }

    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        self.inner.load(run, at).await
    }

    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error> {
        self.inner.steps(run, from, limit).await
    }

    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error> {
        self.inner.entries(run, step).await
    }

    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        self.inner.events(run, after, limit).await
    }

    async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error> {
        self.inner.list(filter).await
    }

    async fn due(
        &self,
        workflow: &str,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error> {
        self.inner.due(workflow, now, unheld, limit).await
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        self.inner.blob(hash).await
    }

    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        self.inner.keep(run, keep).await
    }

    async fn delete(&self, run: RunId) -> Result<(), Error> {
        self.inner.delete(run).await
    }

    async fn purge(&self, before: Timestamp) -> Result<Purged, Error> {
        self.inner.purge(before).await
    }
}
