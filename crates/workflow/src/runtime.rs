//! What all workflows of one process share: the store, the clock, the leases, the live events.
//!
//! Everything here works on a run without knowing its workflow: lists, headers, events, deletion.
//! What needs a graph is in [`crate::Engine`].

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use jiff::Timestamp;

use crate::clock::{SystemClock, later};
use crate::event::Event;
use crate::journal::Purged;
use crate::lease::{HeldRun, LeaseManager};
use crate::record::{RunHeader, StepRecord};
use crate::stream::{self, EventHub};
use crate::{Clock, Error, Owner, RunId, Store};

/// The bounds and times that hold for every run of a process.
#[derive(Clone, Debug)]
pub struct RuntimeSettings {
    /// How long a run stays this process's own without a sign of life.
    pub lease: Duration,
    /// How long a run must have been without an owner before another process takes it up.
    pub take_up_after: Duration,
    /// How many steps a run may take; the graph's own bound unless set.
    pub max_steps: Option<u64>,
    /// How long a rescue may take when the run's time is used up.
    pub grace: Duration,
    /// How often a step may be started, crash after crash, before the run is left to a person.
    pub max_starts: u32,
    /// How often a step may park until a moment: see [`crate::Context::park_until`].
    pub max_parks: u32,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            take_up_after: Duration::from_secs(60),
            max_steps: None,
            grace: Duration::from_secs(60),
            max_starts: 25,
            max_parks: 5,
        }
    }
}

/// One per process: the store, the name it writes under, and who watches. Engines of different
/// workflows share one, so that leases are renewed and events passed on in one place.
pub struct Runtime {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: RuntimeSettings,
    pub(crate) hub: Arc<EventHub>,
    pub(crate) owner: Owner,
    pub(crate) leases: LeaseManager,
}

impl Runtime {
    /// A runtime on the machine's clock with the default settings.
    pub fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Self::with(store, Arc::new(SystemClock), RuntimeSettings::default())
    }

    /// A runtime on a clock of the caller's, which tests turn by hand.
    pub fn with(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        settings: RuntimeSettings,
    ) -> Arc<Self> {
        let owner = Owner::unique();
        let leases = LeaseManager::new(Arc::clone(&store), owner.clone(), settings.lease);
        Arc::new(Self {
            store,
            clock,
            settings,
            hub: Arc::default(),
            owner,
            leases,
        })
    }

    /// Where the runs are stored.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The clock that deadlines and wake-up times go by. Leases go by the store's own.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// The bounds and times that this process works by.
    pub fn settings(&self) -> &RuntimeSettings {
        &self.settings
    }

    /// A run's header, whatever its workflow.
    pub async fn header(&self, run: RunId) -> Result<RunHeader, Error> {
        self.store.head(run).await.map(|(header, _)| header)
    }

    /// Removes finished runs older than `ttl`, kept ones excepted.
    pub async fn expire(&self, ttl: Duration) -> Result<Purged, Error> {
        let age = jiff::SignedDuration::try_from(ttl).unwrap_or(jiff::SignedDuration::MAX);
        match self.clock.now().checked_sub(age) {
            Ok(before) => self.store.purge(before).await,
            // Nothing is as old as that.
            Err(_) => Ok(Purged::default()),
        }
    }

    /// Every event numbered above `after`, then what comes, until the run ends.
    pub fn events(
        &self,
        run: RunId,
        after: u64,
    ) -> impl Stream<Item = Result<Event, Error>> + Send + use<> {
        stream::events(Arc::clone(&self.store), &self.hub, run, after)
    }

    /// Unfinished runs of a workflow that no process works on and that could go on now, those left
    /// longest first, `limit` at most.
    pub async fn unattended(&self, workflow: &str, limit: usize) -> Result<Vec<RunId>, Error> {
        let RuntimeSettings {
            lease,
            take_up_after,
            ..
        } = self.settings;
        let unheld = take_up_after.saturating_sub(lease);
        let now = self.clock.now();
        self.store.due(workflow, now, unheld, limit).await
    }

    /// Puts a run under the care of the lease manager, unless this process works on it already.
    pub(crate) fn hold(&self, run: RunId, now: Timestamp) -> Result<HeldRun, Error> {
        self.leases.hold(run).ok_or_else(|| Error::Held {
            run,
            owner: self.owner.clone(),
            until: later(now, self.settings.lease),
        })
    }

    pub(crate) async fn step(&self, run: RunId, step: u64) -> Result<StepRecord, Error> {
        let found = self.store.steps(run, step, 1).await?;
        let last = step.saturating_sub(1);
        found
            .into_iter()
            .next()
            .ok_or(Error::NoSuchStep { run, step, last })
    }
}
