//! T2: a crash at every single write of a run, before it, after it, and between the two.
//!
//! The run has effects, a person's decision, bounded loops, a rescue and a delivery that must not
//! happen twice. For each of its writes in turn, that write fails; the run is then taken up again and
//! must end as if nothing had happened.

mod nth_write;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_store::{Sqlite, SqliteOptions};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Tally;
use fathom_workflow::{
    Clock, Engine, Error, ManualClock, NewRun, Outcome, RunId, Settings, Store, SystemClock,
};
use futures::{StreamExt, stream};
use jiff::Timestamp;

use self::nth_write::NthWrite;
use super::audit;
use super::faulty::FaultyStore;
use super::observed::{Observed, Repeats};
use super::research::{self, Deps, Research};
use super::{Proof, Setting};
use crate::ledger;
use crate::stores::{Backend, Disk, Site};

/// More writes than the run can have.
const MOST_WRITES: u64 = 500;

/// Runs under way at the same time.
const AT_ONCE: usize = 8;

/// How often a life opens its run again: once to begin, and once after each decision.
const MOST_TURNS: usize = 12;

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

async fn run(_: Setting) -> Result<String> {
    let mut told = Vec::new();
    for backend in Backend::ALL {
        let bench = Arc::new(Bench::new(backend).await?);
        let (mut writes, mut modes) = (0, 0);
        for moment in [Moment::Before, Moment::Uncommitted, Moment::Committed] {
            if moment == Moment::Uncommitted && backend != Backend::Sqlite {
                continue;
            }
            for process in [Process::Dies, Process::LivesOn] {
                writes = bench.every_write(moment, process).await?.max(writes);
                modes += 1;
            }
        }
        told.push(format!(
            "{} {writes} writes × {modes} modes",
            backend.name()
        ));
    }
    told.push("0 failures".into());
    Ok(told.join("; "))
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

/// What two runs must have in common.
#[derive(Debug, PartialEq)]
struct End {
    state: Research,
    tally: Tally,
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
        let settings = Settings {
            lease: self.lease(),
            ..Settings::default()
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

type Lab = Engine<Research, Deps>;

/// One run and its crash.
struct Case {
    run: RunId,
    first: Lab,
    /// The engine of another process, whose store has no faults.
    second: Lab,
    admitted: AtomicBool,
    fate: Arc<NthWrite>,
    world: Arc<Observed>,
}

impl Case {
    /// Tells whether the run had that many writes.
    async fn crash_and_recover(&self, bench: &Bench) -> Result<bool> {
        let first = self.life(&self.first).await;
        let reached = self.fate.has_struck();
        match first {
            Err(error) if !reached || !error.retry() => {
                return Err(error).context("the first life failed in another way");
            }
            Ok(_) if !reached => {}
            _ => self.recover(bench).await?,
        }
        self.world.verdict()?;
        let end = self.end().await?;
        ensure!(
            Some(&end) == bench.reference.as_ref(),
            "the run ended as {end:?} instead of {:?}",
            bench.reference
        );
        // A person who looks finds out whether it happened, so it happens exactly once.
        let delivered = self
            .world
            .calls()
            .into_iter()
            .filter(|((_, key), _)| key == DELIVER);
        let delivered: u32 = delivered.map(|(_, times)| times).sum();
        ensure!(delivered == 1, "the delivery happened {delivered} times");
        Ok(reached)
    }

    async fn recover(&self, bench: &Bench) -> Result<()> {
        match audit::story(&**self.second.store(), self.run).await {
            Ok(_) => {}
            Err(error) => match error.downcast_ref() {
                Some(Error::NoSuchRun { .. }) if !self.admitted.load(Ordering::SeqCst) => {}
                _ => return Err(error).context("after the crash"),
            },
        }
        let engine = match self.fate.process {
            Process::Dies => &self.second,
            Process::LivesOn => &self.first,
        };
        for _ in 0..MOST_TURNS {
            match self.life(engine).await {
                Ok(_) => return Ok(()),
                Err(Error::Held { .. }) => bench.let_lease_lapse().await,
                Err(error) => return Err(error).context("the second life failed"),
            }
        }
        bail!("the run was held for ever")
    }

    /// Works on the run, deciding where it asks, until it ends.
    async fn life(&self, engine: &Lab) -> Result<Outcome, Error> {
        for _ in 0..MOST_TURNS {
            let mut execution = match engine.open(self.run).await {
                Ok(execution) => execution,
                Err(Error::NoSuchRun { .. }) => {
                    let new = NewRun {
                        id: self.run,
                        ..NewRun::titled("a proof")
                    };
                    let execution = engine.start(new, Research::default()).await?;
                    self.admitted.store(true, Ordering::SeqCst);
                    execution
                }
                Err(Error::Waiting { .. }) => {
                    self.decide(engine).await?;
                    continue;
                }
                // The last write was committed, only its reply was lost.
                Err(Error::Ended { .. }) => {
                    let head = engine.header(self.run).await?.head;
                    let (status, reason) = (head.status, head.reason);
                    return Ok(Outcome { status, reason });
                }
                Err(error) => return Err(error),
            };
            let outcome = execution.run().await?;
            if outcome.status.is_finished() {
                return Ok(outcome);
            }
        }
        Err(Error::Store {
            why: "the run did not end".into(),
        })
    }

    /// A person decides: approves a plan, and finds out whether a delivery happened.
    async fn decide(&self, engine: &Lab) -> Result<(), Error> {
        let gate = engine.gate(self.run).await?;
        let mut decision = Decision::new(Verdict::Approve, "a person");
        if gate.key.starts_with(DELIVER) && self.world.times(gate.step, DELIVER) > 0 {
            let answer: Result<String, String> = Ok(ledger::answer(gate.step, DELIVER));
            decision.verdict = Verdict::Modify;
            decision.edits = serde_json::to_value(answer).ok();
        }
        engine.decide(self.run, decision).await
    }

    async fn end(&self) -> Result<End> {
        let story = audit::story(&**self.second.store(), self.run).await?;
        let view = self.second.view(self.run, None).await?;
        ensure!(story.run.head.next.is_none(), "the run has not ended");
        Ok(End {
            state: view.state,
            tally: view.tally,
        })
    }
}

const DELIVER: &str = "deliver";
