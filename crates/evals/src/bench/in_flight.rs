//! Many runs at once, each step waiting 50 ms as if for an answer: runs a second and memory a run.

use std::time::{Duration, Instant};

use anyhow::Result;
use fathom_workflow::{Engine, RuntimeSettings};

use super::floor::{BarePostgres, BareSqlite, ROW, ideal_runs_per_second};
use super::research::{BenchRun, CannedDeps, STEPS, engine, new_run};
use crate::figure::{Figure, rate, resident_kib};
use crate::stores::{Backend, Disk, Site};

const WAIT: Duration = Duration::from_millis(50);

const RESULTS: usize = 10;

/// Runs before memory is looked at for the first time.
const WARM_UP: usize = 50;

/// The rows a run writes: its steps and its beginning.
const ROWS: usize = STEPS + 1;

pub(super) fn each_in_a_process_of_its_own(store: Backend) -> Result<()> {
    for runs in ["1", "100", "1000"] {
        let store = store.name().to_lowercase();
        super::again(&[
            "bench",
            "engine",
            "--part",
            "in-flight",
            "--store",
            &store,
            "--runs",
            runs,
        ])?;
    }
    Ok(())
}

pub(super) async fn measure(backend: Backend, at_once: usize) -> Result<()> {
    let site = Site::new(backend, Disk::Real).await?;
    let canned = CannedDeps::results(RESULTS).own().waiting(WAIT);
    let engine = engine(site.open().await?, canned, RuntimeSettings::default())?;
    let rounds = if at_once == 1 { 4 } else { 5 };
    warm_up(&engine).await?;
    let before = resident_kib();
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..at_once {
        let engine = engine.clone();
        tasks.spawn(async move {
            for _ in 0..rounds {
                engine
                    .start(new_run(), Default::default())
                    .await?
                    .run()
                    .await?;
            }
            anyhow::Ok(())
        });
    }
    // In the middle, when every run holds its results.
    let mut most = before;
    let mut watch = tokio::time::interval(WAIT * 2);
    while !tasks.is_empty() {
        tokio::select! {
            _ = watch.tick() => most = most.max(resident_kib()),
            Some(done) = tasks.join_next() => done??,
        }
    }
    let runs_per_second = rate(at_once * rounds, begun.elapsed());
    let ideal = ideal_runs_per_second(at_once, STEPS, WAIT);
    let mut figure = Figure::new("runs in flight", backend.name())
        .with("at_once", at_once)
        .number("runs_per_second", runs_per_second)
        .number("ideal_runs_per_second", ideal)
        .number("ratio_to_ideal", runs_per_second / ideal)
        .number("resident_mib", most as f64 / 1024.0)
        .number(
            "kib_a_run",
            most.saturating_sub(before) as f64 / at_once as f64,
        );
    if let Some(floor) = grouped_floor(backend, at_once).await? {
        let rows = runs_per_second * ROWS as f64;
        figure = figure
            .number("rows_per_second", rows)
            .number("bare_rows_per_second", floor)
            .number("ratio_to_bare", rows / floor);
    }
    figure.print();
    Ok(())
}

/// Fills the caches of the store and of the allocator, which are the process's and not a run's.
async fn warm_up(engine: &Engine<BenchRun, CannedDeps>) -> Result<()> {
    let runs = (0..WARM_UP).map(|_| async {
        let mut run = engine.start(new_run(), Default::default()).await?;
        run.run().await
    });
    futures::future::try_join_all(runs).await?;
    Ok(())
}

/// As many callers on the bare database, each waiting for nothing but its row.
async fn grouped_floor(backend: Backend, callers: usize) -> Result<Option<f64>> {
    match backend {
        Backend::Memory => Ok(None),
        Backend::Sqlite => {
            let bare = BareSqlite::open()?;
            let each = (20_000 / callers).min(500);
            bare.grouped_rows_per_second(callers, each).await.map(Some)
        }
        Backend::Postgres => {
            let connections = callers.min(fathom_store::PostgresOptions::default().connections);
            let mut bare = BarePostgres::connect(connections).await?;
            let rows = 1_000 * connections;
            bare.commits_per_second(rows, &[&ROW]).await.map(Some)
        }
    }
}
