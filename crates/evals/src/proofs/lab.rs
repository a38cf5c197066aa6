//! One store as two processes see it, with a clock that a proof turns where it can.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use fathom_workflow::record::{RunTally, Status};
use fathom_workflow::{
    Clock, Engine, Graph, ManualClock, RunId, RuntimeSettings, State, Store, SystemClock, WAITED_MS,
};
use jiff::Timestamp;

use super::run_log::RunLog;
use super::scripted::{ScriptedEngine, ScriptedRun, rescued};
use super::world::{Deps, ObservedWorld, World};
use crate::stores::{Backend, Disk, Site};

/// An engine as one process would have it.
pub fn engine<S: State>(
    graph: Graph<S, Deps>,
    store: Arc<dyn Store>,
    world: &Arc<impl World>,
    clock: Arc<dyn Clock>,
    lease: Duration,
) -> Engine<S, Deps> {
    let settings = RuntimeSettings {
        lease,
        ..RuntimeSettings::default()
    };
    let deps = Arc::new(Deps(Arc::clone(world) as _));
    Engine::with(graph, store, deps, clock, settings)
}

/// What two runs must have in common.
pub type FinalState = (ScriptedRun, RunTally);

/// A store, the processes that use it, and their clock.
pub struct Lab {
    /// As one process sees it, and as another does.
    pub stores: [Arc<dyn Store>; 2],
    /// The hands of every clock but PostgreSQL's, by which leases lapse too.
    pub clock: Option<Arc<ManualClock>>,
    /// Where the clock cannot be turned, leases are short and the proof waits.
    pub lease: Duration,
    site: Option<Site>,
}

impl Lab {
    /// A lab with an empty store.
    pub async fn new(backend: Backend) -> Result<Self> {
        let clock = Arc::new(ManualClock::at(Timestamp::now()));
        let site = Site::with_clock(backend, Disk::Fast, Arc::clone(&clock) as _).await?;
        let (clock, lease) = match backend {
            Backend::Memory | Backend::Sqlite => (Some(clock), Duration::from_secs(30)),
            Backend::Postgres => (None, Duration::from_millis(200)),
        };
        Ok(Self {
            stores: [site.open().await?, site.open().await?],
            site: Some(site),
            clock,
            lease,
        })
    }

    /// A lab over stores that the proof has made, with leases that last.
    pub fn over(stores: [Arc<dyn Store>; 2]) -> Self {
        Self {
            stores,
            clock: None,
            lease: RuntimeSettings::default().lease,
            site: None,
        }
    }

    /// The file of a SQLite store.
    pub fn path(&self) -> Option<PathBuf> {
        self.site.as_ref().and_then(Site::path)
    }

    /// Lets every lease given so far run out.
    pub async fn let_lease_lapse(&self) {
        match &self.clock {
            Some(clock) => clock.advance(2 * self.lease),
            None => tokio::time::sleep(self.lease).await,
        }
    }

    /// A world that looks into the store, out of reach of any fault.
    pub fn watched(&self) -> Arc<ObservedWorld> {
        ObservedWorld::new(Some(Arc::clone(&self.stores[1])))
    }

    /// The engine of one process, for runs that are rescued when they fail.
    pub fn engine(&self, store: Arc<dyn Store>, world: &Arc<impl World>) -> Result<ScriptedEngine> {
        let clock: Arc<dyn Clock> = match &self.clock {
            Some(clock) => Arc::clone(clock) as _,
            None => Arc::new(SystemClock),
        };
        Ok(engine(rescued("lab")?, store, world, clock, self.lease))
    }

    /// What a completed run has come to, with a sound log.
    pub async fn final_state(&self, run: RunId) -> Result<FinalState> {
        let log = RunLog::sound(&*self.stores[1], run).await?;
        let status = &log.run.head.status;
        ensure!(*status == Status::Completed, "the run is {status}");
        let engine = self.engine(Arc::clone(&self.stores[1]), &ObservedWorld::new(None))?;
        let mut view = engine.view(run, None).await?;
        // How long nobody worked on the run is the only thing that an interruption may show in.
        view.tally.meters.remove(WAITED_MS);
        Ok((view.state, view.tally))
    }
}
