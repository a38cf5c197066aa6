//! One store as two processes see it, with a clock that a proof turns where it can.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fathom_workflow::{Clock, Engine, Graph, ManualClock, RuntimeSettings, Store, SystemClock};
use jiff::Timestamp;

use super::research::Research;
use super::world::{Deps, ObservedWorld};
use crate::stores::{Backend, Disk, Site};

/// An engine of the workflow that most proofs use.
pub type ResearchEngine = Engine<Research, Deps>;

/// A store, the processes that use it, and their clock.
pub struct Lab {
    /// What the store is.
    pub backend: Backend,
    /// Where it lies.
    pub site: Site,
    /// As one process sees it, and as another does.
    pub stores: [Arc<dyn Store>; 2],
    /// The hands of every clock but PostgreSQL's.
    pub clock: Arc<ManualClock>,
}

impl Lab {
    /// A lab with an empty store.
    pub async fn new(backend: Backend) -> Result<Self> {
        let clock = Arc::new(ManualClock::at(Timestamp::now()));
        let site = Site::with_clock(backend, Disk::Fast, Arc::clone(&clock) as _).await?;
        Ok(Self {
            backend,
            stores: [site.open().await?, site.open().await?],
            site,
            clock,
        })
    }

    /// Whether leases lapse by the clock that the proof turns, or by the database's own.
    pub fn turns_the_clock(&self) -> bool {
        match self.backend {
            Backend::Memory | Backend::Sqlite => true,
            Backend::Postgres => false,
        }
    }

    /// Where the clock cannot be turned, leases are short and the proof waits.
    pub fn lease(&self) -> Duration {
        if self.turns_the_clock() {
            Duration::from_secs(30)
        } else {
            Duration::from_millis(200)
        }
    }

    /// Lets every lease given so far run out.
    pub async fn let_lease_lapse(&self) {
        if self.turns_the_clock() {
            self.clock.advance(2 * self.lease());
        } else {
            tokio::time::sleep(self.lease()).await;
        }
    }

    /// The engine of one process.
    pub fn engine(
        &self,
        graph: Graph<Research, Deps>,
        store: Arc<dyn Store>,
        world: &Arc<ObservedWorld>,
    ) -> ResearchEngine {
        let clock: Arc<dyn Clock> = if self.turns_the_clock() {
            Arc::clone(&self.clock) as _
        } else {
            Arc::new(SystemClock)
        };
        let settings = RuntimeSettings {
            lease: self.lease(),
            ..RuntimeSettings::default()
        };
        let deps = Arc::new(Deps(Arc::clone(world) as _));
        Engine::with(graph, store, deps, clock, settings)
    }
}
