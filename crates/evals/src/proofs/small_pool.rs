//! T9: sixty runs share two connections, and somebody kills the sessions behind them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fathom_store::{Postgres, PostgresOptions};
use fathom_workflow::Store;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio_postgres::NoTls;

use super::load::Load;
use super::{Proof, Setting};
use crate::stores::{Backend, Disk, Site};

const CONNECTIONS: usize = 2;
const IN_FLIGHT: usize = 60;
/// A session lives about this long.
const KILL_EVERY: Duration = Duration::from_millis(50);
/// Whatever takes longer is stuck.
const LONGEST: Duration = Duration::from_secs(300);

pub fn proof() -> Proof {
    Proof {
        id: "T9",
        what: "a small pool of connections that are killed",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(setting: Setting) -> Result<String> {
    let (runs, kills) = setting.size.pick((60, 30), (1_000, 500));
    let site = Site::new(Backend::Postgres, Disk::Fast).await?;
    // Their name tells the sessions of this proof from all others.
    let name = format!("small pool {}", uuid::Uuid::now_v7().simple());
    let url = format!(
        "{}&application_name={}",
        site.address()?,
        name.replace(' ', "%20")
    );
    let options = PostgresOptions {
        connections: CONNECTIONS,
        ..PostgresOptions::default()
    };
    let store: Arc<dyn Store> = Arc::new(Postgres::connect_with(&url, options).await?);
    let load = Load::new([store])?;

    let killed = Arc::new(AtomicU64::new(0));
    let killer = Killer {
        name,
        killed: Arc::clone(&killed),
        rng: SmallRng::seed_from_u64(setting.seed),
    };
    let killing = tokio::spawn(killer.go_on(site.address()?));
    let bearing = load.bear(IN_FLIGHT, |completed| {
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
        "{ended} runs with {calls} calls, {IN_FLIGHT} in flight over {CONNECTIONS} connections, \
         {killed} sessions killed: 0 stuck, 0 failed, 0 doubled"
    ))
}

/// Ends the sessions of one name, one at a time.
struct Killer {
    name: String,
    killed: Arc<AtomicU64>,
    rng: SmallRng,
}

impl Killer {
    async fn go_on(mut self, url: String) -> Result<()> {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(connection);
        let sessions = "SELECT pid FROM pg_stat_activity WHERE application_name = $1";
        loop {
            tokio::time::sleep(KILL_EVERY.mul_f64(self.rng.random_range(0.5..1.5))).await;
            let found = client.query(sessions, &[&self.name]).await?;
            if found.is_empty() {
                continue;
            }
            let one: i32 = found[self.rng.random_range(0..found.len())].get(0);
            let ended = client
                .query_one("SELECT pg_terminate_backend($1)", &[&one])
                .await?;
            if ended.get(0) {
                self.killed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}
