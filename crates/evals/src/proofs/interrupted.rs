//! One run under two engines, each of which may be interrupted at one write of its store: the write
//! fails, or its reply is lost, or the whole process stands still until it is let go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use fathom_store::{Sqlite, SqliteOptions};
use fathom_testworld::{FaultyStore, StoreFaults, StoreOp, store_gone};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::{Status, Token};
use fathom_workflow::{Error, RunId, Store};
use tokio::sync::Semaphore;

use super::lab::{FinalState, Lab};
use super::scripted::{DELIVER, ScriptedEngine, ScriptedRun, found_out, open_or_start};
use super::world::ObservedWorld;

/// How often a run is opened: once to begin, once after each decision, and while somebody holds it.
const MOST_TURNS: usize = 100;

/// What happens at the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// It never reaches the store.
    Before,
    /// It is written, and the transaction is not committed. Only SQLite lets us drop one from outside.
    Uncommitted,
    /// It is committed, and the reply is lost.
    Committed,
    /// The process stands still just before it.
    StopBefore,
    /// The process stands still just after it.
    StopAfter,
}

/// The write at which a process is interrupted.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt {
    /// Counted from 1; 0 for a process that nothing happens to.
    pub nth: u64,
    pub how: Interruption,
    /// Whether the process gets nothing through any more.
    pub dies: bool,
}

impl Interrupt {
    /// Of a process that nothing happens to.
    pub const NONE: Self = Self {
        nth: 0,
        how: Interruption::Before,
        dies: false,
    };
}

/// The tokens under which the store gave a run to a process, and took appends from it.
#[derive(Clone, Default)]
pub struct TakenWrites {
    pub holds: Vec<Token>,
    pub appends: Vec<Token>,
}

/// What befalls one process.
pub struct ProcessFaults {
    at: Interrupt,
    writes: AtomicU64,
    struck: AtomicBool,
    /// Closed when the process may go on.
    standstill: Semaphore,
    /// Asked for by SQLite before each commit.
    veto: AtomicBool,
    taken: Mutex<TakenWrites>,
}

impl ProcessFaults {
    fn new(at: Interrupt) -> Arc<Self> {
        Arc::new(Self {
            at,
            writes: AtomicU64::new(0),
            struck: AtomicBool::new(false),
            standstill: Semaphore::new(0),
            veto: AtomicBool::new(false),
            taken: Mutex::default(),
        })
    }

    /// Whether the write has come.
    pub fn has_struck(&self) -> bool {
        self.struck.load(Ordering::SeqCst)
    }

    /// Lets a process go on that stands still.
    pub fn go_on(&self) {
        self.standstill.close();
    }

    /// The writes so far.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    /// What the store has taken from this process.
    pub fn taken(&self) -> MutexGuard<'_, TakenWrites> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whatever comes while the process stands still waits: it does not prolong its leases either.
    async fn stand_still(&self) {
        let stops = [Interruption::StopBefore, Interruption::StopAfter];
        if self.has_struck() && stops.contains(&self.at.how) {
            // It can only fail because it was closed, and that is what it waits for.
            let _ = self.standstill.acquire().await;
        }
    }
}

#[async_trait]
impl StoreFaults for ProcessFaults {
    async fn before(&self, op: StoreOp) -> Result<(), Error> {
        self.stand_still().await;
        if self.has_struck() && self.at.dies {
            return Err(store_gone());
        }
        if !op.is_write() || self.writes.fetch_add(1, Ordering::SeqCst) + 1 != self.at.nth {
            return Ok(());
        }
        let struck = || self.struck.store(true, Ordering::SeqCst);
        match self.at.how {
            Interruption::Before => {
                struck();
                return Err(store_gone());
            }
            Interruption::Uncommitted => {
                struck();
                self.veto.store(true, Ordering::SeqCst);
            }
            Interruption::StopBefore => {
                struck();
                self.stand_still().await;
            }
            Interruption::Committed | Interruption::StopAfter => {}
        }
        Ok(())
    }

    async fn after(&self, op: StoreOp) -> Result<(), Error> {
        if op.is_write() && self.writes() == self.at.nth && !self.has_struck() {
            self.struck.store(true, Ordering::SeqCst);
            if self.at.how == Interruption::Committed {
                return Err(store_gone());
            }
        }
        self.stand_still().await;
        Ok(())
    }

    fn holds(&self, token: Token) {
        self.taken().holds.push(token);
    }

    fn appended(&self, token: Token) {
        self.taken().appends.push(token);
    }
}

/// A run and the two processes that work on it.
pub struct InterruptedRun {
    pub id: RunId,
    pub faults: [Arc<ProcessFaults>; 2],
    pub world: Arc<ObservedWorld>,
    engines: [ScriptedEngine; 2],
    state: ScriptedRun,
    admitted: AtomicBool,
}

impl InterruptedRun {
    /// A run that begins with `state`.
    pub fn new(
        lab: &Lab,
        state: ScriptedRun,
        at: [Interrupt; 2],
        world: &Arc<ObservedWorld>,
    ) -> Result<Self> {
        let faults = at.map(ProcessFaults::new);
        let engine = |nth: usize| {
            let faults = &faults[nth];
            let inner: Arc<dyn Store> = match (at[nth].how, lab.path(), &lab.clock) {
                (Interruption::Uncommitted, Some(path), Some(clock)) => {
                    let faults = Arc::clone(faults);
                    let vetoes = move || faults.veto.swap(false, Ordering::SeqCst);
                    let options = SqliteOptions {
                        before_commit: Some(Arc::new(vetoes)),
                        clock: Arc::clone(clock) as _,
                        ..SqliteOptions::default()
                    };
                    Arc::new(Sqlite::open_with(path, options)?)
                }
                _ => Arc::clone(&lab.stores[nth]),
            };
            lab.engine(FaultyStore::new(inner, Arc::clone(faults) as _), world)
        };
        Ok(Self {
            id: RunId::new(),
            engines: [engine(0)?, engine(1)?],
            faults,
            world: Arc::clone(world),
            state,
            admitted: AtomicBool::new(false),
        })
    }

    /// Whether a process was told that the run is there.
    pub fn was_admitted(&self) -> bool {
        self.admitted.load(Ordering::SeqCst)
    }

    /// One process works on the run, and a person decides where it asks, until it ends.
    pub async fn work(&self, process: usize) -> Result<(), Error> {
        let engine = &self.engines[process];
        for _ in 0..MOST_TURNS {
            match open_or_start(engine, self.id, self.state.clone()).await {
                Ok(mut execution) => {
                    self.admitted.store(true, Ordering::SeqCst);
                    if execution.run().await?.status.is_finished() {
                        return Ok(());
                    }
                }
                Err(Error::Waiting { .. }) => self.decide(engine).await?,
                // The last write was committed, only its reply was lost.
                Err(Error::Ended { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Err(Error::Store {
            why: "the run did not end".into(),
        })
    }

    /// One process begins the run and a person lets it go on; the other process ends it.
    pub async fn hand_over(&self, from: usize) -> Result<()> {
        let (first, next) = (&self.engines[from], &self.engines[1 - from]);
        let mut execution = open_or_start(first, self.id, self.state.clone()).await?;
        let parked = execution.run().await?;
        ensure!(parked.status == Status::Waiting, "it began with {parked:?}");
        drop(execution);
        self.decide(first).await?;
        let ended = next.open(self.id).await?.run().await?;
        ensure!(ended.status == Status::Completed, "it ended with {ended:?}");
        Ok(())
    }

    /// As [`Self::work`], for a process that waits until nobody holds the run, and takes its own up
    /// again where its lease has lapsed.
    pub async fn take_over(&self, process: usize, lab: &Lab) -> Result<(), Error> {
        for _ in 0..MOST_TURNS {
            match self.work(process).await {
                // A machine with too much to do may not renew so short a lease in time.
                Err(Error::Held { .. } | Error::LeaseLost { .. }) => lab.let_lease_lapse().await,
                done => return done,
            }
        }
        Err(Error::Store {
            why: "the run was held for ever".into(),
        })
    }

    /// A person approves a plan, and finds out whether a delivery happened.
    async fn decide(&self, engine: &ScriptedEngine) -> Result<(), Error> {
        let gate = engine.gate(self.id).await?;
        let mut decision = Decision::new(Verdict::Approve, "a person");
        let delivered = self.world.times(self.id, gate.step, DELIVER);
        if gate.key.starts_with(DELIVER) && delivered > 0 {
            decision.verdict = Verdict::Modify;
            decision.edits = found_out(gate.step, DELIVER);
        }
        engine.decide(&gate, decision).await
    }

    /// What such a run comes to if nothing happens to it, and its writes.
    pub async fn undisturbed(lab: &Lab, state: ScriptedRun) -> Result<(FinalState, u64)> {
        let run = Self::new(lab, state, [Interrupt::NONE; 2], &lab.watched())?;
        run.take_over(0, lab).await.context("undisturbed")?;
        let end = lab.final_state(run.id).await?;
        Ok((end, run.faults[0].writes()))
    }
}
