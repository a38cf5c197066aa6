//! The runs that are damaged: between them they fill every table and take every kind of record.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{BlobHash, Clock, ManualClock, NewRun, RunId, Store};
use jiff::Timestamp;

use crate::proofs::lab;
use crate::proofs::scripted::{Act, ScriptedEngine, ScriptedRun, scripted, text};
use crate::proofs::world::ObservedWorld;

/// The workflow of every run in it.
pub(super) const WORKFLOW: &str = "notebook";

/// Steps enough for the engine to write a snapshot.
const LONG: u64 = 270;
/// Over the size from which a body is kept apart.
const LARGE: usize = 270_000;
const PAGE: usize = 10_000;
const WITHIN: Duration = Duration::from_secs(3600);
/// When the runs were made, in seconds since 1970.
const MADE_AT: i64 = 1_770_000_000;

/// A store filled with runs, and what to look for in it.
pub(super) struct Specimen {
    pub(super) runs: Vec<RunId>,
    /// Bytes kept beside the log, with the run that kept them.
    pub(super) blobs: Vec<(RunId, BlobHash)>,
    /// Runs that wait or have not begun.
    pub(super) unfinished: Vec<RunId>,
}

/// Fills a store. The engine's clock stands still, so that nothing depends on how long it takes.
pub(super) async fn fill(store: Arc<dyn Store>) -> Result<Specimen> {
    let clock = Arc::new(ManualClock::at(Timestamp::from_second(MADE_AT)?));
    let engine = engine_by(store, Arc::clone(&clock) as _)?;
    let jot = || vec![Act::Note(40)];
    let calls = || vec![Act::Call, Act::Call, Act::Call, Act::Spend(17)];
    let keep = || vec![Act::Keep(PAGE)];
    let asks = || {
        let within_s = Some(WITHIN.as_secs());
        ScriptedRun::new(vec![calls(), vec![Act::Ask { within_s }], jot()])
    };
    let run = async |state: ScriptedRun, ends: Status| {
        let mut execution = engine.start(NewRun::titled("a notebook"), state).await?;
        let outcome = execution.run().await?;
        ensure!(outcome.status == ends, "it ended {outcome:?}");
        anyhow::Ok(execution.id())
    };
    let long = ScriptedRun::repeated(jot(), LONG, false);
    let rich = vec![calls(), vec![Act::Fetch(LARGE)], keep(), jot()];
    let large = vec![keep(), vec![Act::Note(LARGE)], jot()];
    let rests = vec![vec![Act::Call, Act::Park { for_ms: 600_000 }], jot()];
    let fails = ScriptedRun::new(vec![calls(), vec![Act::Fail]]);

    let long = run(long, Status::Completed).await?;
    let rich = run(ScriptedRun::new(rich), Status::Completed).await?;
    let failed = run(fails, Status::Failed).await?;
    let large = run(ScriptedRun::new(large), Status::Completed).await?;
    let reopened = run(asks(), Status::Waiting).await?;
    clock.advance(WITHIN);
    engine.open(reopened).await?.run().await?;
    let late = Decision::new(Verdict::Modify, "a latecomer");
    engine.reopen(reopened, late).await?;
    engine.open(reopened).await?.run().await?;
    let waiting = run(asks(), Status::Waiting).await?;
    let parked = run(ScriptedRun::new(rests), Status::Waiting).await?;
    let young = ScriptedRun::new(vec![calls(), keep()]);
    let young = engine.start(NewRun::titled("young"), young).await?.id();
    let kept = |run, step| BlobHash::from_content(text(run, step, PAGE).as_bytes());
    Ok(Specimen {
        runs: vec![long, rich, failed, large, reopened, waiting, parked, young],
        blobs: vec![(rich, kept(rich, 3)), (large, kept(large, 1))],
        unfinished: vec![waiting, parked, young],
    })
}

/// Lets an unfinished run go on to its end, and gives what it brought.
pub(super) async fn go_on(store: &Arc<dyn Store>, run: RunId) -> Result<Vec<String>> {
    let engine = engine(Arc::clone(store))?;
    let ended = engine.open(run).await?.run().await?;
    ensure!(ended.status == Status::Completed, "it ended {ended:?}");
    let view = engine.view(run, None).await?;
    ensure!(view.damage.is_none(), "it ended damaged: {:?}", view.damage);
    Ok(view.state.lines)
}

/// Begins a new run and ends it.
pub(super) async fn another(store: &Arc<dyn Store>) -> Result<()> {
    let keep = vec![Act::Keep(PAGE), Act::Note(40)];
    let new = ScriptedRun::new(vec![vec![Act::Call, Act::Call], keep]);
    let engine = engine(Arc::clone(store))?;
    let run = engine.start(NewRun::titled("another"), new).await?.id();
    let lines = go_on(store, run).await?.len();
    ensure!(lines == 3, "it brought {lines} lines, not 3");
    Ok(())
}

/// An engine to read the specimen with, or to go on with it.
pub(super) fn engine(store: Arc<dyn Store>) -> Result<ScriptedEngine> {
    let long_after = Timestamp::from_second(MADE_AT)? + 2 * WITHIN;
    engine_by(store, Arc::new(ManualClock::at(long_after)))
}

/// The young run's creator is gone at once, and nobody is to wait for its lease.
fn engine_by(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Result<ScriptedEngine> {
    let (graph, world) = (scripted(WORKFLOW)?, ObservedWorld::new(None));
    Ok(lab::engine(graph, store, &world, clock, Duration::ZERO))
}
