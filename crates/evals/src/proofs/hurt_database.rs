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
use fathom_workflow::{RunId, Store};
use futures::future::try_join_all;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio_postgres::NoTls;
use xtask::postgres::{Cluster, Stop};

use super::Setting;
use super::interrupted::{Interrupt, InterruptedRun};
use super::lab::Lab;
use super::run_log::RunLog;
use super::scripted::ScriptedRun;
use super::world::ObservedWorld;
use crate::stores::Backend;

/// How long a call takes, at most.
const LONGEST_CALL: Duration = Duration::from_millis(5);
/// Whatever takes longer hangs.
const LONGEST: Duration = Duration::from_secs(900);

/// What is done to the server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hurt {
    /// It is restarted, in good order or like a crash.
    Restarts,
    /// One of its sessions is ended.
    KilledSessions,
}

pub(super) async fn prove(Setting { size, seed }: Setting, hurt: Hurt) -> Result<String> {
    // How many runs are under way at once over how many connections, the milliseconds from one harm
    // to the next, and how many runs are to complete and harms to be done.
    let (at_once, connections, every_ms, (wanted, wanted_harms)) = match hurt {
        Hurt::Restarts => (12, 8, 500..2_000, size.pick((30, 3), (500, 20))),
        Hurt::KilledSessions => (60, 2, 25..75, size.pick((60, 30), (1_000, 500))),
    };
    let mut cluster = tokio::task::spawn_blocking(Cluster::start).await??;
    let connect = async || {
        let options = PostgresOptions {
            connections,
            ..PostgresOptions::default()
        };
        let store = Postgres::connect_with(&cluster.url(), options).await?;
        anyhow::Ok(Arc::new(store) as Arc<dyn Store>)
    };
    let lab = Lab::over([connect().await?, connect().await?]);
    let pace = || LONGEST_CALL.mul_f64(rand::random());
    let world = ObservedWorld::with_pace(None, Box::new(pace));
    let (harms, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let completed: Mutex<Vec<RunId>> = Mutex::default();
    let completed = || completed.lock().unwrap_or_else(PoisonError::into_inner);

    let harming = async {
        let mut rng = SmallRng::seed_from_u64(seed);
        while !over.load(Ordering::Relaxed) {
            let pause = rng.random_range(every_ms.clone());
            tokio::time::sleep(Duration::from_millis(pause)).await;
            cluster = hurt.harm(cluster, &mut rng).await?;
            harms.fetch_add(1, Ordering::Relaxed);
        }
        // The server stays up, with its last restart done, until the runs are checked.
        anyhow::Ok(cluster)
    };
    let (lab, world, completed, harms) = (&lab, &world, &completed, &harms);
    let worker = async |worker: usize| {
        while completed().len() < wanted || harms.load(Ordering::Relaxed) < wanted_harms {
            let at = [Interrupt::NONE; 2];
            let run = InterruptedRun::new(lab, ScriptedRun::eventful(), at, world)?;
            let done = run.hand_over(worker % 2).await;
            done.with_context(|| format!("run {} failed", run.id))?;
            completed().push(run.id);
        }
        anyhow::Ok(())
    };
    let bearing = async {
        let borne = tokio::time::timeout(LONGEST, try_join_all((0..at_once).map(worker)));
        let borne = borne.await.context("the runs hang").flatten();
        over.store(true, Ordering::Relaxed);
        borne
    };
    let (_cluster, _) = tokio::try_join!(harming, bearing)?;
    let (runs, harms) = (completed().clone(), harms.load(Ordering::Relaxed));
    let calls = check(lab, &runs, world).await?;
    Ok(format!(
        "{} runs with {calls} calls, {at_once} in flight over {connections} connections of each of 2 \
         processes, {harms} times {hurt:?}: 0 failed, 0 lost, 0 doubled",
        runs.len()
    ))
}

impl Hurt {
    async fn harm(self, mut cluster: Cluster, rng: &mut SmallRng) -> Result<Cluster> {
        match self {
            Self::Restarts => {
                let stop = [Stop::Fast, Stop::Immediate][rng.random_range(0..2_usize)];
                let restart = move || cluster.restart(stop).map(|()| cluster);
                tokio::task::spawn_blocking(restart).await?
            }
            Self::KilledSessions => {
                let (client, connection) = tokio_postgres::connect(&cluster.url(), NoTls).await?;
                let driver = tokio::spawn(connection);
                let one = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                    AND backend_type = 'client backend' ORDER BY random() LIMIT 1";
                client.batch_execute(one).await?;
                drop(client);
                driver.await??;
                Ok(cluster)
            }
        }
    }
}

/// Every run is whole and came to the end of one that nothing happened to, and each of its calls was
/// made once. Gives how many there were.
async fn check(lab: &Lab, runs: &[RunId], world: &ObservedWorld) -> Result<usize> {
    let undisturbed = Lab::new(Backend::Memory).await?;
    let (wanted, _) = InterruptedRun::undisturbed(&undisturbed, ScriptedRun::eventful()).await?;
    let mut made = 0;
    for &run in runs {
        let end = lab.final_state(run).await?;
        ensure!(end == wanted, "run {run} came to {end:?}, not {wanted:?}");
        let calls = world.calls(run);
        let again = calls.iter().find(|(_, times)| **times != 1);
        ensure!(again.is_none(), "run {run} made a call again: {again:?}");
        let log = RunLog::sound(&*lab.stores[0], run).await?;
        let is_recorded = calls.keys().cloned().collect::<BTreeSet<_>>() == log.recorded();
        ensure!(is_recorded, "run {run} recorded other calls than it made");
        made += calls.len();
    }
    Ok(made)
}
