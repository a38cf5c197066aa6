//! Two engines in this process, and one order in which they work on a run.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::record::{Status, Token};
use fathom_workflow::{Error, Owner, RunId, RunOutcome};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::task::JoinHandle;

use super::OwnerFigures;
use super::pause::Pause;
use crate::proofs::faulty::{FaultyStore, TakenWrite};
use crate::proofs::lab::{Lab, ResearchEngine};
use crate::proofs::research::{self, open_or_start};
use crate::proofs::run_log::RunLog;
use crate::proofs::world::{ObservedWorld, Pace};
use crate::stores::Backend;

/// How often a run that somebody holds is asked for, where leases lapse by themselves.
const TRIES: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);

/// The operations by which an owner takes a run up, up to its first write to the log.
const FIRST_OPS: u64 = 6;

/// The owners of a run: the two, and one who comes when both have gone.
const OWNERS: u32 = 3;

/// Where owners contend, and what an undisturbed run comes to there.
pub(super) struct Arena {
    lab: Lab,
    report: String,
    /// The operations of an owner that nothing happens to.
    ops: u64,
}

impl Arena {
    pub(super) async fn new(backend: Backend) -> Result<Self> {
        let mut arena = Self {
            lab: Lab::new(backend).await?,
            report: String::new(),
            ops: 0,
        };
        let contest = Contest::new();
        let contender = Contender::start(&arena, 0, None, &contest)?;
        let pause = Arc::clone(&contender.pause);
        contender.end().await?.result?;
        arena.report = arena.finished(&contest).await?;
        arena.ops = pause.ops();
        Ok(arena)
    }

    fn engine(&self, nth: usize, pause: &Arc<Pause>, contest: &Contest) -> Result<ResearchEngine> {
        let store = Arc::clone(&self.lab.stores[nth]);
        let store = Arc::new(FaultyStore::new(store, Arc::clone(pause) as _));
        Ok(self.lab.engine(research::plain()?, store, &contest.world))
    }

    /// Where leases lapse by themselves, whoever comes next waits for that.
    async fn let_lease_lapse(&self) {
        if self.lab.turns_the_clock() {
            self.lab.let_lease_lapse().await;
        }
    }

    /// The report of a run that has ended as it should.
    async fn finished(&self, contest: &Contest) -> Result<String> {
        let log = RunLog::sound(&*self.lab.stores[0], contest.run).await?;
        let status = &log.run.head.status;
        ensure!(*status == Status::Completed, "the run is {status}");
        let engine = self.engine(0, &Arc::new(Pause::new(None)), contest)?;
        Ok(engine.view(contest.run, None).await?.state.report())
    }
}

/// The run that owners contend for.
struct Contest {
    run: RunId,
    world: Arc<ObservedWorld>,
}

impl Contest {
    fn new() -> Self {
        Self {
            run: RunId::new(),
            world: Arc::new(ObservedWorld::new(None, Pace::OneTurn)),
        }
    }
}

/// One owner at work.
struct Contender {
    pause: Arc<Pause>,
    work: JoinHandle<Result<RunOutcome, Error>>,
}

impl Contender {
    fn start(arena: &Arena, nth: usize, stop: Option<u64>, contest: &Contest) -> Result<Self> {
        let pause = Arc::new(Pause::new(stop));
        let engine = arena.engine(nth, &pause, contest)?;
        let patient = !arena.lab.turns_the_clock();
        let work = tokio::spawn(work(engine, contest.run, patient));
        Ok(Self { pause, work })
    }

    /// Waits until the owner is stopped or has ended.
    async fn stopped_or_done(&mut self) {
        while !self.pause.was_stopped() && !self.work.is_finished() {
            tokio::select! {
                () = self.pause.stopped() => {}
                () = tokio::time::sleep(Duration::from_millis(1)) => {}
            }
        }
    }

    async fn end(self) -> Result<WorkEnd> {
        self.pause.go_on();
        let result = self.work.await?;
        let taken = self.pause.taken();
        Ok(WorkEnd { result, taken })
    }
}

/// How an owner's work ended, and what the store took from it.
struct WorkEnd {
    result: Result<RunOutcome, Error>,
    taken: Vec<TakenWrite>,
}

impl WorkEnd {
    fn was_refused(&self) -> bool {
        matches!(self.result, Err(Error::Superseded { .. }))
    }
}

/// Begins the run or takes it up, and works on it to its end.
async fn work(engine: ResearchEngine, run: RunId, patient: bool) -> Result<RunOutcome, Error> {
    let mut tries = 0;
    loop {
        match open_or_start(&engine, run).await {
            Ok(mut execution) => return execution.run().await,
            Err(Error::Held { .. }) if patient && tries < TRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The first owner is stopped somewhere, the second takes over and may be stopped too; the first goes
/// on, then the second.
pub(super) async fn one(arena: Arc<Arena>, seed: u64) -> Result<OwnerFigures> {
    let mut chance = StdRng::seed_from_u64(seed);
    let first_stop = chance.random_range(0..2 * arena.ops);
    let second_stop = match chance.random_range(0..3) {
        0 => None,
        // Where it has taken the run and not yet written to it, only the fence keeps others off.
        1 => Some(chance.random_range(0..2 * FIRST_OPS)),
        _ => Some(chance.random_range(0..2 * arena.ops)),
    };
    let told = || format!("seed {seed}: stopped at moment {first_stop}, then {second_stop:?}");
    contend(&arena, first_stop, second_stop)
        .await
        .with_context(told)
}

async fn contend(arena: &Arena, first_stop: u64, second_stop: Option<u64>) -> Result<OwnerFigures> {
    let contest = Contest::new();
    let mut first = Contender::start(arena, 0, Some(first_stop), &contest)?;
    first.stopped_or_done().await;
    let stopped = first.pause.was_stopped();
    arena.let_lease_lapse().await;
    let mut second = Contender::start(arena, 1, second_stop, &contest)?;
    second.stopped_or_done().await;

    let first = first.end().await?;
    if second.pause.was_stopped() && first.was_refused() && arena.lab.turns_the_clock() {
        still_held(arena, contest.run, &second.pause.taken()).await?;
    }
    let second = second.end().await?;
    arena.let_lease_lapse().await;
    let last = Contender::start(arena, 0, None, &contest)?.end().await?;

    let refused = first.was_refused();
    judge(arena, &contest, [first, second, last]).await?;
    Ok(OwnerFigures {
        stopped: u64::from(stopped),
        refused: u64::from(refused),
    })
}

/// The last words of an owner that was refused must not cost the new one its hold.
async fn still_held(arena: &Arena, run: RunId, second: &[TakenWrite]) -> Result<()> {
    if !second
        .iter()
        .any(|write| matches!(write, TakenWrite::Hold(_)))
    {
        return Ok(());
    }
    let (store, stranger) = (&arena.lab.stores[0], Owner::named("a stranger"));
    let (header, _) = store.head(run).await?;
    match store.claim(run, &stranger, arena.lab.lease()).await {
        Err(Error::Held { .. }) => Ok(()),
        // Its last write has released the run already; only the reply is still on its way.
        Ok(token) if header.head.status.is_finished() => Ok(store.release(run, token).await?),
        Ok(_) => bail!("the run of the new owner could be taken from it"),
        Err(error) => Err(error.into()),
    }
}

async fn judge(arena: &Arena, contest: &Contest, ends: [WorkEnd; OWNERS as usize]) -> Result<()> {
    for WorkEnd { result, .. } in &ends {
        match result {
            Ok(RunOutcome { status, .. }) => {
                ensure!(*status == Status::Completed, "an owner ended it {status}");
            }
            Err(
                Error::Superseded { .. }
                | Error::LeaseLost { .. }
                | Error::Held { .. }
                | Error::Ended { .. }
                | Error::RunExists { .. },
            ) => {}
            Err(error) => bail!("an owner was stopped by: {error}"),
        }
    }
    no_stale_commits(ends.iter().flat_map(|end| &end.taken))?;
    let report = arena.finished(contest).await?;
    research::same_report(&report, &arena.report)?;
    for (effect, times) in contest.world.calls(contest.run) {
        ensure!(times <= OWNERS, "effect {effect:?} was made {times} times");
    }
    // Thousands of runs would fill the memory.
    arena.lab.stores[0].delete(contest.run).await?;
    Ok(())
}

/// No revision is written twice, and once a fence has been passed on, nothing under an older one.
fn no_stale_commits<'a>(taken: impl Iterator<Item = &'a TakenWrite>) -> Result<()> {
    let (mut holds, mut appends): (Vec<Token>, Vec<Token>) = (Vec::new(), Vec::new());
    for write in taken {
        match write {
            TakenWrite::Hold(token) => holds.push(*token),
            TakenWrite::Append(token) => appends.push(*token),
        }
    }
    appends.sort_unstable_by_key(|token| token.rev);
    for pair in appends.windows(2) {
        let fork = matches!(pair, [one, other] if one.rev == other.rev);
        ensure!(!fork, "a fork: {pair:?} were both taken");
    }
    for hold in holds {
        let stale = |append: &&Token| append.fence < hold.fence && append.rev >= hold.rev;
        if let Some(append) = appends.iter().find(stale) {
            bail!("a stale commit: {append:?} was taken after {hold:?} was given");
        }
    }
    Ok(())
}
