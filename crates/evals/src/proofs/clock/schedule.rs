//! A run at rest while its clock jumps, and what people and processes do to it then.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::{Head, Status};
use fathom_workflow::{
    Clock, Engine, Error, ManualClock, MemoryStore, RunId, RuntimeSettings, Store,
};
use jiff::{SignedDuration, Timestamp};
use rand::Rng;
use rand::rngs::SmallRng;

use super::Figures;
use super::trip::{self, Trip, some_time};

/// 2026, far enough from both ends of time for any sum of jumps.
const NOON: i64 = 1_770_000_000;
/// A run has few stages, so it has ended after far fewer openings.
const OPENINGS: usize = 100;
const LEASE: Duration = Duration::from_secs(30);

pub(super) struct Schedule {
    pub(super) rng: SmallRng,
    pub(super) clock: Arc<ManualClock>,
    /// Leases go by a clock of their own, as a database's would.
    lease_clock: Arc<ManualClock>,
    pub(super) store: Arc<dyn Store>,
    pub(super) engine: Engine<Trip, ()>,
    pub(super) run: RunId,
    pub(super) limit: Option<Duration>,
    /// Whether the clock may also be set back.
    pub(super) both_ways: bool,
    /// How far the clock moved while the run was held.
    pub(super) held: SignedDuration,
    pub(super) figures: Figures,
}

impl Schedule {
    pub(super) fn new(mut rng: SmallRng, limit: Option<Duration>) -> Result<Self> {
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
    pub(super) async fn act(&mut self) -> Result<()> {
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
                self.begun(&before, now, false, execution).await
            }
            (Status::Pending | Status::Running(_), _, Ok(execution)) => {
                self.begun(&before, now, false, execution).await
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

    async fn decide(&mut self) -> Result<()> {
        let (before, now) = (self.head().await?, self.clock.now());
        let late = before.wake_at.is_some_and(|at| now >= at);
        let decision = Decision::new(Verdict::Approve, "a person");
        let decided = match self.engine.gate(self.run).await {
            Ok(gate) => self.engine.decide(&gate, decision).await,
            Err(error) => Err(error),
        };
        match (&before.status, decided) {
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
        self.begun(&stopped, resumed_at, true, execution).await?;
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
    pub(super) async fn run_out(&mut self) -> Result<()> {
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

    pub(super) async fn head(&self) -> Result<Head> {
        Ok(self.store.head(self.run).await?.0.head)
    }

    pub(super) async fn jump_while_held(&mut self) -> Result<()> {
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
    pub(super) fn crash(&mut self) -> Result<()> {
        self.lease_clock.advance(LEASE * 3);
        self.restart()
    }
}

fn engine(store: &Arc<dyn Store>, clock: &Arc<ManualClock>) -> Result<Engine<Trip, ()>> {
    let settings = RuntimeSettings {
        lease: LEASE,
        take_up_after: LEASE * 2,
        ..RuntimeSettings::default()
    };
    let clock: Arc<dyn Clock> = Arc::clone(clock) as _;
    let (graph, store) = (trip::graph()?, Arc::clone(store));
    Ok(Engine::with(graph, store, Arc::new(()), clock, settings))
}
