//! Two real processes, one of them stopped by SIGSTOP.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::RunId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::process::{Child, Command};

use crate::proofs::kill::{KillRange, ProcessEnd};
use crate::proofs::run_log::RunLog;
use crate::proofs::scripted::same_report;
use crate::stores::{Backend, Disk, Site};
use crate::victim::LEASE;

/// The stopped process may hold a lock of the database, so it goes on after a while in any case.
const LONGEST_STOP: Duration = Duration::from_secs(2);

/// Gives how many processes were stopped, and in how many cases one was refused.
pub(super) async fn stop_and_go(backend: Backend, wanted: u64, seed: u64) -> Result<(u64, u64)> {
    let site = Site::new(backend, Disk::Real).await?;
    let range = KillRange::new(&site, seed).await?;
    let mut chance = StdRng::seed_from_u64(seed);
    let (mut stopped, mut refused) = (0, 0);
    while stopped < wanted {
        let moment = chance.random_range(Duration::ZERO..range.took);
        let calls = chance.random_range(1..60);
        if let Some(was_refused) = one(&range, moment, calls).await? {
            stopped += 1;
            refused += u64::from(was_refused);
        }
    }
    Ok((stopped, refused))
}

/// The first process is stopped at a moment; it goes on when both have made so many calls. Tells
/// whether one was refused; nothing if the first had ended before its moment.
async fn one(range: &KillRange, moment: Duration, calls: usize) -> Result<Option<bool>> {
    let run = RunId::new();
    let mut first = range.start(run, 1)?;
    tokio::time::sleep(moment).await;
    if first.try_wait()?.is_some() {
        return Ok(None);
    }
    signal(&first, "STOP").await?;
    tokio::time::sleep(LEASE).await;
    let second = range.start(run, 2)?;
    tokio::select! {
        () = range.ledger.reached(run, calls) => {}
        () = tokio::time::sleep(LONGEST_STOP) => {}
    }
    signal(&first, "CONT").await?;

    let (mut reports, mut refused) = (0, false);
    for process in [first, second] {
        match ProcessEnd::wait_for(process).await? {
            ProcessEnd::Ended(text) => {
                same_report(&text, &range.report).with_context(|| format!("run {run}"))?;
                reports += 1;
            }
            ProcessEnd::Refused => refused = true,
            ProcessEnd::LeaseLapsed => {}
            ProcessEnd::Killed => bail!("run {run}: a process was killed by somebody else"),
        }
    }
    ensure!(reports > 0, "run {run}: no owner brought it to its end");
    let log = RunLog::sound(&*range.store, run).await?;
    ensure!(log.run.head.next.is_none(), "run {run} has not ended");
    range.judge(run, &[])?;
    Ok(Some(refused))
}

async fn signal(process: &Child, name: &str) -> Result<()> {
    let id = process.id().context("the process has ended too early")?;
    let mut kill = Command::new("kill");
    let sent = kill.args([format!("-{name}"), id.to_string()]).status();
    let sent = sent.await.context("there is no `kill`")?;
    ensure!(sent.success(), "the process could not be sent SIG{name}");
    Ok(())
}
