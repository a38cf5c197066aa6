//! T8 and T9: many runs under way at once, over a PostgreSQL that is hurt meanwhile.
//!
//! T8 restarts the server every second or so, now in good order, now like a crash. T9 gives sixty runs
//! two connections and kills the sessions behind them. Nobody kills the processes here, so no run may
//! fail, be lost or hang, and not even a call in flight may be repeated.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fathom_store::{Postgres, PostgresOptions};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{MemoryStore, NewRun, RunId, RuntimeSettings, Store, SystemClock};
use futures::future::try_join_all;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio::runtime::Handle;
use tokio_postgres::NoTls;
use xtask::postgres::{Cluster, Stop};

use super::lab::engine;
use super::run_log::RunLog;
use super::scripted::{ScriptedEngine, ScriptedRun, rescued};
use super::world::{Effect, ObservedWorld};
use super::{Proof, Setting};

/// How long a call takes, at most.
const LONGEST_CALL: Duration = Duration::from_millis(5);
/// Whatever takes longer hangs.
const LONGEST: Duration = Duration::from_secs(900);

/// T8, for the list.
pub fn restarts() -> Proof {
    Proof {
        id: "T8",
        what: "PostgreSQL restarted under load",
        run: |setting| Box::pin(prove(setting, RESTARTS)),
    }
}

/// T9, for the list.
pub fn killed_sessions() -> Proof {
    Proof {
        id: "T9",
        what: "a small pool of connections that are killed",
        run: |setting| Box::pin(prove(setting, KILLED_SESSIONS)),
    }
}

/// What is done to the server, and what it has to bear meanwhile.
#[derive(Clone, Copy)]
struct Hurt {
    what: &'static str,
    /// Milliseconds from one harm to the next.
    every_ms: (u64, u64),
    /// Runs under way at once, and the connections they share.
    at_once: usize,
    connections: usize,
    /// How many runs are to complete, and how many harms to be done, at the two sizes.
    quick: (usize, usize),
    full: (usize, usize),
    harm: fn(&mut Cluster, &Handle, &mut SmallRng) -> Result<()>,
}

const RESTARTS: Hurt = Hurt {
    what: "restarts, in good order or like a crash",
    every_ms: (500, 2_000),
    at_once: 12,
    connections: 8,
    quick: (30, 3),
    full: (500, 20),
    harm: |cluster, _, rng| {
        let stops = [Stop::Fast, Stop::Immediate];
        cluster.restart(stops[rng.random_range(0..2_usize)])
    },
};

const KILLED_SESSIONS: Hurt = Hurt {
    what: "killed sessions",
    every_ms: (25, 75),
    at_once: 60,
    connections: 2,
    quick: (60, 30),
    full: (1_000, 500),
    harm: |cluster, tokio, _| {
        tokio.block_on(async {
            let (client, connection) = tokio_postgres::connect(&cluster.url(), NoTls).await?;
            let driver = tokio::spawn(connection);
            let one = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                AND backend_type = 'client backend' ORDER BY random() LIMIT 1";
            client.batch_execute(one).await?;
            drop(client);
            driver.await??;
            Ok(())
        })
    },
};

async fn prove(Setting { size, seed }: Setting, hurt: Hurt) -> Result<String> {
    let (runs, wanted) = size.pick(hurt.quick, hurt.full);
    let mut cluster = tokio::task::spawn_blocking(Cluster::start).await??;
    let connect = async || {
        let options = PostgresOptions {
            connections: hurt.connections,
            ..PostgresOptions::default()
        };
        let store = Postgres::connect_with(&cluster.url(), options).await?;
        anyhow::Ok(Arc::new(store) as Arc<dyn Store>)
    };
    let load = Load::new([connect().await?, connect().await?])?;

    let done = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let harming = tokio::task::spawn_blocking({
        let (done, tokio) = (Arc::clone(&done), Handle::current());
        let mut rng = SmallRng::seed_from_u64(seed);
        move || {
            let (harms, over) = &*done;
            while !over.load(Ordering::Relaxed) {
                let pause = rng.random_range(hurt.every_ms.0..hurt.every_ms.1);
                std::thread::sleep(Duration::from_millis(pause));
                (hurt.harm)(&mut cluster, &tokio, &mut rng)?;
                harms.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(cluster)
        }
    });
    let (harms, over) = &*done;
    let enough = |completed| completed >= runs && harms.load(Ordering::Relaxed) >= wanted;
    let bearing = load.bear(hurt.at_once, |completed| {
        enough(completed) || harming.is_finished()
    });
    let borne = tokio::time::timeout(LONGEST, bearing).await;
    over.store(true, Ordering::Relaxed);
    // The server stays up, with its last restart done, until the runs are checked.
    let _cluster = harming.await?.context("the server could not be hurt")?;
    borne.context("the runs hang")??;
    let (ended, calls) = load.check().await?;
    Ok(format!(
        "{ended} runs with {calls} calls, {} in flight over {} connections of each of 2 processes, {} {}: \
         0 failed, 0 lost, 0 doubled",
        hurt.at_once,
        hurt.connections,
        harms.load(Ordering::Relaxed),
        hurt.what
    ))
}

/// Engines over one database, as so many processes would have it, and the runs they completed.
struct Load {
    engines: Vec<ScriptedEngine>,
    world: Arc<ObservedWorld>,
    completed: Mutex<Vec<RunId>>,
}

impl Load {
    fn new(stores: impl IntoIterator<Item = Arc<dyn Store>>) -> Result<Self> {
        let pace = || LONGEST_CALL.mul_f64(rand::random());
        let world = ObservedWorld::with_pace(None, Box::new(pace));
        let lease = RuntimeSettings::default().lease;
        let mut engines = Vec::new();
        for store in stores {
            let clock = Arc::new(SystemClock);
            engines.push(engine(rescued("load")?, store, &world, clock, lease));
        }
        Ok(Self {
            engines,
            world,
            completed: Mutex::default(),
        })
    }

    fn completed(&self) -> Vec<RunId> {
        let completed = self.completed.lock();
        completed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps `at_once` runs under way until `enough` have completed. Fails with the first that fails.
    async fn bear(&self, at_once: usize, enough: impl Fn(usize) -> bool + Sync) -> Result<()> {
        let workers = (0..at_once).map(|worker| {
            let enough = &enough;
            async move {
                while !enough(self.completed().len()) {
                    let new = NewRun::titled("under load");
                    let run = new.id;
                    let done = self.one_run(worker, new).await;
                    done.with_context(|| format!("run {run} failed"))?;
                    let completed = self.completed.lock();
                    completed.unwrap_or_else(PoisonError::into_inner).push(run);
                }
                anyhow::Ok(())
            }
        });
        try_join_all(workers).await.map(drop)
    }

    /// A run that one engine begins, a person lets go on, and the next engine ends.
    async fn one_run(&self, worker: usize, new: NewRun) -> Result<()> {
        let nth = |nth: usize| &self.engines[nth % self.engines.len()];
        let (run, engine) = (new.id, nth(worker));
        let mut execution = engine.start(new, ScriptedRun::eventful()).await?;
        let parked = execution.run().await?;
        ensure!(parked.status == Status::Waiting, "it began with {parked:?}");
        drop(execution);
        let gate = engine.gate(run).await?;
        engine
            .decide(&gate, Decision::new(Verdict::Approve, "a person"))
            .await?;
        let ended = nth(worker + 1).open(run).await?.run().await?;
        ensure!(ended.status == Status::Completed, "it ended with {ended:?}");
        Ok(())
    }

    /// Checks that every run is there, whole, and that each of its calls was made once. Gives how
    /// many runs and calls there were.
    async fn check(&self) -> Result<(usize, usize)> {
        let undisturbed = Self::new([Arc::new(MemoryStore::new()) as Arc<dyn Store>])?;
        undisturbed.bear(1, |completed| completed == 1).await?;
        let run = undisturbed.completed()[0];
        let wanted = undisturbed.engines[0].view(run, None).await?.state;
        let (runs, mut calls) = (self.completed(), 0);
        for run in &runs {
            calls += self
                .check_run(*run, &wanted)
                .await
                .with_context(|| format!("run {run}"))?;
        }
        Ok((runs.len(), calls))
    }

    async fn check_run(&self, run: RunId, wanted: &ScriptedRun) -> Result<usize> {
        let engine = &self.engines[0];
        let log = RunLog::sound(&**engine.store(), run).await?;
        let status = &log.run.head.status;
        ensure!(*status == Status::Completed, "it is {status}");
        let state = engine.view(run, None).await?.state;
        ensure!(state == *wanted, "it came to another end");
        let made = self.world.calls(run);
        let again = made.iter().find(|(_, times)| **times != 1);
        ensure!(
            again.is_none(),
            "an effect was made more than once: {again:?}"
        );
        let made: BTreeSet<Effect> = made.into_keys().collect();
        ensure!(
            made == log.recorded(),
            "it recorded other calls than it made"
        );
        Ok(made.len())
    }
}
