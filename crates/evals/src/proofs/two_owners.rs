//! T4: two owners of one run. One is stopped past its lease, the other takes the run over and works,
//! then the first one goes on.
//!
//! Most interleavings happen in this process, where an owner is stopped at any write, just before it
//! or just after; some with real processes, by SIGSTOP and SIGCONT. The late owner must be refused:
//! the log has no fork, and nothing is committed under a fence that has been passed on.

mod processes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::record::Token;
use fathom_workflow::{Error, Owner, RunId};
use futures::future::try_join_all;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::Setting;
use super::interrupted::{Interrupt, InterruptedRun, Interruption, TakenWrites};
use super::lab::{FinalState, Lab};
use super::scripted::{Act, ScriptedRun};
use super::world::ObservedWorld;
use crate::stores::Backend;

/// The owners of a run: the two, and the first again when both have gone.
const OWNERS: u32 = 3;

pub(super) async fn prove(Setting { size, seed }: Setting) -> Result<String> {
    let inside = [
        (Backend::Memory, size.pick(400, 7_500)),
        (Backend::Sqlite, size.pick(70, 2_000)),
        (Backend::Postgres, size.pick(26, 460)),
    ];
    let (mut all, mut refused, mut told) = (0, 0, Vec::new());
    let mut add = |what: String, (stopped, late): (u64, u64)| {
        told.push(format!("{stopped} {what}"));
        (all, refused) = (all + stopped, refused + late);
    };
    for (backend, wanted) in inside {
        let figures = interleavings(backend, wanted, seed).await?;
        add(backend.name().to_owned(), figures);
    }
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let figures = processes::stop_and_go(backend, size.pick(2, 20), seed).await?;
        add(format!("{} processes", backend.name()), figures);
    }
    Ok(format!(
        "{all} interleavings ({}), {refused} of the stopped refused when they wrote, the rest before \
         that or already done; 0 forks, 0 stale commits",
        told.join(", ")
    ))
}

/// For each owner that is to be stopped so many interleavings are tried at most.
const TRIES: u64 = 50;

/// Gives in how many interleavings an owner was stopped, at least as many as wanted, and in how many
/// of these it was refused when it went on.
async fn interleavings(backend: Backend, wanted: u64, seed: u64) -> Result<(u64, u64)> {
    let [next, stopped, refused] = [(); 3].map(|()| Arc::new(AtomicU64::new(0)));
    let workers = arenas(backend).await?.into_iter().map(|arena| {
        let (next, stopped, refused) = (next.clone(), stopped.clone(), refused.clone());
        tokio::spawn(async move {
            while stopped.load(Ordering::SeqCst) < wanted {
                let number = next.fetch_add(1, Ordering::SeqCst);
                ensure!(number < TRIES * wanted, "no owner is stopped any more");
                let (was_stopped, was_refused) = one(&arena, seed.wrapping_add(number)).await?;
                stopped.fetch_add(u64::from(was_stopped), Ordering::SeqCst);
                refused.fetch_add(u64::from(was_refused), Ordering::SeqCst);
            }
            anyhow::Ok(())
        })
    });
    for worker in try_join_all(workers).await? {
        worker?;
    }
    let refused = refused.load(Ordering::SeqCst);
    ensure!(refused > 0, "no owner that was stopped wrote too late");
    Ok((stopped.load(Ordering::SeqCst), refused))
}

/// Where owners contend, and what an undisturbed run comes to there, in so many writes.
struct Arena {
    lab: Lab,
    end: FinalState,
    writes: u64,
}

/// One place for each worker. Where leases lapse by a clock that a proof turns, nobody else may work
/// meanwhile; PostgreSQL's leases lapse by themselves, so there many wait at once.
async fn arenas(backend: Backend) -> Result<Vec<Arc<Arena>>> {
    const WAITING: usize = 16;
    let arena = || async {
        let lab = Lab::new(backend).await?;
        let (end, writes) = InterruptedRun::undisturbed(&lab, plain()).await?;
        anyhow::Ok(Arc::new(Arena { lab, end, writes }))
    };
    if backend == Backend::Postgres {
        return Ok(vec![arena().await?; WAITING]);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    try_join_all((0..cores).map(|_| arena())).await
}

fn plain() -> ScriptedRun {
    ScriptedRun::research(&[Act::Call], &[Act::Call])
}

/// The first owner is stopped somewhere, the second takes over and may be stopped too; the first goes
/// on, then the second. Tells whether the first was stopped, and whether it was refused.
async fn one(arena: &Arc<Arena>, seed: u64) -> Result<(bool, bool)> {
    let mut chance = StdRng::seed_from_u64(seed);
    let mut stop = |last| Interrupt {
        nth: chance.random_range(1..=last),
        how: [Interruption::StopBefore, Interruption::StopAfter][chance.random_range(0..2_usize)],
        dies: false,
    };
    let first = stop(arena.writes);
    let second = match seed % 3 {
        0 => Interrupt::NONE,
        // Where it has taken the run and not yet written to it, only the fence keeps others off.
        1 => stop(2),
        _ => stop(arena.writes),
    };
    let done = contend(arena, [first, second]).await;
    done.with_context(|| format!("seed {seed}: {first:?}, then {second:?}"))
}

async fn contend(arena: &Arc<Arena>, at: [Interrupt; 2]) -> Result<(bool, bool)> {
    let lab = &arena.lab;
    let run = Arc::new(InterruptedRun::new(
        lab,
        plain(),
        at,
        &ObservedWorld::new(None),
    )?);
    let start = |process: usize| {
        let (run, arena) = (Arc::clone(&run), Arc::clone(arena));
        tokio::spawn(async move {
            match process {
                0 => run.work(0).await,
                _ => run.take_over(1, &arena.lab).await,
            }
        })
    };
    let first = start(0);
    while !run.faults[0].has_struck() && !first.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let stopped = run.faults[0].has_struck();
    if lab.clock.is_some() {
        lab.let_lease_lapse().await;
    }
    let second = start(1);
    while !run.faults[1].has_struck() && !second.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    run.faults[0].go_on();
    let first = first.await?;
    let refused = matches!(first, Err(Error::Superseded { .. }));
    let holds = !run.faults[1].taken().holds.is_empty();
    if holds && refused && !second.is_finished() && lab.clock.is_some() {
        still_held(lab, run.id).await?;
    }
    run.faults[1].go_on();
    for end in [first, second.await?, run.take_over(0, lab).await] {
        match end {
            Ok(())
            | Err(
                Error::Superseded { .. }
                | Error::LeaseLost { .. }
                | Error::Held { .. }
                | Error::RunExists { .. },
            ) => {}
            Err(error) => bail!("an owner was stopped by: {error}"),
        }
    }
    no_stale_commits(run.faults.iter().map(|faults| faults.taken().clone()))?;
    let end = lab.final_state(run.id).await?;
    ensure!(end == arena.end, "it ended as {end:?}, not {:?}", arena.end);
    for (effect, times) in run.world.calls(run.id) {
        ensure!(times <= OWNERS, "effect {effect:?} was made {times} times");
    }
    // Thousands of runs would fill the memory.
    lab.stores[0].delete(run.id).await?;
    Ok((stopped, refused))
}

/// The last words of an owner that was refused must not cost the new one its hold.
async fn still_held(lab: &Lab, run: RunId) -> Result<()> {
    let (store, stranger) = (&lab.stores[0], Owner::named("a stranger"));
    let (header, _) = store.head(run).await?;
    match store.claim(run, &stranger, lab.lease).await {
        Err(Error::Held { .. }) => Ok(()),
        // Its last write has released the run already; only the reply is still on its way.
        Ok(token) if header.head.status.is_finished() => Ok(store.release(run, token).await?),
        Ok(_) => bail!("the run of the new owner could be taken from it"),
        Err(error) => Err(error.into()),
    }
}

/// No revision is written twice, and once a fence has been passed on, nothing under an older one.
fn no_stale_commits(taken: impl Iterator<Item = TakenWrites>) -> Result<()> {
    let (mut holds, mut appends): (Vec<Token>, Vec<Token>) = (Vec::new(), Vec::new());
    for taken in taken {
        holds.extend(taken.holds);
        appends.extend(taken.appends);
    }
    appends.sort_unstable_by_key(|token| token.rev);
    for pair in appends.windows(2) {
        let fork = pair[0].rev == pair[1].rev;
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
