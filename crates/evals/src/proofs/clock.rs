//! T11: a clock that is set wrong, by seconds or by years, in either direction.
//!
//! Each schedule is one run with gates, timers and calls that never return, a clock that jumps at any
//! moment, and an engine that is thrown away and built again. The proof keeps a reckoning of its own:
//! by it no timer may fire early, and once its moment has come opening the run must see it fire, once.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::{Cut, Head, Status, StepKind};
use fathom_workflow::{
    Clock, Engine, Error, Execution, ManualClock, MemoryStore, NewRun, Progress, RunId, Settings,
    Store,
};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::Setting;

mod audit;
mod trip;

use trip::{Stage, Trip};

/// 2026, far enough from both ends of time for any sum of jumps.
const NOON: i64 = 1_770_000_000;
/// What happens to a run at rest before its deadlines are let pass one by one.
const ACTIONS: usize = 24;
/// Jumps made while a call does not return, before the clock is set to the run's deadline.
const JUMPS_WHILE_STUCK: usize = 4;
/// A run has few stages, so it has ended after far fewer openings.
const OPENINGS: usize = 100;
const LEASE: Duration = Duration::from_secs(30);

pub fn prove(setting: Setting) -> BoxFuture<'static, Result<String>> {
    Box::pin(async move {
        let schedules = setting.size.pick(300, 10_000);
        let mut total = Figures::default();
        for nth in 0..schedules {
            let seed = setting.seed.wrapping_add(nth);
            let figures = play(seed)
                .await
                .with_context(|| format!("the schedule of seed {seed}"))?;
            total.add(&figures);
        }
        let Figures {
            jumps,
            restarts,
            timed_out,
            decided,
            late,
            cut,
        } = total;
        Ok(format!(
            "{schedules} schedules, {jumps} jumps, {restarts} restarts: {timed_out} gates timed \
             out, {decided} decided, {late} late answers refused, {cut} runs out of time; 0 timers \
             early, lost or doubled"
        ))
    })
}

#[derive(Default)]
struct Figures {
    jumps: u64,
    restarts: u64,
    timed_out: u64,
    decided: u64,
    late: u64,
    cut: u64,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.jumps += other.jumps;
        self.restarts += other.restarts;
        self.timed_out += other.timed_out;
        self.decided += other.decided;
        self.late += other.late;
        self.cut += other.cut;
    }
}

struct Schedule {
    rng: SmallRng,
    clock: Arc<ManualClock>,
    /// Leases go by a clock of their own, as a database's would.
    lease_clock: Arc<ManualClock>,
    store: Arc<dyn Store>,
    engine: Engine<Trip, ()>,
    run: RunId,
    limit: Option<Duration>,
    /// Whether the clock may also be set back.
    both_ways: bool,
    /// How far the clock moved while the run was held.
    held: SignedDuration,
    figures: Figures,
}

async fn play(seed: u64) -> Result<Figures> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let limit = rng.random_bool(0.5).then(|| some_time(&mut rng));
    let trip = Trip::draw(&mut rng, limit.is_some());
    let stages = trip.stages.clone();
    let mut schedule = Schedule::new(rng, limit)?;
    let new = NewRun {
        id: schedule.run,
        time_limit: limit,
        ..NewRun::titled("a trip")
    };
    let begun = schedule.engine.start(new, trip).await?;
    schedule.work(begun).await?;
    for _ in 0..ACTIONS {
        schedule.act().await?;
    }
    schedule.run_out().await?;
    audit::check(
        &schedule.store,
        schedule.run,
        &stages,
        &mut schedule.figures,
    )
    .await?;
    Ok(schedule.figures)
}

impl Schedule {
    fn new(mut rng: SmallRng, limit: Option<Duration>) -> Result<Self> {
        let start = Timestamp::from_second(NOON)?;
        let clock = Arc::new(ManualClock::at(start));
        let lease_clock = Arc::new(ManualClock::at(start));
        let leases: Arc<dyn Clock> = Arc::clone(&lease_clock) as _;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(leases));
        Ok(Self {
            engine: engine(&store, &clock)?,
            both_ways: rng.random_bool(0.7),
            rng,
            clock,
            lease_clock,
            store,
            run: RunId::new(),
            limit,
            held: SignedDuration::ZERO,
            figures: Figures::default(),
        })
    }

    /// One thing that may befall a run at rest, or somebody may do to it.
    async fn act(&mut self) -> Result<()> {
        match self.rng.random_range(0..10) {
            0..=3 => {
                self.jump().await?;
            }
            4 => self.restart()?,
            5..=6 => self.open().await?,
            7 => self.decide().await?,
            8 => self.look().await?,
            _ => self.cancel_and_resume().await?,
        }
        Ok(())
    }

    /// Opens the run, and checks that it goes on exactly when its time has come.
    async fn open(&mut self) -> Result<()> {
        let (before, now) = (self.head().await?, self.clock.now());
        let opened = self.engine.open(self.run).await;
        match (&before.status, before.wake_at, opened) {
            (Status::Waiting, Some(at), Ok(execution)) if now >= at => {
                self.begun(&before, now, execution).await
            }
            (Status::Pending | Status::Running(_), _, Ok(execution)) => {
                self.begun(&before, now, execution).await
            }
            (Status::Waiting, at, Err(Error::Waiting { until, .. }))
                if at == until && at.is_none_or(|at| now < at) =>
            {
                Ok(())
            }
            (status, _, Err(Error::Ended { .. })) if status.is_finished() => Ok(()),
            (status, at, Ok(_)) => bail!("it was {status} until {at:?} and opened at {now}"),
            (status, at, Err(error)) => {
                bail!("it was {status} until {at:?}; opened at {now} it said: {error}")
            }
        }
    }

    /// The run's time does not pass while nobody holds it.
    async fn begun(
        &mut self,
        before: &Head,
        now: Timestamp,
        execution: Execution<Trip, ()>,
    ) -> Result<()> {
        let at_rest = now
            .duration_since(before.updated_at)
            .max(SignedDuration::ZERO);
        let wanted = before.deadline.map(|deadline| deadline + at_rest);
        let deadline = self.head().await?.deadline;
        ensure!(
            deadline == wanted,
            "after {at_rest} at rest its deadline is {deadline:?}, not {wanted:?}"
        );
        self.work(execution).await
    }

    /// Lets the run go on until it waits, ends or its process dies.
    async fn work(&mut self, mut execution: Execution<Trip, ()>) -> Result<()> {
        loop {
            if self.rng.random_bool(0.2) {
                self.jump_while_held().await?;
            }
            if self.rng.random_bool(0.1) {
                drop(execution);
                return self.crash();
            }
            let before = self.head().await?;
            let Some(progress) = self.turn(&mut execution).await? else {
                drop(execution);
                return self.crash();
            };
            self.check_cut(&before, &progress).await?;
            if !matches!(progress, Progress::Ran { .. }) {
                return Ok(());
            }
        }
    }

    /// One turn of the run; `None` if its process is to die in it.
    async fn turn(&mut self, execution: &mut Execution<Trip, ()>) -> Result<Option<Progress>> {
        let mut turn = pin!(execution.advance());
        for jumps in 0.. {
            if let Poll::Ready(progress) = settled(&mut turn).await {
                return Ok(Some(progress?));
            }
            // A call does not return: only the run's deadline ends it.
            let deadline = self
                .head()
                .await?
                .deadline
                .context("a stuck run without a deadline")?;
            let now = self.clock.now();
            ensure!(
                now < deadline,
                "at {now} it still runs, past its deadline {deadline}"
            );
            if self.rng.random_bool(0.15) {
                return Ok(None);
            }
            if jumps < JUMPS_WHILE_STUCK {
                self.jump_while_held().await?;
            } else {
                self.held += deadline.duration_since(now);
                self.clock.set(deadline);
            }
        }
        bail!("it never ended")
    }

    /// Whoever is cut short for lack of time must have had it all.
    async fn check_cut(&mut self, before: &Head, progress: &Progress) -> Result<()> {
        let out_of_time = match progress {
            Progress::Ran { step } => {
                let found = self.store.steps(self.run, *step, 1).await?;
                let record = found.first().context("a step that ran is not recorded")?;
                record.meta.kind == StepKind::Cut(Cut::Deadline)
            }
            Progress::Done(outcome) => outcome.status == Status::Failed,
            Progress::Waiting { .. } => false,
        };
        if !out_of_time {
            return Ok(());
        }
        let (now, deadline) = (self.clock.now(), before.deadline);
        ensure!(
            deadline.is_some_and(|deadline| now >= deadline),
            "out of time at {now}, with the deadline {deadline:?}"
        );
        let limit = SignedDuration::try_from(self.limit.unwrap_or_default())?;
        ensure!(
            self.both_ways || self.held >= limit,
            "out of time after {}, with a limit of {limit}",
            self.held
        );
        self.figures.cut += 1;
        Ok(())
    }

    async fn decide(&mut self) -> Result<()> {
        let (before, now) = (self.head().await?, self.clock.now());
        let late = before.wake_at.is_some_and(|at| now >= at);
        let decision = Decision::new(Verdict::Approve, "a person");
        match (&before.status, self.engine.decide(self.run, decision).await) {
            (Status::Waiting, Ok(())) if !late => Ok(()),
            (Status::Waiting, Err(Error::GateClosed { .. })) if late => {
                self.figures.late += 1;
                Ok(())
            }
            (status, Err(Error::NotWaiting { .. })) if *status != Status::Waiting => Ok(()),
            (status, outcome) => {
                bail!(
                    "decided at {now}, {status} until {:?}: {outcome:?}",
                    before.wake_at
                )
            }
        }
    }

    /// Checks that the run is offered to whoever looks for work exactly when it could go on.
    async fn look(&mut self) -> Result<()> {
        let (head, now) = (self.head().await?, self.clock.now());
        let could_go_on = match head.status {
            Status::Waiting => head.wake_at.is_some_and(|at| now >= at),
            Status::Pending | Status::Running(_) => true,
            Status::Completed | Status::Failed | Status::Cancelled => false,
        };
        let offered = self.engine.unattended(10).await?.contains(&self.run);
        ensure!(
            offered == could_go_on,
            "at {now} the run, {} until {:?}, is offered: {offered}",
            head.status,
            head.wake_at
        );
        Ok(())
    }

    /// A run that was stopped and goes on must find its gate, and the gate's deadline, as they were.
    async fn cancel_and_resume(&mut self) -> Result<()> {
        let before = self.head().await?;
        if before.status.is_finished() {
            return Ok(());
        }
        self.engine.cancel(self.run).await?;
        let (stopped, now) = (self.head().await?, self.clock.now());
        ensure!(
            stopped.status == Status::Cancelled,
            "cancelled, it is {}",
            stopped.status
        );
        self.jump().await?;
        let (resumed_at, execution) = (self.clock.now(), self.engine.resume(self.run).await?);
        ensure!(
            stopped.updated_at == now,
            "a cancelled run is stamped {}",
            stopped.updated_at
        );
        self.begun(&stopped, resumed_at, execution).await?;
        let after = self.head().await?;
        if before.status == Status::Waiting && after.status == Status::Waiting {
            ensure!(
                after.step > before.step || after.wake_at == before.wake_at,
                "a gate's deadline moved from {:?} to {:?}",
                before.wake_at,
                after.wake_at
            );
        }
        Ok(())
    }

    /// Lets every deadline come, each to the very moment; the run must end.
    async fn run_out(&mut self) -> Result<()> {
        for _ in 0..OPENINGS {
            let head = self.head().await?;
            match (&head.status, head.wake_at) {
                (Status::Completed | Status::Failed, _) => return Ok(()),
                (Status::Cancelled, _) => bail!("nobody cancelled it for good"),
                (Status::Waiting, Some(at)) if self.clock.now() < at => self.clock.set(at),
                (Status::Waiting, None) => self.decide().await?,
                (Status::Waiting | Status::Pending | Status::Running(_), _) => {}
            }
            self.look().await?;
            self.open().await?;
        }
        bail!("opened {OPENINGS} times it has not ended")
    }

    async fn head(&self) -> Result<Head> {
        Ok(self.store.head(self.run).await?.0.head)
    }

    async fn jump_while_held(&mut self) -> Result<()> {
        let moved = self.jump().await?;
        self.held += moved;
        Ok(())
    }

    /// Sets the clock, often to just about one of the run's deadlines.
    async fn jump(&mut self) -> Result<SignedDuration> {
        let (head, now) = (self.head().await?, self.clock.now());
        let aim = if self.rng.random_bool(0.5) {
            head.wake_at
        } else {
            head.deadline
        };
        let near = SignedDuration::from_millis(self.rng.random_range(-1..=1));
        let far = SignedDuration::try_from(some_time(&mut self.rng))?;
        let to = match aim {
            Some(aim) if self.rng.random_bool(0.4) => aim.checked_add(near)?,
            _ if self.rng.random_bool(0.5) => now.checked_sub(far)?,
            _ => now.checked_add(far)?,
        };
        let to = if self.both_ways { to } else { to.max(now) };
        self.clock.set(to);
        self.figures.jumps += 1;
        Ok(to.duration_since(now))
    }

    fn restart(&mut self) -> Result<()> {
        self.engine = engine(&self.store, &self.clock)?;
        self.figures.restarts += 1;
        Ok(())
    }

    /// The process is gone; its lease lapses.
    fn crash(&mut self) -> Result<()> {
        self.lease_clock.advance(LEASE * 3);
        self.restart()
    }
}

fn engine(store: &Arc<dyn Store>, clock: &Arc<ManualClock>) -> Result<Engine<Trip, ()>> {
    let settings = Settings {
        lease: LEASE,
        take_up_after: LEASE * 2,
        max_starts: u32::MAX,
        ..Settings::default()
    };
    let clock: Arc<dyn Clock> = Arc::clone(clock) as _;
    let (graph, store) = (trip::graph()?, Arc::clone(store));
    Ok(Engine::with(graph, store, Arc::new(()), clock, settings))
}

/// A second to three years, short ones as likely as long ones.
fn some_time(rng: &mut SmallRng) -> Duration {
    let scale = [1, 60, 3_600, 86_400, 31_536_000][rng.random_range(0..5)];
    Duration::from_secs(scale * rng.random_range(1..=3))
}

/// Polls until nothing more happens by itself. The memory store answers at once and the clock moves
/// only by hand, so a few polls are enough.
async fn settled<F: Future + Unpin>(work: &mut F) -> Poll<F::Output> {
    for _ in 0..4 {
        if let Poll::Ready(done) = futures::poll!(&mut *work) {
            return Poll::Ready(done);
        }
        tokio::task::yield_now().await;
    }
    Poll::Pending
}

/// What the stages of a trip wait for, for [`audit`].
fn within(stage: &Stage) -> Option<Duration> {
    match stage {
        Stage::Gate { within_s } => within_s.map(Duration::from_secs),
        Stage::Work | Stage::Stuck => None,
    }
}
