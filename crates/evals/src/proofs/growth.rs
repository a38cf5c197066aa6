//! T20: what a run leaves behind grows with its steps, not faster, and goes when the run goes.
//!
//! Runs whose every step brings the same number of bytes are weighed along the way: one that forgets
//! what it learnt, so that snapshots are written, and one that keeps it all, so that none is worth
//! its bytes. Then each is removed, and begun anew in the room it left.

mod scale;
mod tally;

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::record::Status;
use fathom_workflow::{Engine, NewRun, Progress, Store};
use futures::future::try_join_all;
use jiff::Timestamp;

use super::{Proof, Setting};
use crate::stores::{Backend, Disk, Site};
use scale::{Scale, Weight};
use tally::{Memory, Notes};

/// How far a step's bytes may lie from those of the first ten steps.
const TOLERANCE: f64 = 0.10;

pub fn proof() -> Proof {
    Proof {
        id: "T20",
        what: "growth and purge",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(setting: Setting) -> Result<String> {
    let weighed_at: &'static [u64] = setting
        .size
        .pick(&[10, 100, 1_000], &[10, 100, 1_000, 5_000]);
    let stores = [Backend::Sqlite, Backend::Postgres];
    let each = stores.into_iter().flat_map(|backend| {
        [Memory::Forgets, Memory::KeepsAll].map(|memory| async move {
            one_store(backend, memory, weighed_at)
                .await
                .with_context(|| format!("{}, a run that {memory}", backend.name()))
        })
    });
    let told = try_join_all(each).await?.join("; ");
    Ok(format!("bytes a step at {weighed_at:?} steps: {told}"))
}

/// Grows a run in a store of its own, removes it, and grows it again in the room it left.
async fn one_store(backend: Backend, memory: Memory, weighed_at: &[u64]) -> Result<String> {
    let site = Site::new(backend, Disk::Fast).await?;
    let store = site.open().await?;
    let scale = Scale::of(&site).await?;
    let steps = grow(&store, &scale, memory, weighed_at).await?.check()?;
    let first = scale.weigh().await?;
    purge(&store, &scale).await?;
    let told = format!("{}, {memory}: {steps}, purged to 0 rows", backend.name());
    let Some(size) = first.file else {
        return Ok(told);
    };
    grow(&store, &scale, memory, weighed_at).await?;
    let second = scale.weigh().await?.file.unwrap_or_default();
    let growth = second as f64 / size as f64 - 1.0;
    ensure!(
        growth <= TOLERANCE,
        "its file had {size} bytes, and {second} after the same run once more"
    );
    Ok(format!("{told}, {:+.1} % file once more", growth * 100.0))
}

/// What the first so many steps of a run weigh.
struct Curve(Vec<(u64, Weight)>);

impl Curve {
    /// The bytes a step, in words. Fails if they are not the same along the way.
    fn check(&self) -> Result<String> {
        let ((_, empty), grown) = self.0.split_first().context("a curve has a beginning")?;
        let a_step =
            |(steps, weight): &(u64, Weight)| (weight.bytes - empty.bytes) as f64 / *steps as f64;
        let all: Vec<f64> = grown.iter().map(a_step).collect();
        let first = all.first().context("a curve has points")?;
        let off = all.iter().map(|bytes| bytes / first - 1.0);
        let spread = off.fold(
            0.0,
            |worst: f64, off| if off.abs() > worst.abs() { off } else { worst },
        );
        let told: Vec<String> = all.iter().map(|bytes| format!("{bytes:.0}")).collect();
        let told = format!("{} ({:+.1} %)", told.join(" "), spread * 100.0);
        ensure!(spread.abs() <= TOLERANCE, "a step costs {told}");
        Ok(told)
    }
}

async fn grow(
    store: &Arc<dyn Store>,
    scale: &Scale,
    memory: Memory,
    weighed_at: &[u64],
) -> Result<Curve> {
    let last = *weighed_at.last().context("it is weighed somewhere")?;
    let engine = Engine::new(tally::graph()?, Arc::clone(store), Arc::new(()));
    let notes = Notes::new(memory, last);
    let mut execution = engine.start(NewRun::titled("growth"), notes).await?;
    let mut curve = vec![(0, scale.weigh().await?)];
    for step in 1..=last {
        match execution.advance().await? {
            Progress::Ran { .. } => {}
            Progress::Done(outcome) if step == last && outcome.status == Status::Completed => {}
            other => bail!("step {step} brought {other:?}"),
        }
        if weighed_at.contains(&step) {
            curve.push((step, scale.weigh().await?));
        }
    }
    Ok(Curve(curve))
}

async fn purge(store: &Arc<dyn Store>, scale: &Scale) -> Result<()> {
    let before = scale.weigh().await?;
    ensure!(
        before.empty.iter().all(|table| table == "snapshots"),
        "nothing was written to {:?}, so purging proves nothing there",
        before.empty
    );
    let purged = store.purge(Timestamp::MAX).await?;
    let left = scale.weigh().await?;
    ensure!(
        purged.runs == 1 && left.rows == 0,
        "{purged:?}, but {} rows are left",
        left.rows
    );
    Ok(())
}
