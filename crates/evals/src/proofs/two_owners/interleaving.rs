//! Two engines in this process, and one order in which they work on a run.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::record::{Status, Token};
use fathom_workflow::{
    Clock, Engine, Error, ManualClock, NewRun, Outcome, Owner, RunId, RuntimeSettings, Store,
    SystemClock,
};
use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::task::JoinHandle;

use super::Figures;
use super::pause::{Pause, Side, Stop};
use crate::proofs::audit;
use crate::proofs::faulty::{FaultyStore, Taken};
use crate::proofs::observed::{Observed, Repeats};
use crate::proofs::research::{self, Deps, Research};
use crate::stores::{Backend, Disk, Site};

/// How often a run that somebody holds is asked for, where leases lapse by themselves.
const TRIES: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);

/// The operations by which an owner takes a run up, up to its first write to the log.
const FIRST_OPS: u64 = 6;

/// The owners of a run: the two, and one who comes when both have gone.
const OWNERS: u32 = 3;

type Lab = Engine<Research, Deps>;

/// A store as two processes see it.
pub(super) struct Ground {
    stores: [Arc<dyn Store>; 2],
    /// `None` where leases lapse by the database's own clock.
    clock: Option<Arc<ManualClock>>,
    lease: Duration,
    report: String,
    /// The operations of a life that nothing happens to.
    ops: u64,
    _site: Site,
}

impl Ground {
    pub(super) async fn new(backend: Backend) -> Result<Self> {
        let clock = Arc::new(ManualClock::at(Timestamp::now()));
        let site = Site::with_clock(backend, Disk::Fast, Arc::clone(&clock) as _).await?;
        let (clock, lease) = match backend {
            Backend::Memory | Backend::Sqlite => (Some(clock), Duration::from_secs(30)),
            Backend::Postgres => (None, Duration::from_millis(60)),
        };
        let mut ground = Self {
            stores: [site.open().await?, site.open().await?],
            clock,
            lease,
            report: String::new(),
            ops: 0,
            _site: site,
        };
        let (run, world) = (RunId::new(), ground.world());
        let pause = Arc::new(Pause::new(None));
        life(ground.engine(0, &pause, &world)?, run, false).await?;
        ground.report = ground.finished(run, &world).await?;
        ground.ops = pause.ops();
        Ok(ground)
    }

    fn world(&self) -> Arc<Observed> {
        let [store, _] = &self.stores;
        Arc::new(Observed::new(Arc::clone(store), Repeats::Allowed))
    }

    fn engine(&self, store: usize, pause: &Arc<Pause>, world: &Arc<Observed>) -> Result<Lab> {
        let store = FaultyStore::new(Arc::clone(&self.stores[store]), Arc::clone(pause) as _);
        let clock: Arc<dyn Clock> = match &self.clock {
            Some(clock) => Arc::clone(clock) as _,
            None => Arc::new(SystemClock),
        };
        let settings = RuntimeSettings {
            lease: self.lease,
            ..RuntimeSettings::default()
        };
        let deps = Arc::new(Deps(Arc::clone(world) as _));
        Ok(Engine::with(
            research::plain()?,
            Arc::new(store),
            deps,
            clock,
            settings,
        ))
    }

    fn let_lease_lapse(&self) {
        if let Some(clock) = &self.clock {
            clock.advance(2 * self.lease);
        }
    }

    /// The report of a run that has ended as it should.
    async fn finished(&self, run: RunId, world: &Arc<Observed>) -> Result<String> {
        let story = audit::story(&*self.stores[0], run).await?;
        let status = &story.run.head.status;
        ensure!(*status == Status::Completed, "the run is {status}");
        let engine = self.engine(0, &Arc::new(Pause::new(None)), world)?;
        let state = engine.view(run, None).await?.state;
        state.report.context("the run ended without a report")
    }
}

/// One owner at work.
struct Worker {
    pause: Arc<Pause>,
    life: JoinHandle<Result<Outcome, Error>>,
}

impl Worker {
    fn start(ground: &Ground, store: usize, stop: Option<Stop>, case: &Case) -> Result<Self> {
        let pause = Arc::new(Pause::new(stop));
        let engine = ground.engine(store, &pause, &case.world)?;
        let life = tokio::spawn(life(engine, case.run, ground.clock.is_none()));
        Ok(Self { pause, life })
    }

    /// Waits until the owner is stopped or has ended.
    async fn stopped_or_done(&mut self) {
        while !self.pause.was_stopped() && !self.life.is_finished() {
            tokio::select! {
                () = self.pause.stopped() => {}
                () = tokio::time::sleep(Duration::from_millis(1)) => {}
            }
        }
    }

    async fn end(self) -> Result<End> {
        self.pause.go_on();
        Ok(End {
            result: self.life.await?,
            taken: self.pause.taken(),
        })
    }
}

/// How an owner's work ended, and what the store took from it.
struct End {
    result: Result<Outcome, Error>,
    taken: Vec<Taken>,
}

struct Case {
    run: RunId,
    world: Arc<Observed>,
}

/// The first owner is stopped somewhere, the second takes over and may be stopped too; the first goes
/// on, then the second.
pub(super) async fn one(ground: Arc<Ground>, seed: u64) -> Result<Figures> {
    let mut chance = StdRng::seed_from_u64(seed);
    let first_stop = stop(&mut chance, ground.ops);
    let second_stop = match chance.random_range(0..3) {
        0 => None,
        // Where it has taken the run and not yet written to it, only the fence keeps others off.
        1 => Some(stop(&mut chance, FIRST_OPS)),
        _ => Some(stop(&mut chance, ground.ops)),
    };
    let told = || format!("seed {seed}: stopped at {first_stop:?}, then {second_stop:?}");
    play(&ground, first_stop, second_stop)
        .await
        .with_context(told)
}

fn stop(chance: &mut StdRng, ops: u64) -> Stop {
    Stop {
        op: chance.random_range(1..=ops),
        side: if chance.random() {
            Side::Before
        } else {
            Side::After
        },
    }
}

async fn play(ground: &Ground, first_stop: Stop, second_stop: Option<Stop>) -> Result<Figures> {
    let case = Case {
        run: RunId::new(),
        world: ground.world(),
    };
    let mut first = Worker::start(ground, 0, Some(first_stop), &case)?;
    first.stopped_or_done().await;
    let stopped = first.pause.was_stopped();
    ground.let_lease_lapse();
    let mut second = Worker::start(ground, 1, second_stop, &case)?;
    second.stopped_or_done().await;

    let first = first.end().await?;
    if second.pause.was_stopped() {
        still_held(ground, case.run, &first, &second.pause.taken()).await?;
    }
    let second = second.end().await?;
    ground.let_lease_lapse();
    let last = Worker::start(ground, 0, None, &case)?.end().await?;

    let refused = matches!(first.result, Err(Error::Superseded { .. }));
    judge(ground, &case, [first, second, last]).await?;
    Ok(Figures {
        stopped: u64::from(stopped),
        refused: u64::from(refused),
    })
}

/// The last words of an owner that was refused must not cost the new one its hold.
async fn still_held(ground: &Ground, run: RunId, first: &End, second: &[Taken]) -> Result<()> {
    let holds = second.iter().any(|write| matches!(write, Taken::Hold(_)));
    let refused = matches!(first.result, Err(Error::Superseded { .. }));
    if !holds || !refused || ground.clock.is_none() {
        return Ok(());
    }
    let stranger = Owner::named("a stranger");
    let ended = |status: &Status| status.is_finished();
    let (header, _) = ground.stores[0].head(run).await?;
    match ground.stores[0].claim(run, &stranger, ground.lease).await {
        Err(Error::Held { .. }) => Ok(()),
        // Its last write has released the run already; only the reply is still on its way.
        Ok(token) if ended(&header.head.status) => Ok(ground.stores[0].release(run, token).await?),
        Ok(_) => bail!("the run of the new owner could be taken from it"),
        Err(error) => Err(error.into()),
    }
}

async fn judge(ground: &Ground, case: &Case, ends: [End; OWNERS as usize]) -> Result<()> {
    for End { result, .. } in &ends {
        match result {
            Ok(Outcome { status, .. }) => {
                ensure!(*status == Status::Completed, "a life ended {status}")
            }
            Err(
                Error::Superseded { .. }
                | Error::Held { .. }
                | Error::Ended { .. }
                | Error::RunExists { .. },
            ) => {}
            Err(error) => bail!("an owner was stopped by: {error}"),
        }
    }
    no_stale_commits(ends.iter().flat_map(|end| &end.taken))?;
    let report = ground.finished(case.run, &case.world).await?;
    research::same_report(&report, &ground.report)?;
    for (effect, times) in case.world.calls() {
        ensure!(times <= OWNERS, "effect {effect:?} was made {times} times");
    }
    // Thousands of runs would fill the memory.
    ground.stores[0].delete(case.run).await?;
    Ok(())
}

/// No revision is written twice, and once a fence has been passed on, nothing under an older one.
fn no_stale_commits<'a>(taken: impl Iterator<Item = &'a Taken>) -> Result<()> {
    let (mut holds, mut appends): (Vec<Token>, Vec<Token>) = (Vec::new(), Vec::new());
    for write in taken {
        match write {
            Taken::Hold(token) => holds.push(*token),
            Taken::Append(token) => appends.push(*token),
        }
    }
    appends.sort_unstable_by_key(|token| token.rev);
    for pair in appends.windows(2) {
        if let [one, other] = pair {
            ensure!(
                one.rev != other.rev,
                "a fork: {one:?} and {other:?} were both taken"
            );
        }
    }
    for hold in holds {
        let stale = |append: &&Token| append.fence < hold.fence && append.rev >= hold.rev;
        if let Some(append) = appends.iter().find(stale) {
            bail!("a stale commit: {append:?} was taken after {hold:?} was given");
        }
    }
    Ok(())
}

/// Begins the run or takes it up, and works on it to its end. Where leases lapse by themselves it
/// waits for that.
async fn life(engine: Lab, run: RunId, patient: bool) -> Result<Outcome, Error> {
    let mut tries = 0;
    loop {
        match engine.open(run).await {
            Ok(mut execution) => return execution.run().await,
            Err(Error::NoSuchRun { .. }) => {
                let new = NewRun {
                    id: run,
                    ..NewRun::titled("a proof")
                };
                return engine.start(new, Research::default()).await?.run().await;
            }
            Err(Error::Held { .. }) if patient && tries < TRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}
