//! T1: a real process is killed with SIGKILL at random moments and started again until it is done.
//!
//! The ledger says what each life of a run really did, the store what was recorded when it died. No
//! life may do again what was recorded before it, every run ends, and its report is, byte for byte,
//! that of a run that nobody killed.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::{Error, RunId, Store};
use futures::future::try_join_all;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use super::Setting;
use super::run_log::RunLog;
use super::scripted::{AT_ONCE, same_report};
use super::world::Effect;
use crate::ledger::Ledger;
use crate::stores::{Backend, Disk, Site};
use crate::victim::{self, Orders};

/// How long the world takes to answer, at most.
const LONGEST_WAIT: Duration = Duration::from_millis(6);

/// Runs under way at the same time: most of a run's time is waiting.
const RUNS_AT_ONCE: u32 = 4;

const MOST_KILLS: usize = 5;

/// Of a run whose processes may also end because they could not renew their lease in time.
const MOST_LIVES: u32 = 20;

/// A life that lasts longer than this hangs.
const LONGEST_LIFE: Duration = Duration::from_secs(60);

pub(super) async fn prove(Setting { size, seed }: Setting) -> Result<String> {
    let mut told = Vec::new();
    for (backend, quick) in [(Backend::Sqlite, 30), (Backend::Postgres, 10)] {
        let site = Site::new(backend, Disk::Real).await?;
        let range = KillRange::new(&site, seed).await?;
        let mut chance = StdRng::seed_from_u64(seed);
        let (mut runs, mut kills, mut mid_effect) = (0, 0, 0);
        while kills < size.pick(quick, 1_000) {
            let lives: Vec<_> = (0..RUNS_AT_ONCE)
                .map(|_| moments(&mut chance, range.took))
                .collect();
            for (killed, open) in try_join_all(lives.into_iter().map(|it| range.killed(it))).await?
            {
                (runs, kills, mid_effect) = (runs + 1, kills + killed, mid_effect + open);
            }
        }
        told.push(format!(
            "{}: {runs} runs, {kills} kills, {mid_effect} of them mid-effect",
            backend.name()
        ));
    }
    told.push("0 recorded effects or steps repeated, 0 lost runs".into());
    Ok(told.join("; "))
}

/// When a life ends: so long after its start, or after this life's call of that number arrived.
struct KillMoment {
    calls: usize,
    then: Duration,
}

/// The ends of a run's first lives: some while the process starts, some at any time, some at a call.
fn moments(chance: &mut StdRng, whole: Duration) -> Vec<KillMoment> {
    let kills = chance.random_range(1..=MOST_KILLS);
    let one = |_| {
        let (calls, longest) = match chance.random_range(0..6) {
            0 => (0, Duration::from_millis(20)),
            1 | 2 => (0, victim::LEASE + whole),
            _ => (chance.random_range(1..=16), 2 * LONGEST_WAIT),
        };
        let then = chance.random_range(Duration::ZERO..longest);
        KillMoment { calls, then }
    };
    (0..kills).map(one).collect()
}

/// What runs are made and judged with, and what a run comes to that nobody kills.
pub(super) struct KillRange {
    pub(super) store: Arc<dyn Store>,
    pub(super) ledger: Ledger,
    address: String,
    pub(super) report: String,
    pub(super) took: Duration,
    effects: BTreeSet<Effect>,
}

impl KillRange {
    pub(super) async fn new(site: &Site, seed: u64) -> Result<Self> {
        let mut range = Self {
            store: site.open().await?,
            ledger: Ledger::open(LONGEST_WAIT, seed).await?,
            address: site.address()?,
            report: String::new(),
            took: Duration::ZERO,
            effects: BTreeSet::new(),
        };
        let (run, began) = (RunId::new(), Instant::now());
        let ProcessEnd::Ended(report) = range.life(run, 1, None).await? else {
            bail!("the run that was to be left alone was killed");
        };
        range.took = began.elapsed();
        range.report = report;
        range.effects = RunLog::sound(&*range.store, run).await?.recorded();
        ensure!(!range.effects.is_empty(), "the run recorded no effect");
        Ok(range)
    }

    /// One run, killed at each of the moments it lives to see, then left alone. Gives the kills, and
    /// how many came while a call was made whose answer was not recorded yet.
    async fn killed(&self, moments: Vec<KillMoment>) -> Result<(u64, u64)> {
        let run = RunId::new();
        let (mut kills, mut mid_effect, mut recorded_at_death) = (0, 0, Vec::new());
        let mut ends = moments.into_iter();
        let report = loop {
            let attempt = recorded_at_death.len() as u32 + 1;
            ensure!(attempt <= MOST_LIVES, "run {run} does not come to its end");
            let life = self.life(run, attempt, ends.next()).await;
            // Before what the process says of itself.
            self.judge(run, &recorded_at_death)?;
            let end = life.with_context(|| format!("run {run}, life {attempt}"))?;
            let (recorded, open) = match &end {
                ProcessEnd::Ended(report) => break report.clone(),
                ProcessEnd::Refused => bail!("run {run} was taken from life {attempt} by nobody"),
                ProcessEnd::Killed | ProcessEnd::LeaseLapsed => self.look_at(run).await?,
            };
            let killed = matches!(end, ProcessEnd::Killed);
            kills += u64::from(killed);
            mid_effect += u64::from(killed && open > 0);
            recorded_at_death.push(recorded);
        };
        same_report(&report, &self.report)
            .with_context(|| format!("run {run}, killed {kills} times"))?;
        let log = RunLog::sound(&*self.store, run).await?;
        ensure!(log.woken_early()?.is_empty(), "run {run} woke too early");
        let effects = log.recorded();
        ensure!(
            effects == self.effects,
            "run {run} recorded the effects {effects:?} instead of {:?}",
            self.effects
        );
        Ok((kills, mid_effect))
    }

    /// Holds what each life did against what was recorded when the lives before it ended.
    pub(super) fn judge(&self, run: RunId, recorded_at_death: &[BTreeSet<Effect>]) -> Result<()> {
        let mut seen = BTreeSet::new();
        for call in self.ledger.calls(run) {
            let (attempt, effect) = (call.attempt, (call.step, call.key));
            let mut earlier = recorded_at_death.iter().take(attempt as usize - 1);
            ensure!(
                !earlier.any(|recorded| recorded.contains(&effect)),
                "run {run}: life {attempt} made {effect:?} again, which an earlier one had recorded"
            );
            ensure!(
                seen.insert((attempt, effect.clone())),
                "run {run}: life {attempt} made effect {effect:?} twice"
            );
        }
        Ok(())
    }

    /// Looks at a run whose process has just died. Its log must be sound, and nothing may have been
    /// done that builds on what is not recorded. Gives what is recorded, and how much else was done.
    async fn look_at(&self, run: RunId) -> Result<(BTreeSet<Effect>, usize)> {
        let calls = self.ledger.calls(run);
        let (recorded, step) = match self.store.head(run).await {
            // It died before its run was admitted.
            Err(Error::NoSuchRun { .. }) => (BTreeSet::new(), None),
            _ => {
                let log = RunLog::sound(&*self.store, run).await?;
                (log.recorded(), Some(log.run.head.step))
            }
        };
        let made: BTreeSet<Effect> = calls.into_iter().map(|it| (it.step, it.key)).collect();
        let open = &made - &recorded;
        if let Some((early, _)) = open.iter().find(|(call, _)| Some(call - 1) != step) {
            bail!("run {run}: step {early} made calls, and what is recorded ends with {step:?}");
        }
        ensure!(
            open.len() <= AT_ONCE,
            "run {run}: {open:?} were made and none is recorded, more than are made at once"
        );
        Ok((recorded, open.len()))
    }

    /// One process from its start to its end.
    async fn life(&self, run: RunId, attempt: u32, end: Option<KillMoment>) -> Result<ProcessEnd> {
        let made = self.ledger.calls(run).len();
        let mut process = self.start(run, attempt)?;
        if let Some(KillMoment { calls, then }) = end {
            let reached = async {
                self.ledger.reached(run, made + calls).await;
                tokio::time::sleep(then).await;
            };
            tokio::select! {
                _ = process.wait() => {}
                () = reached => process.start_kill()?,
            }
        }
        ProcessEnd::wait_for(process).await
    }

    pub(super) fn start(&self, run: RunId, attempt: u32) -> Result<Child> {
        let orders = Orders {
            store: self.address.clone(),
            run,
            ledger: self.ledger.url().to_owned(),
            attempt,
        };
        Command::new(victim::program()?)
            .args(orders.words())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the victim could not be started")
    }
}

/// How a life ended.
pub(super) enum ProcessEnd {
    /// By our hand.
    Killed,
    /// With a report.
    Ended(String),
    /// Another process had taken its run over.
    Refused,
    /// By itself, because it could not renew its lease in time.
    LeaseLapsed,
}

impl ProcessEnd {
    /// Waits for a process; any other end is a fault.
    pub(super) async fn wait_for(mut process: Child) -> Result<Self> {
        const SIGKILL: i32 = 9;
        let status = tokio::time::timeout(LONGEST_LIFE, process.wait())
            .await
            .with_context(|| format!("a process did not end within {LONGEST_LIFE:?}"))??;
        let mut said = String::new();
        if let Some(mut output) = process.stdout.take() {
            output.read_to_string(&mut said).await?;
        }
        match (status.code(), status.signal()) {
            (Some(0), _) => Ok(Self::Ended(said)),
            (Some(code), _) if code == i32::from(victim::SUPERSEDED) => Ok(Self::Refused),
            (Some(code), _) if code == i32::from(victim::LEASE_LAPSED) => Ok(Self::LeaseLapsed),
            (_, Some(SIGKILL)) => Ok(Self::Killed),
            _ => bail!("the process ended with {status}: {}", said.trim_end()),
        }
    }
}
