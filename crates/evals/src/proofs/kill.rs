//! T1: a real process is killed with SIGKILL at random moments and started again until it is done.
//!
//! The ledger says what each life of a run really did, the store what was recorded when it died. No
//! life may do again what was recorded before it, every run ends, and its report is, byte for byte,
//! that of a run that nobody killed.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
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

use super::run_log::RunLog;
use super::world::Effect;
use super::{Proof, Setting, research};
use crate::ledger::Ledger;
use crate::stores::{Backend, Disk, Site};
use crate::victim::{self, Orders};

/// How long the world takes to answer, at most.
const LONGEST_WAIT: Duration = Duration::from_millis(6);

/// Runs under way at the same time: most of a run's time is waiting.
const AT_ONCE: u32 = 4;

const MOST_KILLS: usize = 5;

/// Of a run whose processes may also end because they could not renew their lease in time.
const MOST_LIVES: u32 = 20;

/// A life that lasts longer than this hangs.
const LONGEST_LIFE: Duration = Duration::from_secs(60);

/// The proof, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T1",
        what: "kill -9 at random moments, 1 to 5 times a run",
        run: |setting| Box::pin(run(setting)),
    }
}

async fn run(setting: Setting) -> Result<String> {
    let wanted = [
        (Backend::Sqlite, setting.size.pick(30, 1_000)),
        (Backend::Postgres, setting.size.pick(10, 1_000)),
    ];
    let mut told = Vec::new();
    for (backend, kills) in wanted {
        let figures = on(backend, kills, setting.seed).await?;
        let KillFigures {
            runs,
            kills,
            mid_effect,
        } = figures;
        told.push(format!(
            "{}: {runs} runs, {kills} kills, {mid_effect} of them mid-effect",
            backend.name()
        ));
    }
    told.push("0 recorded effects or steps repeated, 0 lost runs".into());
    Ok(told.join("; "))
}

async fn on(backend: Backend, wanted: u64, seed: u64) -> Result<KillFigures> {
    let site = Site::new(backend, Disk::Real).await?;
    let range = KillRange::new(&site, seed).await?;
    let reference = range.unkilled().await?;
    let mut chance = StdRng::seed_from_u64(seed);
    let mut figures = KillFigures::default();
    while figures.kills < wanted {
        let some: Vec<Vec<KillMoment>> = (0..AT_ONCE)
            .map(|_| moments(&mut chance, reference.took))
            .collect();
        let some = some
            .into_iter()
            .map(|moments| range.killed(moments, &reference));
        for run in try_join_all(some).await? {
            figures.add(run);
        }
    }
    Ok(figures)
}

#[derive(Default)]
struct KillFigures {
    runs: u64,
    kills: u64,
    /// Kills that came while a call was made whose answer was not recorded yet.
    mid_effect: u64,
}

impl KillFigures {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.kills += other.kills;
        self.mid_effect += other.mid_effect;
    }
}

/// When a life ends.
enum KillMoment {
    /// So long after the process was started.
    After(Duration),
    /// So long after this life's call of that number arrived: while it is made, or its answer recorded.
    Call { number: usize, then: Duration },
}

/// The ends of a run's first lives: some while the process starts, some at any time, some at a call.
fn moments(chance: &mut StdRng, whole: Duration) -> Vec<KillMoment> {
    let kills = chance.random_range(1..=MOST_KILLS);
    let one = |_| match chance.random_range(0..6) {
        0 => KillMoment::After(chance.random_range(Duration::ZERO..Duration::from_millis(20))),
        1 | 2 => KillMoment::After(chance.random_range(Duration::ZERO..victim::LEASE + whole)),
        _ => KillMoment::Call {
            number: chance.random_range(1..=16),
            then: chance.random_range(Duration::ZERO..2 * LONGEST_WAIT),
        },
    };
    (0..kills).map(one).collect()
}

/// What runs are made and judged with.
pub(super) struct KillRange {
    pub(super) store: Arc<dyn Store>,
    pub(super) ledger: Ledger,
    program: PathBuf,
    address: String,
}

/// A run that nobody killed.
pub(super) struct UnkilledRun {
    pub(super) report: String,
    pub(super) took: Duration,
    effects: BTreeSet<Effect>,
}

impl KillRange {
    pub(super) async fn new(site: &Site, seed: u64) -> Result<Self> {
        Ok(Self {
            store: site.open().await?,
            ledger: Ledger::open(LONGEST_WAIT, seed).await?,
            program: victim::program()?,
            address: site.address()?,
        })
    }

    pub(super) async fn unkilled(&self) -> Result<UnkilledRun> {
        let (run, began) = (RunId::new(), Instant::now());
        let ProcessEnd::Ended(report) = self.life(run, 1, None).await? else {
            bail!("the run that was to be left alone was killed");
        };
        let took = began.elapsed();
        let effects = RunLog::sound(&*self.store, run).await?.recorded();
        ensure!(!effects.is_empty(), "the run recorded no effect");
        Ok(UnkilledRun {
            report,
            effects,
            took,
        })
    }

    /// One run, killed at each of the moments it lives to see, then left alone.
    async fn killed(
        &self,
        moments: Vec<KillMoment>,
        reference: &UnkilledRun,
    ) -> Result<KillFigures> {
        let run = RunId::new();
        let mut figures = KillFigures {
            runs: 1,
            ..KillFigures::default()
        };
        let mut recorded_at_death = Vec::new();
        let mut ends = moments.into_iter();
        let report = loop {
            let attempt = recorded_at_death.len() as u32 + 1;
            ensure!(attempt <= MOST_LIVES, "run {run} does not come to its end");
            let life = self.life(run, attempt, ends.next()).await;
            let killed = match life.with_context(|| format!("run {run}, life {attempt}"))? {
                ProcessEnd::Ended(report) => break report,
                ProcessEnd::Refused => bail!("run {run} was taken from life {attempt} by nobody"),
                ProcessEnd::Killed => true,
                ProcessEnd::LeaseLapsed => false,
            };
            let death = self.look_at(run).await?;
            figures.kills += u64::from(killed);
            figures.mid_effect += u64::from(killed && death.open > 0);
            recorded_at_death.push(death.recorded);
        };
        research::same_report(&report, &reference.report)
            .with_context(|| format!("run {run}, killed {} times", figures.kills))?;
        let log = RunLog::sound(&*self.store, run).await?;
        ensure!(log.woken_early()?.is_empty(), "run {run} woke too early");
        let effects = log.recorded();
        ensure!(
            effects == reference.effects,
            "run {run} recorded the effects {effects:?} instead of {:?}",
            reference.effects
        );
        self.judge(run, &recorded_at_death)?;
        Ok(figures)
    }

    /// Holds what each life did against what was recorded when the lives before it ended.
    pub(super) fn judge(&self, run: RunId, recorded_at_death: &[BTreeSet<Effect>]) -> Result<()> {
        let mut seen = BTreeSet::new();
        for call in self.ledger.calls(run) {
            let (attempt, effect) = (call.attempt, (call.step, call.key));
            let earlier = recorded_at_death.iter().take(attempt as usize - 1);
            for (death, recorded) in (1..).zip(earlier) {
                ensure!(
                    !recorded.contains(&effect),
                    "run {run}: effect {effect:?} was recorded when life {death} ended, and life {attempt} made it again"
                );
            }
            ensure!(
                seen.insert((attempt, effect.clone())),
                "run {run}: life {attempt} made effect {effect:?} twice"
            );
        }
        Ok(())
    }

    /// Looks at a run whose process has just died. Its log must be sound, and nothing may have been
    /// done that builds on what is not recorded.
    async fn look_at(&self, run: RunId) -> Result<DeathRecord> {
        let calls = self.ledger.calls(run);
        let (recorded, step) = match self.store.head(run).await {
            // It died before its run was admitted.
            Err(Error::NoSuchRun { .. }) => (BTreeSet::new(), None),
            _ => {
                let log = RunLog::sound(&*self.store, run).await?;
                (log.recorded(), Some(log.run.head.step))
            }
        };
        let effects = calls.into_iter().map(|call| (call.step, call.key));
        let open: BTreeSet<Effect> = effects
            .filter(|effect| !recorded.contains(effect))
            .collect();
        if let Some((early, _)) = open.iter().find(|(call, _)| Some(call - 1) != step) {
            bail!("run {run}: step {early} made calls, and what is recorded ends with {step:?}");
        }
        ensure!(
            open.len() <= research::AT_ONCE,
            "run {run}: {open:?} were made and none is recorded, more than are made at once"
        );
        let open = open.len();
        Ok(DeathRecord { recorded, open })
    }

    /// One process from its start to its end.
    async fn life(&self, run: RunId, attempt: u32, end: Option<KillMoment>) -> Result<ProcessEnd> {
        let mut process = self.start(run, attempt)?;
        if let Some(end) = end {
            tokio::select! {
                _ = process.wait() => {}
                () = self.reach(run, end) => process.start_kill()?,
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
        Command::new(&self.program)
            .args(orders.words())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the victim could not be started")
    }

    async fn reach(&self, run: RunId, moment: KillMoment) {
        match moment {
            KillMoment::After(wait) => tokio::time::sleep(wait).await,
            KillMoment::Call { number, then } => {
                let made = self.ledger.calls(run).len();
                self.ledger.reached(run, made + number).await;
                tokio::time::sleep(then).await;
            }
        }
    }
}

/// What was found when a process had died.
struct DeathRecord {
    recorded: BTreeSet<Effect>,
    /// Calls that were made, by this life or an earlier one, and are not recorded.
    open: usize,
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
