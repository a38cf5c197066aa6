//! The same graph on LangGraph, in turns with ours in the same run: both figures and the ratio.
//!
//! LangGraph is installed by pip into a virtual environment in the target folder. Both write to SQLite
//! files on the same disk and sync every commit (`synchronous = FULL`, set on LangGraph's connection).

use std::time::Duration;

use anyhow::Result;
use fathom_workflow::RuntimeSettings;
use serde::Deserialize;
use tokio::task::JoinSet;

use super::one_run::SIZES;
use super::research::{CannedDeps, STEPS, engine, new_run};
use crate::figure::{Figure, median, rate, timed};
use crate::python::{self, PeerScript};
use crate::stores::{Backend, Disk, Site};
use crate::weight::Scale;

const SCRIPT: &str = include_str!("../../peer/langgraph_bench.py");

/// Ours and theirs take turns so often, so that what disturbs one disturbs the other.
const TURNS: usize = 5;
const RUNS: usize = 8;
const AT_ONCE: usize = 100;
const ROUNDS: usize = 3;
const WAIT: Duration = Duration::from_millis(50);
const RESULTS_IN_FLIGHT: usize = 10;

/// One side's figures of one turn: a rate, and the bytes of the database.
#[derive(Deserialize)]
struct PeerFigures {
    #[serde(alias = "steps_per_second", alias = "runs_per_second")]
    rate: f64,
    bytes_a_run: f64,
}

/// Measures every N, then many runs in flight.
pub(super) async fn measure() -> Result<()> {
    let peer = PeerScript::install("langgraph_bench.py", SCRIPT, &python::LANGGRAPH)?;
    let version = peer.version("langgraph")?;
    Figure::named("peer").with("version", version).print();
    for n in SIZES {
        let mut turns = Vec::new();
        for _ in 0..TURNS {
            let theirs = peer_turn(&peer, "one-run", n, RUNS)?;
            turns.push((one_after_the_other(n).await?, theirs));
        }
        print("steps a second, one run after the other", n, turns);
    }
    let mut turns = Vec::new();
    for _ in 0..TURNS {
        let theirs = peer_turn(&peer, "in-flight", AT_ONCE, ROUNDS)?;
        turns.push((in_flight().await?, theirs));
    }
    print("runs a second, 100 in flight", RESULTS_IN_FLIGHT, turns);
    Ok(())
}

fn print(name: &str, results: usize, turns: Vec<(PeerFigures, PeerFigures)>) {
    let each =
        |pick: fn(&(PeerFigures, PeerFigures)) -> f64| median(turns.iter().map(pick).collect());
    Figure::new(name, "SQLite")
        .with("results", results)
        .number("fathom", each(|(ours, _)| ours.rate))
        .number("langgraph", each(|(_, theirs)| theirs.rate))
        .number("ratio", each(|(ours, theirs)| ours.rate / theirs.rate))
        .number("fathom_bytes_a_run", each(|(ours, _)| ours.bytes_a_run))
        .number(
            "langgraph_bytes_a_run",
            each(|(_, theirs)| theirs.bytes_a_run),
        )
        .print();
}

async fn one_after_the_other(n: usize) -> Result<PeerFigures> {
    let site = Site::new(Backend::Sqlite, Disk::Real).await?;
    let canned = CannedDeps::results(n).own();
    let engine = engine(site.open().await?, canned, RuntimeSettings::default())?;
    let one = async || {
        anyhow::Ok(
            engine
                .start(new_run(), Default::default())
                .await?
                .run()
                .await?,
        )
    };
    one().await?;
    let (done, took) = timed(async {
        for _ in 0..RUNS {
            one().await?;
        }
        anyhow::Ok(())
    })
    .await;
    done?;
    figures(&site, rate(RUNS * STEPS, took), RUNS + 1).await
}

async fn in_flight() -> Result<PeerFigures> {
    let site = Site::new(Backend::Sqlite, Disk::Real).await?;
    let canned = CannedDeps::results(RESULTS_IN_FLIGHT).own().waiting(WAIT);
    let engine = engine(site.open().await?, canned, RuntimeSettings::default())?;
    let (done, took) = timed(async {
        let mut workers = JoinSet::new();
        for _ in 0..AT_ONCE {
            let engine = engine.clone();
            workers.spawn(async move {
                for _ in 0..ROUNDS {
                    let mut run = engine.start(new_run(), Default::default()).await?;
                    run.run().await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(done) = workers.join_next().await {
            done??;
        }
        anyhow::Ok(())
    })
    .await;
    done?;
    figures(&site, rate(AT_ONCE * ROUNDS, took), AT_ONCE * ROUNDS).await
}

async fn figures(site: &Site, rate: f64, runs: usize) -> Result<PeerFigures> {
    let disk = Scale::new(site).await?.weigh().await?.disk;
    Ok(PeerFigures {
        rate,
        bytes_a_run: disk as f64 / runs as f64,
    })
}

/// What the script prints of one turn.
fn peer_turn(peer: &PeerScript, part: &str, first: usize, second: usize) -> Result<PeerFigures> {
    let mut command = peer.command();
    command.args([part, &first.to_string(), &second.to_string()]);
    Ok(serde_json::from_str(&python::output(&mut command)?)?)
}
