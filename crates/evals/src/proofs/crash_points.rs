//! T2: a crash at every single write of a run, before it, after it, and between the two.
//!
//! The run has effects, a person's decision, bounded loops, a rescue and a delivery that must not
//! happen twice. For each of its writes in turn, that write fails; the run is then taken up again and
//! must end as if nothing had happened.

mod case;
mod nth_write;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fathom_store::{Sqlite, SqliteOptions};
use fathom_workflow::{Clock, Engine, ManualClock, RunId, RuntimeSettings, Store, SystemClock};
use futures::{StreamExt, stream};
use jiff::Timestamp;

use self::case::{Case, End, Lab};
use self::nth_write::NthWrite;
use super::faulty::FaultyStore;
use super::observed::{Observed, Repeats};
use super::research::{self, Deps};
use super::{Proof, Setting, Size};
use crate::stores::{Backend, Disk, Site};

/// More writes than the run can have.
const MOST_WRITES: u64 = 500;

/// Runs under way at the same time.
const AT_ONCE: usize = 8;

pub fn proof() -> Proof {
    Proof {
        id: "T2",
        what: "crash at every write of a run",
        run: |setting| Box::pin(run(setting)),
    }
}

/// What happens at the write that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// It never reaches the store.
    Before,
    /// It is written, and the transaction is not committed.
    Uncommitted,
    /// It is committed, and the reply is lost.
    Committed,
}

/// What becomes of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    /// It is gone; a new one takes the run up when the lease has lapsed.
    Dies,
    /// It lives on and takes its own run up again when the store answers.
    LivesOn,
}

async fn run(setting: Setting) -> Result<String> {
    let (mut crashes, mut told) = (0, Vec::new());
    for backend in Backend::ALL {
        let bench = Arc::new(Bench::new(backend).await?);
        let modes = modes(backend, setting.size);
        let mut writes = 0;
        for (moment, process) in &modes {
            let reached = bench.every_write(*moment, *process).await?;
            crashes += reached;
            writes = reached.max(writes);
        }
        let (store, modes) = (backend.name(), modes.len());
        told.push(format!("{store} {writes} writes × {modes} modes"));
    }
    Ok(format!(
        "{crashes} crashes ({}), 0 failures",
        told.join(", ")
    ))
}

/// What is tried at every write. Only SQLite lets us drop a transaction from outside; the quick size
/// leaves out what the memory store shows as well.
fn modes(backend: Backend, size: Size) -> Vec<(Moment, Process)> {
    let mut modes = vec![
        (Moment::Committed, Process::Dies),
        (Moment::Before, Process::LivesOn),
    ];
    if backend == Backend::Sqlite {
        modes.push((Moment::Uncommitted, Process::Dies));
    }
    if backend == Backend::Memory || size == Size::Full {
        modes.push((Moment::Before, Process::Dies));
        modes.push((Moment::Committed, Process::LivesOn));
        if backend == Backend::Sqlite {
            modes.push((Moment::Uncommitted, Process::LivesOn));
        }
    }
    modes
}

/// One store, and the run as it goes when nothing fails.
struct Bench {
    backend: Backend,
    site: Site,
    /// As one process sees it, and as another does.
    stores: [Arc<dyn Store>; 2],
    /// The hands of every clock but PostgreSQL's.
    clock: Arc<ManualClock>,
    reference: Option<End>,
}

impl Bench {
    async fn new(backend: Backend) -> Result<Self> {
        let clock = Arc::new(ManualClock::at(Timestamp::now()));
        let site = Site::with_clock(backend, Disk::Fast, Arc::clone(&clock) as _).await?;
        let mut bench = Self {
            backend,
            stores: [site.open().await?, site.open().await?],
            site,
            clock,
            reference: None,
        };
        let case = bench.case(MOST_WRITES, Moment::Before, Process::LivesOn)?;
        case.life(&case.first).await?;
        bench.reference = Some(case.end().await?);
        Ok(bench)
    }

    /// Fails the first write of one run, the second of the next, and so on to the last.
    async fn every_write(self: &Arc<Self>, moment: Moment, process: Process) -> Result<u64> {
        let mut cases = stream::iter(1..MOST_WRITES)
            .map(|nth| tokio::spawn(Arc::clone(self).one_write(nth, moment, process)))
            .buffered(AT_ONCE);
        let mut writes = 0;
        while let Some(reached) = cases.next().await {
            if !reached?? {
                return Ok(writes);
            }
            writes += 1;
        }
        bail!("the run has more than {MOST_WRITES} writes")
    }

    async fn one_write(
        self: Arc<Self>,
        nth: u64,
        moment: Moment,
        process: Process,
    ) -> Result<bool> {
        let case = self.case(nth, moment, process)?;
        let reached = case.crash_and_recover(&self).await;
        reached.with_context(|| {
            let store = self.backend.name();
            format!("{store}: write {nth}, {moment:?}, process {process:?}")
        })
    }

    fn case(&self, nth: u64, moment: Moment, process: Process) -> Result<Case> {
        let fate = Arc::new(NthWrite::new(nth, moment, process));
        let [here, elsewhere] = &self.stores;
        let inner = match (moment, self.site.path()) {
            (Moment::Uncommitted, Some(path)) => {
                let fate = Arc::clone(&fate);
                let options = SqliteOptions {
                    before_commit: Some(Arc::new(move || fate.vetoes())),
                    clock: Arc::clone(&self.clock) as _,
                    ..SqliteOptions::default()
                };
                Arc::new(Sqlite::open_with(path, options)?)
            }
            _ => Arc::clone(here),
        };
        let world = Arc::new(Observed::new(Arc::clone(elsewhere), Repeats::Forbidden));
        let store = Arc::new(FaultyStore::new(inner, Arc::clone(&fate) as _));
        Ok(Case {
            run: RunId::new(),
            first: self.engine(store, &world)?,
            second: self.engine(Arc::clone(elsewhere), &world)?,
            admitted: AtomicBool::new(false),
            fate,
            world,
        })
    }

    fn engine(&self, store: Arc<dyn Store>, world: &Arc<Observed>) -> Result<Lab> {
        let clock: Arc<dyn Clock> = match self.backend {
            Backend::Memory | Backend::Sqlite => Arc::clone(&self.clock) as _,
            Backend::Postgres => Arc::new(SystemClock),
        };
        let settings = RuntimeSettings {
            lease: self.lease(),
            ..RuntimeSettings::default()
        };
        let deps = Arc::new(Deps(Arc::clone(world) as _));
        Ok(Engine::with(
            research::eventful()?,
            store,
            deps,
            clock,
            settings,
        ))
    }

    fn lease(&self) -> Duration {
        match self.backend {
            Backend::Memory | Backend::Sqlite => Duration::from_secs(30),
            // Its clock cannot be turned, so the leases are short and the proof waits.
            Backend::Postgres => Duration::from_millis(60),
        }
    }

    async fn let_lease_lapse(&self) {
        match self.backend {
            Backend::Memory | Backend::Sqlite => self.clock.advance(2 * self.lease()),
            Backend::Postgres => tokio::time::sleep(self.lease()).await,
        }
    }
}
