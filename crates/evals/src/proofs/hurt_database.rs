//! T8 and T9: many runs under way at once, over a PostgreSQL that is hurt meanwhile.
//!
//! T8 restarts the server every second or so, now in good order, now like a crash. T9 gives sixty runs
//! two connections and kills the sessions behind them. Nobody kills the processes here, so no run may
//! fail, be lost or hang, and not even a call in flight may be repeated.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fathom_store::{Postgres, PostgresOptions};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Engine, MemoryStore, NewRun, RunId, Store, fan_out};
use futures::future::try_join_all;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio_postgres::NoTls;
use xtask::postgres::{Cluster, Stop};

use super::lab::ResearchEngine;
use super::research::{self, Research};
use super::run_log::RunLog;
use super::world::{Deps, Effect, ObservedWorld, Pace};
use super::{Proof, Setting};
use crate::stores::{Backend, Disk, Site};

/// Runs under way at once while the server restarts.
const RUNS_OVER_RESTARTS: usize = 12;
/// How long the server stays up between restarts, in milliseconds.
const UP_MS: std::ops::Range<u64> = 500..2_000;

/// Runs that share a pool, and the connections it has.
const RUNS_OVER_POOL: usize = 60;
const CONNECTIONS: usize = 2;
/// A session lives about this long.
const KILL_EVERY: Duration = Duration::from_millis(50);

/// How long a call takes, at most.
const LONGEST_CALL: Duration = Duration::from_millis(5);
/// Whatever takes longer hangs.
const LONGEST: Duration = Duration::from_secs(900);
/// Runs checked at once, when the load is over.
const CHECKED_AT_ONCE: usize = 4;

/// T8, for the list.
pub fn restarts() -> Proof {
    Proof {
        id: "T8",
        what: "PostgreSQL restarted under load",
        run: |setting| Box::pin(prove_restarts(setting)),
    }
}

/// T9, for the list.
pub fn killed_sessions() -> Proof {
    Proof {
        id: "T9",
        what: "a small pool of connections that are killed",
        run: |setting| Box::pin(prove_killed_sessions(setting)),
    }
}

async fn prove_restarts(setting: Setting) -> Result<String> {
    let (runs, wanted) = setting.size.pick((30, 3), (500, 20));
    let mut cluster = tokio::task::spawn_blocking(Cluster::start).await??;
    let connect = async || anyhow::Ok(Arc::new(Postgres::connect(&cluster.url()).await?) as _);
    let load = Load::new([connect().await?, connect().await?])?;

    let (fast, immediate) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let counts = Arc::new((fast, immediate, AtomicBool::new(false)));
    let restarting = tokio::task::spawn_blocking({
        let counts = Arc::clone(&counts);
        let mut rng = SmallRng::seed_from_u64(setting.seed);
        move || {
            let (fast, immediate, over) = &*counts;
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(rng.random_range(UP_MS)));
                let (stop, count) = if rng.random_bool(0.5) {
                    (Stop::Immediate, immediate)
                } else {
                    (Stop::Fast, fast)
                };
                cluster.restart(stop)?;
                count.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(cluster)
        }
    });
    let restarts = || counts.0.load(Ordering::Relaxed) + counts.1.load(Ordering::Relaxed);
    let bearing = load.bear(RUNS_OVER_RESTARTS, |completed| {
        completed >= runs && restarts() >= wanted
    });
    let borne = tokio::time::timeout(LONGEST, bearing).await;
    counts.2.store(true, Ordering::Relaxed);
    // The server stays up, with its last restart done, until the runs are checked.
    let _cluster = restarting.await??;
    borne.context("the runs hang")??;
    let (ended, calls) = load.check().await?;
    Ok(format!(
        "{ended} runs with {calls} calls over {} restarts in good order and {} like a crash: \
         0 failed, 0 lost, 0 doubled",
        counts.0.load(Ordering::Relaxed),
        counts.1.load(Ordering::Relaxed)
    ))
}

async fn prove_killed_sessions(setting: Setting) -> Result<String> {
    let (runs, kills) = setting.size.pick((60, 30), (1_000, 500));
    let site = Site::new(Backend::Postgres, Disk::Fast).await?;
    // Their name tells the sessions of this proof from all others.
    let name = format!("pool{}", uuid::Uuid::now_v7().simple());
    let url = format!("{}&application_name={name}", site.address()?);
    let options = PostgresOptions {
        connections: CONNECTIONS,
        ..PostgresOptions::default()
    };
    let store: Arc<dyn Store> = Arc::new(Postgres::connect_with(&url, options).await?);
    let load = Load::new([store])?;

    let killed = Arc::new(AtomicUsize::new(0));
    let killing = tokio::spawn(kill_sessions(
        site.address()?,
        name,
        Arc::clone(&killed),
        SmallRng::seed_from_u64(setting.seed),
    ));
    let bearing = load.bear(RUNS_OVER_POOL, |completed| {
        completed >= runs && killed.load(Ordering::Relaxed) >= kills
    });
    let borne = tokio::time::timeout(LONGEST, bearing).await;
    let killing_failed = killing.is_finished();
    killing.abort();
    borne.context("the runs are stuck")??;
    ensure!(!killing_failed, "the sessions could not be killed");
    let (ended, calls) = load.check().await?;
    let killed = killed.load(Ordering::Relaxed);
    Ok(format!(
        "{ended} runs with {calls} calls, {RUNS_OVER_POOL} in flight over {CONNECTIONS} connections, \
         {killed} sessions killed: 0 stuck, 0 failed, 0 doubled"
    ))
}

/// Ends the sessions of one name, one at a time, for ever.
async fn kill_sessions(
    url: String,
    name: String,
    killed: Arc<AtomicUsize>,
    mut rng: SmallRng,
) -> Result<()> {
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    tokio::spawn(connection);
    let one = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = $1 ORDER BY random() LIMIT 1";
    loop {
        tokio::time::sleep(KILL_EVERY.mul_f64(rng.random_range(0.5..1.5))).await;
        let ended = client.query_opt(one, &[&name]).await?;
        if ended.is_some_and(|row| row.get(0)) {
            killed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Engines over one database, as so many processes would have it, and the runs they were given.
struct Load {
    engines: Vec<ResearchEngine>,
    world: Arc<ObservedWorld>,
    runs: Mutex<Vec<RunId>>,
    completed: AtomicUsize,
}

impl Load {
    fn new(stores: impl IntoIterator<Item = Arc<dyn Store>>) -> Result<Self> {
        let world = Arc::new(ObservedWorld::new(None, Pace::UpTo(LONGEST_CALL)));
        let mut engines = Vec::new();
        for store in stores {
            let deps = Arc::new(Deps(Arc::clone(&world) as _));
            engines.push(Engine::new(research::eventful()?, store, deps));
        }
        Ok(Self {
            engines,
            world,
            runs: Mutex::default(),
            completed: AtomicUsize::new(0),
        })
    }

    /// Keeps `at_once` runs under way until `enough` have completed. Fails with the first that fails.
    async fn bear(&self, at_once: usize, enough: impl Fn(usize) -> bool + Sync) -> Result<()> {
        let workers = (0..at_once).map(|worker| {
            let enough = &enough;
            async move {
                while !enough(self.completed.load(Ordering::Relaxed)) {
                    let new = NewRun::titled("under load");
                    let run = new.id;
                    let done = self.one_run(worker, new).await;
                    done.with_context(|| format!("run {run} failed"))?;
                    self.completed.fetch_add(1, Ordering::Relaxed);
                }
                anyhow::Ok(())
            }
        });
        try_join_all(workers).await.map(drop)
    }

    /// A run that one engine begins, a person lets go on, and the next engine ends.
    async fn one_run(&self, worker: usize, new: NewRun) -> Result<()> {
        let (run, engine) = (new.id, self.engine(worker));
        let mut execution = engine.start(new, Research::default()).await?;
        self.runs().push(run);
        let parked = execution.run().await?;
        ensure!(parked.status == Status::Waiting, "it began with {parked:?}");
        drop(execution);
        let gate = engine.gate(run).await?;
        let decision = Decision::new(Verdict::Approve, "a person");
        engine.decide(&gate, decision).await?;
        let ended = self.engine(worker + 1).open(run).await?.run().await?;
        ensure!(ended.status == Status::Completed, "it ended with {ended:?}");
        Ok(())
    }

    fn engine(&self, worker: usize) -> &ResearchEngine {
        &self.engines[worker % self.engines.len()]
    }

    fn runs(&self) -> MutexGuard<'_, Vec<RunId>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that every run is there, whole, and that each of its calls was made once. Gives how
    /// many runs and calls there were.
    async fn check(&self) -> Result<(usize, usize)> {
        let undisturbed = Self::new([Arc::new(MemoryStore::new()) as Arc<dyn Store>])?;
        undisturbed.bear(1, |completed| completed == 1).await?;
        let run = undisturbed.runs()[0];
        let wanted = undisturbed.engine(0).view(run, None).await?.state;
        let runs = self.runs().clone();
        let check = |run| self.check_run(run, &wanted);
        let calls = fan_out(runs.clone(), CHECKED_AT_ONCE, check).await;
        let calls: Result<Vec<usize>> = calls.into_iter().collect();
        Ok((runs.len(), calls?.iter().sum()))
    }

    async fn check_run(&self, run: RunId, wanted: &Research) -> Result<usize> {
        let engine = self.engine(0);
        let log = RunLog::sound(&**engine.store(), run).await?;
        let status = &log.run.head.status;
        ensure!(*status == Status::Completed, "run {run} is {status}");
        let state = engine.view(run, None).await?.state;
        ensure!(state == *wanted, "run {run} came to another end");
        let made = self.world.calls(run);
        if let Some((effect, times)) = made.iter().find(|(_, times)| **times != 1) {
            anyhow::bail!("run {run} made effect {effect:?} {times} times");
        }
        let made: BTreeSet<Effect> = made.into_keys().collect();
        ensure!(
            made == log.recorded(),
            "run {run} recorded other calls than it made"
        );
        Ok(made.len())
    }
}
