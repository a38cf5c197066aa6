//! What befalls one drawn run: lost replies, crashes, clock jumps, and people who come and go.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use async_trait::async_trait;
use fathom_testworld::{FaultyStore, StoreFaults, StoreOp, store_gone};
use fathom_workflow::record::Status;
use fathom_workflow::{Clock, Error, ManualClock, MemoryStore, NewRun, RunId, RunOutcome, Store};
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use uuid::Uuid;

use super::script::Script;
use crate::proofs::lab;
use crate::proofs::scripted::ScriptedEngine;
use crate::proofs::world::{Effect, ObservedWorld};

/// After so many rounds nothing more goes wrong, and the run must get to its end.
const ROUGH_ROUNDS: u32 = 40;
const MOST_ROUNDS: u32 = 160;

const LEASE: Duration = Duration::from_secs(30);

/// How often a run is looked at while nothing happens in it.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// 2026, far enough from both ends of time for any sum of jumps.
const NOON: i64 = 1_770_000_000;

/// How the clock goes while a run is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockHabit {
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
    pub(super) jumps: u64,
    pub(super) faults: Arc<ChanceFaults>,
    pub(super) clock: Arc<ManualClock>,
    pub(super) chance: StdRng,
    pub(super) resumes: u32,
    pub(super) reopens: u32,
    /// Nobody answers questions that can wait for ever.
    pub(super) nobody_there: bool,
    habit: ClockHabit,
    lease_clock: Arc<ManualClock>,
    /// The earliest that the clock showed in this round.
    earliest: Timestamp,
    /// The deadlines of the run and of its gate, as of the beginning of this round.
    deadlines: Vec<Timestamp>,
    /// Whether things may still go wrong.
    rough: bool,
}

/// Whether there will be another round.
#[derive(PartialEq, Eq)]
pub(super) enum CourseRound {
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
        let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(lease_clock.clone()));
        let pace = Mutex::new(StdRng::seed_from_u64(seed ^ 2));
        let pace = move || {
            let mut chance = pace.lock().unwrap_or_else(PoisonError::into_inner);
            match chance.random_range(0..10) {
                0..=6 => Duration::ZERO,
                // Around the time after which events are stored although nobody waits for it.
                7 | 8 => Duration::from_millis(chance.random_range(1..60)),
                // Long enough for the lease to be renewed.
                _ => Duration::from_secs(chance.random_range(1..15)),
            }
        };
        let rate = if chance.random_bool(0.3) { 0.0 } else { 0.04 };
        Ok(Self {
            run: RunId::from_uuid(Uuid::from_u128(u128::from(seed) << 1)),
            world: ObservedWorld::with_pace(Some(Arc::clone(&store)), Box::new(pace)),
            approved: BTreeMap::new(),
            resumed: BTreeSet::new(),
            crashes: 0,
            jumps: 0,
            faults: ChanceFaults::new(StdRng::seed_from_u64(seed ^ 1), rate),
            nobody_there: chance.random_bool(0.1),
            resumes: 0,
            reopens: 0,
            habit,
            earliest: noon,
            deadlines: Vec::new(),
            rough: true,
            lease_clock,
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
                self.faults.lock().rate = 0.0;
            }
            self.look_at_the_clock().await?;
            if self.rough && self.chance.random_bool(0.5) {
                engine = self.engine()?;
            }
            let next = match self.turn(&engine).await {
                Some(Ok(outcome)) => self.after(&engine, outcome.status).await?,
                Some(Err(error)) => self.after_error(&engine, error).await?,
                None => {
                    self.crashes += 1;
                    if self.chance.random_bool(0.7) {
                        self.let_lease_lapse();
                        self.is_found().await?;
                    }
                    CourseRound::Again
                }
            };
            if next == CourseRound::End {
                return Ok(());
            }
        }
        bail!("after {MOST_ROUNDS} rounds the run has neither ended nor does it wait for a person")
    }

    /// An engine as another process would have it, over the store that may fail.
    fn engine(&self) -> Result<ScriptedEngine> {
        let faults = Arc::clone(&self.faults) as _;
        self.engine_over(FaultyStore::new(Arc::clone(&self.store), faults))
    }

    /// An engine that nothing happens to.
    pub(super) fn plain_engine(&self) -> Result<ScriptedEngine> {
        self.engine_over(Arc::clone(&self.store))
    }

    fn engine_over(&self, store: Arc<dyn Store>) -> Result<ScriptedEngine> {
        let (graph, clock) = (self.script.graph()?, Arc::clone(&self.clock) as _);
        Ok(lab::engine(graph, store, &self.world, clock, LEASE))
    }

    /// Works on the run; `None` if the process crashes meanwhile.
    async fn turn(&mut self, engine: &ScriptedEngine) -> Option<Result<RunOutcome, Error>> {
        // As often within the first few polls as later on.
        let longest = 1 << self.chance.random_range(0..7);
        let polls = self.chance.random_range(1..=longest);
        let polls = (self.rough && self.chance.random_bool(0.6)).then_some(polls);
        let resume = self.resumes > 0 && self.chance.random_bool(0.3);
        if resume {
            self.note_resume().await;
        }
        let cancels = self.chance.random_bool(0.03);
        let cancel_after = self.chance.random_range(0..40);
        let (run, state) = (self.run, self.script.first_state());
        let new = NewRun {
            id: run,
            time_limit: self.script.time_limit,
            ..NewRun::titled("drawn")
        };
        let work = async {
            let opened = if resume {
                engine.resume(run).await
            } else {
                engine.open(run).await
            };
            let mut execution = match opened {
                Err(Error::NoSuchRun { .. }) => engine.start(new, state).await?,
                opened => opened?,
            };
            execution.run().await
        };
        let stop = async {
            if cancels {
                take_turns(cancel_after).await;
                // It may come too early or too late; then there is nothing to stop.
                let _ = engine.cancel(run).await;
            }
        };
        let both = async { futures::join!(work, stop).0 };
        cut_short(both, polls, || self.tick()).await
    }

    async fn look_at_the_clock(&mut self) -> Result<()> {
        self.earliest = self.clock.now();
        self.deadlines = match self.store.head(self.run).await {
            Err(Error::NoSuchRun { .. }) => Vec::new(),
            head => {
                let head = head?.0.head;
                head.wake_at.into_iter().chain(head.deadline).collect()
            }
        };
        Ok(())
    }

    /// Time passes, now and then by leaps.
    pub(super) fn tick(&mut self) {
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

    pub(super) fn let_lease_lapse(&self) {
        self.lease_clock.advance(2 * LEASE);
    }

    pub(super) async fn after(
        &mut self,
        engine: &ScriptedEngine,
        status: Status,
    ) -> Result<CourseRound> {
        match status {
            Status::Completed | Status::Failed | Status::Cancelled => {
                self.at_the_end(engine, status).await
            }
            Status::Waiting => self.waits(engine).await,
            Status::Pending | Status::Running(_) => bail!("a run was left while it was {status}"),
        }
    }

    pub(super) async fn after_error(
        &mut self,
        engine: &ScriptedEngine,
        error: Error,
    ) -> Result<CourseRound> {
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
                self.waits(engine).await
            }
            Error::CrashLoop { .. } => self.resume(engine).await,
            Error::Ended { .. } => {
                let status = self.store.head(self.run).await?.0.head.status;
                self.at_the_end(engine, status).await
            }
            error => Err(error).context("an error that nothing here should bring"),
        }
    }

    /// A run that nobody works on any more, and that could go on, is found by whoever looks.
    async fn is_found(&mut self) -> Result<()> {
        let due = match self.store.head(self.run).await {
            Err(Error::NoSuchRun { .. }) => false,
            head => {
                let head = head?.0.head;
                let woken = head.wake_at.is_some_and(|at| at <= self.clock.now());
                let waits = head.status == Status::Waiting && !woken;
                !waits && !head.status.is_finished()
            }
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

    pub(super) async fn note_resume(&mut self) {
        // A run that is not there yet has no step to resume.
        if let Ok((run, _)) = self.store.head(self.run).await {
            self.resumed.insert(run.head.step + 1);
        }
    }
}

/// Polls a future so many times, with something happening between; then drops it. Even while nothing
/// happens in it, it is polled now and then.
pub(super) async fn cut_short<F: Future>(
    future: F,
    mut polls: Option<u32>,
    mut between: impl FnMut(),
) -> Option<F::Output> {
    let (mut future, mut heartbeat) = (pin!(future), tokio::time::interval(HEARTBEAT));
    std::future::poll_fn(|context| {
        between();
        match &mut polls {
            Some(0) => return Poll::Ready(None),
            Some(left) => *left -= 1,
            None => {}
        }
        while heartbeat.poll_tick(context).is_ready() {}
        future.as_mut().poll(context).map(Some)
    })
    .await
}

async fn take_turns(turns: u32) {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}

/// Operations fail by chance, and always take a few turns, so that a crash finds places to come.
pub(super) struct ChanceFaults(Mutex<DrawnFaults>);

struct DrawnFaults {
    chance: StdRng,
    /// How likely an operation fails.
    rate: f64,
    struck: u64,
}

impl ChanceFaults {
    fn new(chance: StdRng, rate: f64) -> Arc<Self> {
        let struck = 0;
        Arc::new(Self(Mutex::new(DrawnFaults {
            chance,
            rate,
            struck,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, DrawnFaults> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many operations have failed.
    pub(super) fn struck(&self) -> u64 {
        self.lock().struck
    }
}

#[async_trait]
impl StoreFaults for ChanceFaults {
    async fn before(&self, _: StoreOp) -> Result<(), Error> {
        let turns = self.lock().chance.random_range(0..3);
        take_turns(turns).await;
        let mut drawn = self.lock();
        let rate = drawn.rate;
        if drawn.chance.random_bool(rate) {
            drawn.struck += 1;
            return Err(store_gone());
        }
        Ok(())
    }

    async fn after(&self, op: StoreOp) -> Result<(), Error> {
        self.before(op).await
    }
}
