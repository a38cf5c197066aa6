//! One store as two processes see it, with a clock that a proof turns where it can.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fathom_workflow::{
    Clock, Engine, Graph, ManualClock, RuntimeSettings, State, Store, SystemClock,
};
use jiff::Timestamp;

use super::scripted::{ScriptedEngine, rescued};
use super::world::{Deps, World};
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

/// A store, the processes that use it, and their clock.
pub struct Lab {
    /// Where the store lies.
    pub site: Site,
    /// As one process sees it, and as another does.
    pub stores: [Arc<dyn Store>; 2],
    /// The hands of every clock but PostgreSQL's.
    pub clock: Arc<ManualClock>,
    /// Whether leases lapse by the clock that the proof turns, or by the database's own.
    pub turns_the_clock: bool,
    /// Where the clock cannot be turned, leases are short and the proof waits.
    pub lease: Duration,
}

impl Lab {
    /// A lab with an empty store.
    pub async fn new(backend: Backend) -> Result<Self> {
        let clock = Arc::new(ManualClock::at(Timestamp::now()));
        let site = Site::with_clock(backend, Disk::Fast, Arc::clone(&clock) as _).await?;
        let (turns_the_clock, lease) = match backend {
            Backend::Memory | Backend::Sqlite => (true, Duration::from_secs(30)),
            Backend::Postgres => (false, Duration::from_millis(200)),
        };
        Ok(Self {
            stores: [site.open().await?, site.open().await?],
            site,
            clock,
            turns_the_clock,
            lease,
        })
    }

    /// Lets every lease given so far run out.
    pub async fn let_lease_lapse(&self) {
        if self.turns_the_clock {
            self.clock.advance(2 * self.lease);
        } else {
            tokio::time::sleep(self.lease).await;
        }
    }

    /// The engine of one process, for runs that are rescued when they fail.
    pub fn engine(&self, store: Arc<dyn Store>, world: &Arc<impl World>) -> Result<ScriptedEngine> {
        let clock: Arc<dyn Clock> = if self.turns_the_clock {
            Arc::clone(&self.clock) as _
        } else {
            Arc::new(SystemClock)
        };
        Ok(engine(rescued("lab")?, store, world, clock, self.lease))
    }
}
