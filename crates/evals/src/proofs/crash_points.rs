//! T2: a crash at every single write of a run, before it, after it, and between the two.
//!
//! The run has effects, a person's decision, bounded loops, a rescue and a delivery that must not
//! happen twice. For each of its writes in turn, that write fails; the run is then taken up again and
//! must end as if nothing had happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use async_trait::async_trait;
use fathom_store::{Sqlite, SqliteOptions};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::RunTally;
use fathom_workflow::{Error, RunId, Store, WAITED_MS};
use futures::{StreamExt, stream};

use super::acts::found_out;
use super::faulty::{FaultyStore, Op, StoreFaults, gone};
use super::lab::{Lab, ResearchEngine};
use super::research::{self, DELIVER, Research, open_or_start};
use super::run_log::RunLog;
use super::world::{ObservedWorld, Pace, World};
use super::{Proof, Setting, Size};
use crate::stores::Backend;

/// More writes than the run can have.
const MOST_WRITES: u64 = 500;

/// Runs under way at the same time.
const AT_ONCE: usize = 8;

/// How often a process opens its run: once to begin, and once after each decision.
const MOST_TURNS: usize = 12;

/// The proof, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T2",
        what: "crash at every write of a run",
        run: |setting| Box::pin(run(setting)),
    }
}

/// What happens at the write that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CrashMoment {
    /// It never reaches the store.
    Before,
    /// It is written, and the transaction is not committed.
    Uncommitted,
    /// It is committed, and the reply is lost.
    Committed,
}

/// What becomes of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessFate {
    /// It is gone; a new one takes the run up when the lease has lapsed.
    Dies,
    /// It lives on and takes its own run up again when the store answers.
    LivesOn,
}

async fn run(setting: Setting) -> Result<String> {
    let (mut crashes, mut told) = (0, Vec::new());
    for backend in Backend::ALL {
        let began = Instant::now();
        let lab = Lab::new(backend).await?;
        let case = CrashCase::new(&lab, MOST_WRITES, CrashMoment::Before, ProcessFate::LivesOn)?;
        case.work(&case.first).await?;
        let undisturbed = case.end().await?;
        let shared = Arc::new((lab, undisturbed));
        let modes = modes(backend, setting.size);
        let mut writes = 0;
        for (moment, fate) in &modes {
            let reached = every_write(&shared, *moment, *fate).await?;
            crashes += reached;
            writes = reached.max(writes);
        }
        let (store, modes) = (backend.name(), modes.len());
        let took = began.elapsed().as_secs();
        told.push(format!(
            "{store} {writes} writes × {modes} modes in {took} s"
        ));
    }
    Ok(format!(
        "{crashes} crashes ({}), 0 failures",
        told.join(", ")
    ))
}

/// What is tried at every write. Only SQLite lets us drop a transaction from outside. The quick size
/// tries on the memory store alone what never reaches a store, or what an engine does that lives on.
fn modes(backend: Backend, size: Size) -> Vec<(CrashMoment, ProcessFate)> {
    use {CrashMoment::*, ProcessFate::*};
    let mut modes = vec![(Committed, Dies)];
    if backend == Backend::Sqlite {
        modes.push((Uncommitted, Dies));
    }
    if backend == Backend::Memory || size == Size::Full {
        modes.extend([(Before, Dies), (Before, LivesOn), (Committed, LivesOn)]);
        if backend == Backend::Sqlite {
            modes.push((Uncommitted, LivesOn));
        }
    }
    modes
}

/// Fails the first write of one run, the second of the next, and so on to the last.
async fn every_write(
    shared: &Arc<(Lab, FinalState)>,
    moment: CrashMoment,
    fate: ProcessFate,
) -> Result<u64> {
    let one = |nth| {
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let (lab, undisturbed) = &*shared;
            let case = CrashCase::new(lab, nth, moment, fate)?;
            let reached = case.crash_and_recover(lab, undisturbed).await;
            let store = lab.backend.name();
            reached.with_context(|| format!("{store}: write {nth}, {moment:?}, process {fate:?}"))
        })
    };
    let mut cases = stream::iter(1..MOST_WRITES).map(one).buffered(AT_ONCE);
    let mut writes = 0;
    while let Some(reached) = cases.next().await {
        if !reached?? {
            return Ok(writes);
        }
        writes += 1;
    }
    bail!("the run has more than {MOST_WRITES} writes")
}

/// What two runs must have in common.
#[derive(Debug, PartialEq)]
struct FinalState {
    state: Research,
    tally: RunTally,
}

/// One run that crashes at one of its writes, and goes on.
struct CrashCase {
    run: RunId,
    first: ResearchEngine,
    /// The engine of another process, whose store has no faults.
    second: ResearchEngine,
    admitted: AtomicBool,
    crash: Arc<NthWrite>,
    world: Arc<ObservedWorld>,
}

impl CrashCase {
    fn new(lab: &Lab, nth: u64, moment: CrashMoment, fate: ProcessFate) -> Result<Self> {
        let crash = Arc::new(NthWrite {
            nth,
            moment,
            fate,
            writes: AtomicU64::new(0),
            struck: AtomicBool::new(false),
            veto: AtomicBool::new(false),
        });
        let [here, elsewhere] = &lab.stores;
        let inner: Arc<dyn Store> = match (moment, lab.site.path()) {
            (CrashMoment::Uncommitted, Some(path)) => {
                let crash = Arc::clone(&crash);
                let vetoes = move || crash.veto.swap(false, Ordering::SeqCst);
                let options = SqliteOptions {
                    before_commit: Some(Arc::new(vetoes)),
                    clock: Arc::clone(&lab.clock) as _,
                    ..SqliteOptions::default()
                };
                Arc::new(Sqlite::open_with(path, options)?)
            }
            _ => Arc::clone(here),
        };
        let observed = Some(Arc::clone(elsewhere));
        let world = Arc::new(ObservedWorld::new(observed, Pace::OneTurn));
        let faulty = Arc::new(FaultyStore::new(inner, Arc::clone(&crash) as _));
        Ok(Self {
            run: RunId::new(),
            first: lab.engine(research::eventful()?, faulty, &world),
            second: lab.engine(research::eventful()?, Arc::clone(elsewhere), &world),
            admitted: AtomicBool::new(false),
            crash,
            world,
        })
    }

    /// Tells whether the run had that many writes.
    async fn crash_and_recover(&self, lab: &Lab, undisturbed: &FinalState) -> Result<bool> {
        let first = self.work(&self.first).await;
        let reached = self.crash.has_struck();
        match first {
            Err(error) if !reached || !error.retry() => {
                return Err(error).context("the first process failed in another way");
            }
            Ok(()) if !reached => {}
            _ => self.recover(lab).await?,
        }
        self.world.verdict()?;
        let end = self.end().await?;
        ensure!(
            end == *undisturbed,
            "the run ended as {end:?} instead of {undisturbed:?}"
        );
        // A person who looks finds out whether it happened, so it happens exactly once.
        let calls = self.world.calls(self.run).into_iter();
        let delivered = calls.filter(|((_, key), _)| key == DELIVER);
        let delivered: u32 = delivered.map(|(_, times)| times).sum();
        ensure!(delivered == 1, "the delivery happened {delivered} times");
        Ok(reached)
    }

    async fn recover(&self, lab: &Lab) -> Result<()> {
        if let Err(error) = RunLog::sound(&**self.second.store(), self.run).await {
            match error.downcast_ref() {
                Some(Error::NoSuchRun { .. }) if !self.admitted.load(Ordering::SeqCst) => {}
                _ => return Err(error).context("after the crash"),
            }
        }
        let engine = match self.crash.fate {
            ProcessFate::Dies => &self.second,
            ProcessFate::LivesOn => &self.first,
        };
        for _ in 0..MOST_TURNS {
            match self.work(engine).await {
                Ok(()) => return Ok(()),
                // A machine with too much to do may not renew so short a lease in time.
                Err(Error::Held { .. } | Error::LeaseLost { .. }) => lab.let_lease_lapse().await,
                Err(error) => return Err(error).context("after the crash it failed"),
            }
        }
        bail!("the run was held for ever")
    }

    /// Works on the run, deciding where it asks, until it ends.
    async fn work(&self, engine: &ResearchEngine) -> Result<(), Error> {
        for _ in 0..MOST_TURNS {
            match open_or_start(engine, self.run).await {
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

    /// A person decides: approves a plan, and finds out whether a delivery happened.
    async fn decide(&self, engine: &ResearchEngine) -> Result<(), Error> {
        let gate = engine.gate(self.run).await?;
        let mut decision = Decision::new(Verdict::Approve, "a person");
        let delivered = self.world.times(self.run, gate.step, DELIVER);
        if gate.key.starts_with(DELIVER) && delivered > 0 {
            decision.verdict = Verdict::Modify;
            decision.edits = found_out(gate.step, DELIVER);
        }
        engine.decide(&gate, decision).await
    }

    async fn end(&self) -> Result<FinalState> {
        let log = RunLog::sound(&**self.second.store(), self.run).await?;
        ensure!(log.run.head.next.is_none(), "the run has not ended");
        let mut view = self.second.view(self.run, None).await?;
        // How long nobody worked on the run is the only thing the crash may show in.
        view.tally.meters.remove(WAITED_MS);
        Ok(FinalState {
            state: view.state,
            tally: view.tally,
        })
    }
}

/// Fails one write. A process that dies with it gets no other operation through.
struct NthWrite {
    nth: u64,
    moment: CrashMoment,
    fate: ProcessFate,
    writes: AtomicU64,
    struck: AtomicBool,
    /// Asked for by SQLite before each commit.
    veto: AtomicBool,
}

impl NthWrite {
    fn has_struck(&self) -> bool {
        self.struck.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl StoreFaults for NthWrite {
    async fn before(&self, op: Op) -> Result<(), Error> {
        if self.has_struck() && self.fate == ProcessFate::Dies {
            return Err(gone());
        }
        if op != Op::Write || self.writes.fetch_add(1, Ordering::SeqCst) + 1 != self.nth {
            return Ok(());
        }
        self.struck.store(true, Ordering::SeqCst);
        match self.moment {
            CrashMoment::Before => return Err(gone()),
            CrashMoment::Uncommitted => self.veto.store(true, Ordering::SeqCst),
            CrashMoment::Committed => {}
        }
        Ok(())
    }

    async fn after(&self, op: Op) -> Result<(), Error> {
        let this = op == Op::Write && self.writes.load(Ordering::SeqCst) == self.nth;
        if this && self.moment == CrashMoment::Committed {
            return Err(gone());
        }
        Ok(())
    }
}
