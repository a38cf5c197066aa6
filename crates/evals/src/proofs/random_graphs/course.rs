//! What befalls one drawn run: lost replies, crashes, clock jumps, people who decide or don't.

mod person;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{
    Clock, Engine, Error, ManualClock, MemoryStore, NewRun, Outcome, RunId, RuntimeSettings, Store,
};
use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use uuid::Uuid;

use super::chance::Chance;
use super::script::{Script, Tale};
use super::stage::Stage;
use crate::proofs::audit::Effect;
use crate::proofs::faulty::FaultyStore;
use crate::proofs::observed::{Observed, Repeats};

/// After so many rounds nothing more goes wrong, and the run must get to its end.
const ROUGH_ROUNDS: u32 = 40;
const MOST_ROUNDS: u32 = 160;

/// How often a person takes up again what has failed or was cancelled.
const MOST_RESUMES: u32 = 3;
const MOST_REOPENS: u32 = 3;

const LEASE: Duration = Duration::from_secs(30);

pub(super) type Playhouse = Engine<Tale, Stage>;

/// A run, its world, and the hand that meddles with both.
pub(super) struct Course {
    pub(super) run: RunId,
    pub(super) script: Script,
    pub(super) store: Arc<dyn Store>,
    pub(super) world: Arc<Observed>,
    /// How often a person said that an effect which must not repeat is to be done again.
    pub(super) approved: BTreeMap<Effect, u32>,
    pub(super) crashes: u64,
    pub(super) faults: u64,
    clock: Arc<ManualClock>,
    fate: Arc<Chance>,
    chance: StdRng,
    resumes: u32,
    reopens: u32,
    /// Nobody answers questions that can wait for ever.
    nobody_there: bool,
}

/// What a round came to.
enum Round {
    Again,
    End,
}

impl Course {
    pub(super) fn begin(seed: u64) -> Result<Self> {
        let mut chance = StdRng::seed_from_u64(seed);
        let script = Script::draw(&mut chance)?;
        let clock = Arc::new(ManualClock::at(Timestamp::UNIX_EPOCH));
        let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(Arc::clone(&clock) as _));
        let rate = if chance.random_bool(0.3) { 0.0 } else { 0.04 };
        Ok(Self {
            run: RunId::from_uuid(Uuid::from_u128(u128::from(seed) << 1)),
            world: Arc::new(Observed::new(Arc::clone(&store), Repeats::Forbidden)),
            approved: BTreeMap::new(),
            crashes: 0,
            faults: 0,
            fate: Arc::new(Chance::new(StdRng::seed_from_u64(seed ^ 1), rate)),
            nobody_there: chance.random_bool(0.1),
            resumes: 0,
            reopens: 0,
            script,
            store,
            clock,
            chance,
        })
    }

    /// Goes on until the run has ended, or waits for somebody who will not come.
    pub(super) async fn play(&mut self) -> Result<()> {
        let mut engine = self.engine()?;
        for round in 0..MOST_ROUNDS {
            let rough = round < ROUGH_ROUNDS;
            if !rough {
                self.fate.calm();
            }
            if rough && self.chance.random_bool(0.5) {
                engine = self.engine()?;
            }
            let polls = self.life_span().filter(|_| rough);
            let what = self.turn(&engine, polls).await;
            match self.judge(&engine, what).await? {
                Round::Again => {}
                Round::End => {
                    self.faults = self.fate.strikes();
                    return Ok(());
                }
            }
        }
        bail!("after {MOST_ROUNDS} rounds the run has neither ended nor does it wait for a person")
    }

    /// After how many polls the process crashes: as often within the first few as later on.
    fn life_span(&mut self) -> Option<u32> {
        let longest = 1 << self.chance.random_range(0..7);
        let polls = self.chance.random_range(1..=longest);
        self.chance.random_bool(0.6).then_some(polls)
    }

    /// An engine as another process would have it, over the store that may fail.
    fn engine(&mut self) -> Result<Playhouse> {
        let fate = Arc::clone(&self.fate) as _;
        let store = Arc::new(FaultyStore::new(Arc::clone(&self.store), fate));
        self.engine_over(store)
    }

    /// An engine that nothing happens to.
    pub(super) fn plain_engine(&mut self) -> Result<Playhouse> {
        self.engine_over(Arc::clone(&self.store))
    }

    fn engine_over(&mut self, store: Arc<dyn Store>) -> Result<Playhouse> {
        let stage = Stage {
            script: self.script.clone(),
            world: Arc::clone(&self.world),
            chance: Mutex::new(StdRng::seed_from_u64(self.chance.random())),
        };
        let settings = RuntimeSettings {
            lease: LEASE,
            ..RuntimeSettings::default()
        };
        let clock = Arc::clone(&self.clock) as _;
        let graph = self.script.graph()?;
        Ok(Engine::with(graph, store, Arc::new(stage), clock, settings))
    }

    /// Works on the run, for so many polls at most; `None` if that was too few, which is a crash.
    async fn turn(
        &mut self,
        engine: &Playhouse,
        polls: Option<u32>,
    ) -> Option<Result<Outcome, Error>> {
        let resume = self.resumes > 0 && self.chance.random_bool(0.3);
        let cancel_after = self
            .chance
            .random_bool(0.03)
            .then(|| self.chance.random_range(0..40));
        let (run, limit) = (self.run, self.script.time_limit);
        let work = work(engine, run, limit, resume);
        let stop = async {
            let Some(turns) = cancel_after else { return };
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            // It may come too early or too late; then there is nothing to stop.
            let _ = engine.cancel(run).await;
        };
        let both = async { futures::join!(work, stop).0 };
        cut_short(both, polls, || self.tick()).await
    }

    /// Time passes, now and then by leaps.
    fn tick(&mut self) {
        if self.chance.random_bool(0.02) {
            let leap = Duration::from_secs(self.chance.random_range(1..400));
            self.clock.advance(leap);
        }
    }

    async fn judge(
        &mut self,
        engine: &Playhouse,
        what: Option<Result<Outcome, Error>>,
    ) -> Result<Round> {
        match what {
            None => {
                self.crashes += 1;
                if self.chance.random_bool(0.7) {
                    self.clock.advance(2 * LEASE);
                    self.is_found().await?;
                }
                Ok(Round::Again)
            }
            Some(Ok(Outcome { status, .. })) => self.after(engine, status).await,
            Some(Err(error)) => self.after_error(engine, error).await,
        }
    }

    async fn after(&mut self, engine: &Playhouse, status: Status) -> Result<Round> {
        match status {
            Status::Completed | Status::Failed | Status::Cancelled => {
                self.at_the_end(engine, status).await
            }
            Status::Waiting => self.person(engine).await,
            Status::Pending | Status::Running(_) => bail!("a run was left while it was {status}"),
        }
    }

    async fn after_error(&mut self, engine: &Playhouse, error: Error) -> Result<Round> {
        match error {
            Error::StoreGone { .. } => Ok(Round::Again),
            Error::Held { .. } => {
                self.clock.advance(2 * LEASE);
                Ok(Round::Again)
            }
            Error::Waiting { .. } => self.person(engine).await,
            Error::CrashLoop { .. } => self.resume(engine).await,
            Error::Ended { .. } => {
                let status = self.status().await?;
                self.at_the_end(engine, status).await
            }
            error => Err(error).context("an error that nothing here should bring"),
        }
    }

    /// A run that nobody works on any more, and that could go on, is found by whoever looks.
    async fn is_found(&mut self) -> Result<()> {
        let due = match self.store.head(self.run).await {
            Err(Error::NoSuchRun { .. }) => false,
            Err(error) => return Err(error.into()),
            Ok((run, _)) => match run.head.status {
                Status::Pending | Status::Running(_) => true,
                Status::Waiting => run.head.wake_at.is_some_and(|at| at <= self.clock.now()),
                Status::Completed | Status::Failed | Status::Cancelled => false,
            },
        };
        let found = self.plain_engine()?.unattended(2).await?;
        ensure!(
            found == Vec::from_iter(due.then_some(self.run)),
            "the run could go on: {due}, and those that can are {found:?}"
        );
        Ok(())
    }

    async fn status(&self) -> Result<Status> {
        Ok(self.store.head(self.run).await?.0.head.status)
    }

    /// An ended run is left alone, resumed, or sent back to a gate that nobody answered in time.
    async fn at_the_end(&mut self, engine: &Playhouse, status: Status) -> Result<Round> {
        if self.reopens < MOST_REOPENS && self.chance.random_bool(0.3) {
            self.reopens += 1;
            let decision = Decision::new(Verdict::Approve, "a person who is late");
            return match engine.reopen(self.run, decision).await {
                Ok(()) | Err(Error::StoreGone { .. } | Error::GateClosed { .. }) => {
                    Ok(Round::Again)
                }
                Err(Error::Held { .. }) => {
                    self.clock.advance(2 * LEASE);
                    Ok(Round::Again)
                }
                Err(error) => Err(error).context("a late decision was refused"),
            };
        }
        let done = status == Status::Completed || self.resumes >= MOST_RESUMES;
        if done || self.chance.random_bool(0.4) {
            return Ok(Round::End);
        }
        self.resume(engine).await
    }

    async fn resume(&mut self, engine: &Playhouse) -> Result<Round> {
        self.resumes += 1;
        match engine.resume(self.run).await {
            Ok(mut execution) => match execution.run().await {
                Ok(Outcome { status, .. }) => Box::pin(self.after(engine, status)).await,
                Err(error) => Box::pin(self.after_error(engine, error)).await,
            },
            Err(Error::CrashLoop { .. }) => bail!("a person could not resume a crash loop"),
            Err(Error::Ended { .. }) => Ok(Round::End),
            Err(error) => Box::pin(self.after_error(engine, error)).await,
        }
    }
}

/// Begins the run or takes it up, and works on it.
async fn work(
    engine: &Playhouse,
    run: RunId,
    time_limit: Option<Duration>,
    resume: bool,
) -> Result<Outcome, Error> {
    let opened = match resume {
        true => engine.resume(run).await,
        false => engine.open(run).await,
    };
    let mut execution = match opened {
        Err(Error::NoSuchRun { .. }) => {
            let new = NewRun {
                id: run,
                time_limit,
                ..NewRun::titled("drawn")
            };
            engine.start(new, Tale::default()).await?
        }
        opened => opened?,
    };
    execution.run().await
}

/// Polls a future so many times, with something happening between; then drops it.
async fn cut_short<F: Future>(
    future: F,
    polls: Option<u32>,
    mut between: impl FnMut(),
) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        between();
        match left {
            Some(0) => return Poll::Ready(None),
            Some(ref mut left) => *left -= 1,
            None => {}
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}
