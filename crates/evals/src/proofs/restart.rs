//! T8: PostgreSQL is restarted every few seconds, now in good order, now like a crash, while runs are
//! under way in two processes. No run may fail, be lost, or do anything twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use fathom_store::Postgres;
use fathom_workflow::Store;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use xtask::postgres::{Cluster, Stop};

use super::load::Load;
use super::{Proof, Setting};

/// Runs under way at once.
const AT_ONCE: usize = 12;
/// How long the server stays up, at least and at most.
const UP: std::ops::Range<u64> = 500..2_000;
const LONGEST: Duration = Duration::from_secs(900);

pub fn proof() -> Proof {
    Proof {
        id: "T8",
        what: "PostgreSQL restarted under load",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(setting: Setting) -> Result<String> {
    let (runs, restarts) = setting.size.pick((30, 3), (500, 20));
    let cluster = tokio::task::spawn_blocking(Cluster::start).await??;
    let stores = [connect(&cluster).await?, connect(&cluster).await?];
    let load = Load::new(stores)?;

    let unrest = Arc::new(Unrest::default());
    let restarting = tokio::task::spawn_blocking({
        let unrest = Arc::clone(&unrest);
        move || unrest.go_on(cluster, setting.seed)
    });
    let bearing = load.bear(AT_ONCE, |completed| {
        completed >= runs && unrest.restarts() >= restarts
    });
    let borne = tokio::time::timeout(LONGEST, bearing).await;
    unrest.over.store(true, Ordering::Relaxed);
    // The server stays up, with its last restart done, until the runs are checked.
    let _cluster = restarting.await??;
    borne.context("the runs hang")??;
    let (ended, calls) = load.check().await?;
    let (fast, immediate) = (unrest.fast(), unrest.immediate());
    Ok(format!(
        "{ended} runs with {calls} calls over {fast} restarts in good order and {immediate} like a \
         crash: 0 failed, 0 lost, 0 doubled"
    ))
}

async fn connect(cluster: &Cluster) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(Postgres::connect(&cluster.url()).await?))
}

/// Restarts until it is told to stop.
#[derive(Default)]
struct Unrest {
    over: AtomicBool,
    restarts: [AtomicUsize; 2],
}

impl Unrest {
    fn go_on(&self, mut cluster: Cluster, seed: u64) -> Result<Cluster> {
        let mut rng = SmallRng::seed_from_u64(seed);
        while !self.over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(rng.random_range(UP)));
            let crash = rng.random_bool(0.5);
            let stop = if crash { Stop::Immediate } else { Stop::Fast };
            cluster.restart(stop)?;
            self.restarts[usize::from(crash)].fetch_add(1, Ordering::Relaxed);
        }
        Ok(cluster)
    }

    fn fast(&self) -> usize {
        self.restarts[0].load(Ordering::Relaxed)
    }

    fn immediate(&self) -> usize {
        self.restarts[1].load(Ordering::Relaxed)
    }

    fn restarts(&self) -> usize {
        self.fast() + self.immediate()
    }
}
