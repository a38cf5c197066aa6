//! One run after the other: steps a second against the bare commit rate, and bytes a step.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::{RunId, RuntimeSettings, Store};

use super::floor::{BarePostgres, BareSqlite, ROW};
use super::research::{CannedDeps, STEPS, engine, new_run};
use crate::figure::{Figure, bytes_written, median, ms, rate, timed};
use crate::stores::{Backend, Disk, Site};
use crate::weight::Scale;

/// How many results the first search brings.
pub(super) const SIZES: [usize; 4] = [0, 10, 100, 1_000];

/// Engine and floor take turns so often, so that what disturbs one disturbs the other.
const ROUNDS: usize = 9;

pub(super) async fn measure(backend: Backend) -> Result<()> {
    for n in SIZES {
        speed(backend, n).await?;
    }
    resume(backend).await?;
    list(backend).await
}

enum Floor {
    None,
    Sqlite(BareSqlite),
    Postgres(BarePostgres),
}

impl Floor {
    async fn open(backend: Backend) -> Result<Self> {
        Ok(match backend {
            Backend::Memory => Self::None,
            Backend::Sqlite => Self::Sqlite(BareSqlite::open()?),
            Backend::Postgres => Self::Postgres(BarePostgres::connect(1).await?),
        })
    }

    async fn commits_per_second(&mut self, rows: usize, bodies: &[&[u8]]) -> Result<Option<f64>> {
        match self {
            Self::None => Ok(None),
            Self::Sqlite(bare) => bare.commits_per_second(rows, bodies).map(Some),
            Self::Postgres(bare) => bare.commits_per_second(rows, bodies).await.map(Some),
        }
    }
}

async fn speed(backend: Backend, n: usize) -> Result<()> {
    let site = Site::new(backend, Disk::Real).await?;
    let canned = CannedDeps::results(n);
    // One of a run's rows holds the results, in the floor that writes them too.
    let results = canned.encoded()?;
    let mut laden = [&ROW[..]; STEPS];
    laden[1] = &results;
    let engine = engine(site.open().await?, canned, RuntimeSettings::default())?;
    let runs = match backend {
        Backend::Memory => 2_000,
        Backend::Sqlite | Backend::Postgres => 8,
    };
    let mut floor = Floor::open(backend).await?;
    let mut laden_floor = Floor::open(backend).await?;
    let (mut speeds, mut floors, mut ratios) = (vec![], vec![], vec![]);
    let (mut laden_floors, mut laden_ratios) = (vec![], vec![]);
    let (mut whole, mut written) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        let (mut in_steps, begun, on_disk) = (Duration::ZERO, Instant::now(), bytes_written());
        for _ in 0..runs {
            let mut execution = engine.start(new_run(), Default::default()).await?;
            let (ended, took) = timed(execution.run()).await;
            ended?;
            in_steps += took;
        }
        whole.push(ms(begun.elapsed()) / runs as f64);
        written.push((bytes_written() - on_disk) as f64 / (runs * STEPS) as f64);
        let speed = rate(runs * STEPS, in_steps);
        let rows = runs * STEPS;
        if let Some(bare) = floor.commits_per_second(rows, &[&ROW]).await? {
            floors.push(bare);
            ratios.push(speed / bare);
        }
        if let Some(bare) = laden_floor.commits_per_second(rows, &laden).await? {
            laden_floors.push(bare);
            laden_ratios.push(speed / bare);
        }
        speeds.push(speed);
    }
    let mut figure = Figure::new("one run after the other", backend.name())
        .with("results", n)
        .number("steps_per_second", median(speeds))
        .number("ms_a_run", median(whole));
    if !floors.is_empty() {
        figure = figure
            .number("bare_commits_per_second", median(floors))
            .number("ratio", median(ratios))
            .number("bare_commits_with_results_per_second", median(laden_floors))
            .number("ratio_with_results", median(laden_ratios));
    }
    if backend != Backend::Memory {
        let weight = Scale::new(&site).await?.weigh().await?;
        let steps = (ROUNDS * runs * STEPS) as f64;
        if backend == Backend::Sqlite {
            // PostgreSQL writes in processes of its own.
            figure = figure.number("bytes_written_a_step", median(written));
        }
        figure = figure
            .number("row_bytes_a_step", weight.bytes as f64 / steps)
            .with("database_bytes", weight.disk);
    }
    figure.print();
    Ok(())
}

/// How long until a run of 1,000 results goes on in another process.
async fn resume(backend: Backend) -> Result<()> {
    let site = Site::new(backend, Disk::Real).await?;
    let store = site.open().await?;
    let settings = RuntimeSettings {
        lease: Duration::from_millis(20),
        ..RuntimeSettings::default()
    };
    let mut floor = Floor::open(backend).await?;
    let (mut resumed, mut commits) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        let run = half_done(Arc::clone(&store), settings.clone()).await?;
        tokio::time::sleep(Duration::from_millis(60)).await;
        let other = engine(
            Arc::clone(&store),
            CannedDeps::results(1_000),
            RuntimeSettings::default(),
        )?;
        let (opened, took) = timed(other.open(run)).await;
        opened?.run().await?;
        resumed.push(ms(took));
        if let Some(bare) = floor.commits_per_second(10, &[&ROW]).await? {
            commits.push(1e3 / bare);
        }
    }
    let commit = if commits.is_empty() {
        0.0
    } else {
        median(commits)
    };
    let took = median(resumed);
    Figure::new("resume at 1,000 results", backend.name())
        .number("ms", took)
        .number("bare_commit_ms", commit)
        .number("ms_beyond_one_commit", took - commit)
        .print();
    Ok(())
}

async fn half_done(store: Arc<dyn Store>, settings: RuntimeSettings) -> Result<RunId> {
    let engine = engine(store, CannedDeps::results(1_000), settings)?;
    let mut execution = engine.start(new_run(), Default::default()).await?;
    for _ in 0..STEPS / 2 {
        execution.advance().await?;
    }
    Ok(execution.id())
}

async fn list(backend: Backend) -> Result<()> {
    let site = Site::new(backend, Disk::Fast).await?;
    let store = site.open().await?;
    let engine = engine(
        Arc::clone(&store),
        CannedDeps::results(10),
        RuntimeSettings::default(),
    )?;
    for _ in 0..1_000 {
        engine
            .start(new_run(), Default::default())
            .await?
            .run()
            .await?;
    }
    let filter = RunFilter {
        limit: 1_000,
        ..RunFilter::default()
    };
    let mut times = vec![];
    for _ in 0..ROUNDS {
        let (page, took) = timed(store.list(&filter)).await;
        anyhow::ensure!(page?.runs.len() == 1_000, "the list is not whole");
        times.push(ms(took));
    }
    Figure::new("list of 1,000 runs", backend.name())
        .number("ms", median(times))
        .print();
    Ok(())
}
