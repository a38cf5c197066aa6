//! Two real processes, one of them stopped by SIGSTOP.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fathom_workflow::RunId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::process::{Child, Command};

use super::OwnerFigures;
use crate::proofs::kill::{KillRange, ProcessEnd};
use crate::proofs::research;
use crate::proofs::run_log::RunLog;
use crate::stores::{Backend, Disk, Site};
use crate::victim::LEASE;

/// The stopped process may hold a lock of the database, so it goes on after a while in any case.
const LONGEST_STOP: Duration = Duration::from_secs(2);

pub(super) async fn stop_and_go(backend: Backend, wanted: u64, seed: u64) -> Result<OwnerFigures> {
    let site = Site::new(backend, Disk::Real).await?;
    let range = KillRange::new(&site, seed).await?;
    let reference = range.unkilled().await?;
    let mut chance = StdRng::seed_from_u64(seed);
    let mut figures = OwnerFigures::default();
    while figures.stopped < wanted {
        let moment = chance.random_range(Duration::ZERO..reference.took);
        let calls = chance.random_range(1..60);
        figures.add(one(&range, &reference.report, moment, calls).await?);
    }
    Ok(figures)
}

/// The first process is stopped at a moment; it goes on when both have made so many calls.
async fn one(
    range: &KillRange,
    report: &str,
    moment: Duration,
    calls: usize,
) -> Result<OwnerFigures> {
    let run = RunId::new();
    let mut first = range.start(run, 1)?;
    tokio::time::sleep(moment).await;
    if first.try_wait()?.is_some() {
        return Ok(OwnerFigures::default());
    }
    signal(&first, "STOP").await?;
    tokio::time::sleep(LEASE).await;
    let second = range.start(run, 2)?;
    tokio::select! {
        () = range.ledger.reached(run, calls) => {}
        () = tokio::time::sleep(LONGEST_STOP) => {}
    }
    signal(&first, "CONT").await?;

    let (first, second) = (
        ProcessEnd::wait_for(first).await?,
        ProcessEnd::wait_for(second).await?,
    );
    let refused = matches!(first, ProcessEnd::Refused) || matches!(second, ProcessEnd::Refused);
    let mut reports = 0;
    for (life, end) in (1..).zip([first, second]) {
        match end {
            ProcessEnd::Ended(text) => {
                research::same_report(&text, report)
                    .with_context(|| format!("run {run}, life {life}"))?;
                reports += 1;
            }
            ProcessEnd::Refused | ProcessEnd::LeaseLapsed => {}
            ProcessEnd::Killed => {
                anyhow::bail!("run {run}: life {life} was killed by somebody else")
            }
        }
    }
    ensure!(reports > 0, "run {run}: no owner brought it to its end");
    let log = RunLog::sound(&*range.store, run).await?;
    ensure!(log.run.head.next.is_none(), "run {run} has not ended");
    range.judge(run, &[])?;
    Ok(OwnerFigures {
        stopped: 1,
        refused: u64::from(refused),
    })
}

async fn signal(process: &Child, name: &str) -> Result<()> {
    let id = process.id().context("the process has ended too early")?;
    let done = Command::new("kill")
        .args([format!("-{name}"), id.to_string()])
        .status()
        .await
        .context("there is no `kill`")?;
    ensure!(done.success(), "the process could not be sent SIG{name}");
    Ok(())
}
