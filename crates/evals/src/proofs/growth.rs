//! T20: what a run leaves behind grows with its steps, not faster, and goes when the run goes.
//!
//! Runs whose every step brings the same number of bytes are weighed along the way: one that forgets
//! what it learnt, so that snapshots are written, and one that keeps it all, so that none is worth
//! its bytes. Then each is removed, and one more finds room where it lay.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::record::Status;
use fathom_workflow::{Engine, NewRun, Progress, Store};
use futures::future::try_join_all;
use jiff::Timestamp;

use super::Setting;
use super::scripted::{Act, ScriptedRun, scripted};
use super::world::{Deps, ObservedWorld};
use crate::stores::{Backend, Disk, Site};
use crate::weight::Scale;

/// How far a step's bytes may lie from those of the first ten steps.
const TOLERANCE: f64 = 0.10;

/// What every step brings, in bytes: a call's answer, a page kept beside the log, a note.
const TURN: [Act; 3] = [Act::Fetch(400), Act::Keep(1_000), Act::Note(300)];

pub(super) async fn prove(setting: Setting) -> Result<String> {
    let quick: &'static [u64] = &[10, 100, 1_000];
    let weighed_at = setting.size.pick(quick, &[10, 100, 1_000, 5_000]);
    let stores = [Backend::Sqlite, Backend::Postgres];
    let each = stores.into_iter().flat_map(|backend| {
        [true, false].map(|forgets| async move {
            let what = if forgets { "forgets" } else { "keeps all" };
            let name = format!("{}, {what}", backend.name());
            let told = one_store(backend, forgets, weighed_at).await;
            let told = told.with_context(|| name.clone())?;
            anyhow::Ok(format!("{name}: {told}"))
        })
    });
    let told = try_join_all(each).await?.join("; ");
    Ok(format!("bytes a step at {weighed_at:?} steps: {told}"))
}

/// Grows a run in a store of its own, and removes it.
async fn one_store(backend: Backend, forgets: bool, weighed_at: &[u64]) -> Result<String> {
    let site = Site::new(backend, Disk::Fast).await?;
    let store = site.open().await?;
    let scale = Scale::new(&site).await?;
    let steps = grow(&store, &scale, forgets, weighed_at).await?;
    let before = scale.weigh().await?;
    ensure!(
        before.empty.iter().all(|table| table == "snapshots"),
        "nothing was written to {:?}, so purging proves nothing there",
        before.empty
    );
    let purged = store.purge(Timestamp::MAX).await?;
    let left = scale.weigh().await?.rows;
    ensure!(
        purged.runs == 1 && left == 0,
        "{purged:?}, but {left} rows are left"
    );
    grow(&store, &scale, forgets, weighed_at).await?;
    let (was, is) = (before.disk as f64, scale.weigh().await?.disk as f64);
    // PostgreSQL gives room back when it is vacuumed, at a time of its own.
    ensure!(
        backend != Backend::Sqlite || is <= was * (1.0 + TOLERANCE),
        "in the room of a run of {was} bytes another takes {is}"
    );
    Ok(format!("{steps}, purged to 0 rows and grown again"))
}

/// Grows a run and tells its bytes a step. Fails if they are not the same along the way.
async fn grow(
    store: &Arc<dyn Store>,
    scale: &Scale,
    forgets: bool,
    weighed_at: &[u64],
) -> Result<String> {
    let last = *weighed_at.last().context("it is weighed somewhere")?;
    let deps = Arc::new(Deps(ObservedWorld::new(None)));
    let engine = Engine::new(scripted("growth")?, Arc::clone(store), deps);
    let run = ScriptedRun::repeated(TURN.to_vec(), last, forgets);
    let mut execution = engine.start(NewRun::titled("growth"), run).await?;
    let empty = scale.weigh().await?.bytes;
    let mut a_step = Vec::new();
    for step in 1..=last {
        match execution.advance().await? {
            Progress::Ran { .. } => {}
            Progress::Done(outcome) if step == last && outcome.status == Status::Completed => {}
            other => bail!("step {step} brought {other:?}"),
        }
        if weighed_at.contains(&step) {
            let bytes = scale.weigh().await?.bytes - empty;
            a_step.push(bytes as f64 / step as f64);
        }
    }
    let off = a_step.iter().map(|bytes| bytes / a_step[0] - 1.0);
    let worst = off.max_by(|one, other| one.abs().total_cmp(&other.abs()));
    let worst = worst.unwrap_or_default();
    let told: Vec<String> = a_step.iter().map(|bytes| format!("{bytes:.0}")).collect();
    let told = format!("{} ({:+.1} %)", told.join(" "), worst * 100.0);
    ensure!(worst.abs() <= TOLERANCE, "a step costs {told}");
    Ok(told)
}
