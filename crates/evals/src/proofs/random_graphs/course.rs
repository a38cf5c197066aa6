//! What befalls one drawn run: lost replies, crashes, clock jumps, people who decide or don't.

mod person;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{
    Clock, Engine, Error, ManualClock, MemoryStore, NewRun, RunId, RunOutcome, RuntimeSettings,
    Store,
};
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use uuid::Uuid;

use super::chance_faults::ChanceFaults;
use super::script::{Script, Tale};
use crate::proofs::faulty::FaultyStore;
use crate::proofs::world::{Deps, Effect, ObservedWorld, Pace};

/// After so many rounds nothing more goes wrong, and the run must get to its end.
const ROUGH_ROUNDS: u32 = 40;
const MOST_ROUNDS: u32 = 160;

/// How often a person takes up again what has failed or was cancelled.
const MOST_RESUMES: u32 = 3;
const MOST_REOPENS: u32 = 3;

const LEASE: Duration = Duration::from_secs(30);

/// How often a run is looked at while nothing happens in it.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// 2026, far enough from both ends of time for any sum of jumps.
const NOON: i64 = 1_770_000_000;

pub(super) type TaleEngine = Engine<Tale, Deps>;

/// How the clock goes while a run is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClockHabit {
    /// Forward, now and then by minutes. Leases go by the same clock.
    Leaps,
    /// Set wrong by seconds to years in either direction, often to just about a deadline. Leases go
    /// by a clock of their own, as a database's would.
    Jumps,
}

/// A run, its world, and the hand that meddles with both.
pub(super) struct Course {
    pub(super) run: RunId,
    pub(super) script: Script,
    pub(super) store: Arc<dyn Store>,
    pub(super) world: Arc<ObservedWorld>,
    /// How often a person said that an effect which must not repeat is to be done again.
    pub(super) approved: BTreeMap<Effect, u32>,
    /// The steps in which a person resumed the run: a parked one need not wait for its time then.
    pub(super) resumed: BTreeSet<u64>,
    pub(super) crashes: u64,
    pub(super) faults: u64,
    pub(super) jumps: u64,
    habit: ClockHabit,
    clock: Arc<ManualClock>,
    lease_clock: Arc<ManualClock>,
    /// The earliest that the clock showed in this round.
    earliest: Timestamp,
    /// The deadlines of the run and of its gate, as of the beginning of this round.
    deadlines: Vec<Timestamp>,
    /// Whether things may still go wrong.
    rough: bool,
    fate: Arc<ChanceFaults>,
    chance: StdRng,
    resumes: u32,
    reopens: u32,
    /// Nobody answers questions that can wait for ever.
    nobody_there: bool,
}

/// What a round came to.
enum CourseRound {
    Again,
    End,
}

impl Course {
    pub(super) fn begin(seed: u64, habit: ClockHabit) -> Result<Self> {
        let mut chance = StdRng::seed_from_u64(seed);
        let script = Script::draw(&mut chance, habit == ClockHabit::Jumps)?;
        let noon = Timestamp::from_second(NOON)?;
        let clock = Arc::new(ManualClock::at(noon));
        let lease_clock = match habit {
            ClockHabit::Leaps => Arc::clone(&clock),
            ClockHabit::Jumps => Arc::new(ManualClock::at(noon)),
        };
        let leases = Arc::clone(&lease_clock) as _;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(leases));
        let pace = Pace::Drawn(Box::new(Mutex::new(StdRng::seed_from_u64(seed ^ 2))));
        let rate = if chance.random_bool(0.3) { 0.0 } else { 0.04 };
        Ok(Self {
            run: RunId::from_uuid(Uuid::from_u128(u128::from(seed) << 1)),
            world: Arc::new(ObservedWorld::new(Some(Arc::clone(&store)), pace)),
            approved: BTreeMap::new(),
            resumed: BTreeSet::new(),
            crashes: 0,
            faults: 0,
            jumps: 0,
            habit,
            earliest: noon,
            deadlines: Vec::new(),
            rough: true,
            lease_clock,
            fate: Arc::new(ChanceFaults::new(StdRng::seed_from_u64(seed ^ 1), rate)),
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
            self.rough = round < ROUGH_ROUNDS;
            if !self.rough {
                self.fate.lock().rate = 0.0;
            }
            self.look_at_the_clock().await?;
            if self.rough && self.chance.random_bool(0.5) {
                engine = self.engine()?;
            }
            let polls = self.life_span().filter(|_| self.rough);
            let what = self.turn(&engine, polls).await;
            match self.judge(&engine, what).await? {
                CourseRound::Again => {}
                CourseRound::End => {
                    self.faults = self.fate.lock().struck;
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
    fn engine(&self) -> Result<TaleEngine> {
        let fate = Arc::clone(&self.fate) as _;
        let store = Arc::new(FaultyStore::new(Arc::clone(&self.store), fate));
        self.engine_over(store)
    }

    /// An engine that nothing happens to.
    pub(super) fn plain_engine(&self) -> Result<TaleEngine> {
        self.engine_over(Arc::clone(&self.store))
    }

    fn engine_over(&self, store: Arc<dyn Store>) -> Result<TaleEngine> {
        let deps = Arc::new(Deps(Arc::clone(&self.world) as _));
        let settings = RuntimeSettings {
            lease: LEASE,
            ..RuntimeSettings::default()
        };
        let clock = Arc::clone(&self.clock) as _;
        let graph = self.script.graph()?;
        Ok(Engine::with(graph, store, deps, clock, settings))
    }

    /// Works on the run, for so many polls at most; `None` if that was too few, which is a crash.
    async fn turn(
        &mut self,
        engine: &TaleEngine,
        polls: Option<u32>,
    ) -> Option<Result<RunOutcome, Error>> {
        let resume = self.resumes > 0 && self.chance.random_bool(0.3);
        if resume {
            self.note_resume().await;
        }
        let cancel_after = self
            .chance
            .random_bool(0.03)
            .then(|| self.chance.random_range(0..40));
        let run = self.run;
        let new = NewRun {
            id: run,
            time_limit: self.script.time_limit,
            ..NewRun::titled("drawn")
        };
        let work = work(engine, new, self.script.tale.clone(), resume);
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

    async fn look_at_the_clock(&mut self) -> Result<()> {
        self.earliest = self.clock.now();
        self.deadlines = match self.store.head(self.run).await {
            Err(Error::NoSuchRun { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
            Ok((run, _)) => [run.head.wake_at, run.head.deadline]
                .into_iter()
                .flatten()
                .collect(),
        };
        Ok(())
    }

    /// Time passes, now and then by leaps.
    fn tick(&mut self) {
        match self.habit {
            ClockHabit::Leaps if self.chance.random_bool(0.02) => {
                let leap = Duration::from_secs(self.chance.random_range(1..400));
                self.clock.advance(leap);
            }
            ClockHabit::Jumps if self.chance.random_bool(0.08) => self.jump(),
            ClockHabit::Leaps | ClockHabit::Jumps => {}
        }
    }

    /// Sets the clock wrong; at the end of the course only forward, so that the run ends.
    fn jump(&mut self) {
        let now = self.clock.now();
        let scale = [1, 60, 3_600, 86_400, 31_536_000][self.chance.random_range(0..5)];
        let far = SignedDuration::from_secs(scale * self.chance.random_range(1..=3));
        let near = SignedDuration::from_millis(self.chance.random_range(-1..=1));
        let to = match self.deadlines.choose(&mut self.chance) {
            Some(aim) if self.chance.random_bool(0.5) => *aim + near,
            _ if self.chance.random_bool(0.5) => now - far,
            _ => now + far,
        };
        let to = if self.rough { to } else { to.max(now) };
        self.clock.set(to);
        self.earliest = self.earliest.min(to);
        self.jumps += 1;
    }

    fn let_lease_lapse(&self) {
        self.lease_clock.advance(2 * LEASE);
    }

    async fn judge(
        &mut self,
        engine: &TaleEngine,
        what: Option<Result<RunOutcome, Error>>,
    ) -> Result<CourseRound> {
        match what {
            None => {
                self.crashes += 1;
                if self.chance.random_bool(0.7) {
                    self.let_lease_lapse();
                    self.is_found().await?;
                }
                Ok(CourseRound::Again)
            }
            Some(Ok(RunOutcome { status, .. })) => self.after(engine, status).await,
            Some(Err(error)) => self.after_error(engine, error).await,
        }
    }

    async fn after(&mut self, engine: &TaleEngine, status: Status) -> Result<CourseRound> {
        match status {
            Status::Completed | Status::Failed | Status::Cancelled => {
                self.at_the_end(engine, status).await
            }
            Status::Waiting => self.person(engine).await,
            Status::Pending | Status::Running(_) => bail!("a run was left while it was {status}"),
        }
    }

    async fn after_error(&mut self, engine: &TaleEngine, error: Error) -> Result<CourseRound> {
        match error {
            Error::StoreGone { .. } => Ok(CourseRound::Again),
            Error::Held { .. } => {
                self.let_lease_lapse();
                Ok(CourseRound::Again)
            }
            Error::Waiting { until, .. } => {
                ensure!(
                    until.is_none_or(|until| until > self.earliest),
                    "from {} on it could not be opened, and it waits until {until:?}",
                    self.earliest
                );
                self.person(engine).await
            }
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
        let engine = self.plain_engine()?;
        let workflow = engine.graph().name();
        let found = engine.runtime().unattended(workflow, 2).await?;
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
    async fn at_the_end(&mut self, engine: &TaleEngine, status: Status) -> Result<CourseRound> {
        if self.reopens < MOST_REOPENS && self.chance.random_bool(0.3) {
            self.reopens += 1;
            let decision = Decision::new(Verdict::Approve, "a person who is late");
            return match engine.reopen(self.run, decision).await {
                Ok(()) | Err(Error::StoreGone { .. } | Error::GateClosed { .. }) => {
                    Ok(CourseRound::Again)
                }
                Err(Error::Held { .. }) => {
                    self.let_lease_lapse();
                    Ok(CourseRound::Again)
                }
                Err(error) => Err(error).context("a late decision was refused"),
            };
        }
        let done = status == Status::Completed || self.resumes >= MOST_RESUMES;
        if done || self.chance.random_bool(0.4) {
            return Ok(CourseRound::End);
        }
        self.resume(engine).await
    }

    /// Lets work go on until it ends, however the clock jumps.
    async fn until_its_end<T>(
        &mut self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let done = cut_short(work, None, || self.tick()).await;
        done.unwrap_or(Err(Error::Store {
            why: "it was cut short".into(),
        }))
    }

    async fn note_resume(&mut self) {
        // A run that is not there yet has no step to resume.
        if let Ok((run, _)) = self.store.head(self.run).await {
            self.resumed.insert(run.head.step + 1);
        }
    }

    async fn resume(&mut self, engine: &TaleEngine) -> Result<CourseRound> {
        self.resumes += 1;
        self.note_resume().await;
        match engine.resume(self.run).await {
            Ok(mut execution) => match self.until_its_end(execution.run()).await {
                Ok(RunOutcome { status, .. }) => Box::pin(self.after(engine, status)).await,
                Err(error) => Box::pin(self.after_error(engine, error)).await,
            },
            Err(Error::CrashLoop { .. }) => bail!("a person could not resume a crash loop"),
            Err(Error::Ended { .. }) => Ok(CourseRound::End),
            Err(error) => Box::pin(self.after_error(engine, error)).await,
        }
    }
}

/// Begins the run or takes it up, and works on it.
async fn work(
    engine: &TaleEngine,
    new: NewRun,
    tale: Tale,
    resume: bool,
) -> Result<RunOutcome, Error> {
    let opened = if resume {
        engine.resume(new.id).await
    } else {
        engine.open(new.id).await
    };
    let mut execution = match opened {
        Err(Error::NoSuchRun { .. }) => engine.start(new, tale).await?,
        opened => opened?,
    };
    execution.run().await
}

/// Polls a future so many times, with something happening between; then drops it. Even while nothing
/// happens in it, it is polled now and then.
async fn cut_short<F: Future>(
    future: F,
    polls: Option<u32>,
    mut between: impl FnMut(),
) -> Option<F::Output> {
    let (mut future, mut heartbeat) = (pin!(future), tokio::time::interval(HEARTBEAT));
    let mut left = polls;
    std::future::poll_fn(|context| {
        between();
        match left {
            Some(0) => return Poll::Ready(None),
            Some(ref mut left) => *left -= 1,
            None => {}
        }
        while heartbeat.poll_tick(context).is_ready() {}
        future.as_mut().poll(context).map(Some)
    })
    .await
}
