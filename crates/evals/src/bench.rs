//! Benchmarks beside the floor, what the bare database does in the same run, and beside a peer.
//!
//! Each figure is one JSON line. Parts run in processes of their own, so that one's memory is not
//! another's.

mod floor;
mod in_flight;
mod library;
#[cfg(feature = "peers")]
mod library_peer;
mod long_run;
mod one_run;
mod peer;
mod research;

use anyhow::{Context, Result, bail};

use crate::stores::Backend;

pub use library::measure as library;

const PARTS: [&str; 3] = ["one-run", "in-flight", "long-run"];

/// `bench engine [--peer | [--store memory|sqlite|postgresql] [--part one-run|in-flight|long-run]]`
pub async fn engine(rest: &[&str]) -> Result<()> {
    if rest == ["--peer"] {
        return peer::measure().await;
    }
    let wanted = BenchChoice::parse(rest)?;
    match (wanted.part, wanted.store) {
        (Some(part), Some(store)) => run(part, store, wanted.runs).await,
        (part, store) => {
            for backend in Backend::ALL
                .into_iter()
                .filter(|b| store.is_none_or(|s| s == *b))
            {
                for part in PARTS.into_iter().filter(|p| part.is_none_or(|q| q == *p)) {
                    in_a_process_of_its_own(part, backend)?;
                }
            }
            Ok(())
        }
    }
}

async fn run(part: &str, store: Backend, runs: Option<usize>) -> Result<()> {
    match (part, runs) {
        ("one-run", _) => one_run::measure(store).await,
        ("long-run", _) => long_run::measure(store).await,
        ("in-flight", Some(runs)) => in_flight::measure(store, runs).await,
        ("in-flight", None) => in_flight::each_in_a_process_of_its_own(store),
        (unknown, _) => bail!(
            "there is no part \"{unknown}\"; there are {}",
            PARTS.join(", ")
        ),
    }
}

fn in_a_process_of_its_own(part: &str, store: Backend) -> Result<()> {
    let store = store.name().to_lowercase();
    again(&["bench", "engine", "--part", part, "--store", &store])
}

/// Runs this program again with other words, so that its memory is measured alone.
pub(crate) fn again(words: &[&str]) -> Result<()> {
    let program = std::env::current_exe().context("this program cannot find itself")?;
    let status = std::process::Command::new(program)
        .args(words)
        .status()
        .context("a part of the benchmark did not start")?;
    if !status.success() {
        bail!("{} failed", words.join(" "));
    }
    Ok(())
}

#[derive(Default)]
struct BenchChoice<'a> {
    part: Option<&'a str>,
    store: Option<Backend>,
    runs: Option<usize>,
}

impl<'a> BenchChoice<'a> {
    fn parse(rest: &[&'a str]) -> Result<Self> {
        let mut wanted = Self::default();
        for pair in rest.chunks(2) {
            match *pair {
                ["--part", part] if PARTS.contains(&part) => wanted.part = Some(part),
                ["--part", unknown] => {
                    bail!(
                        "there is no part \"{unknown}\"; there are {}",
                        PARTS.join(", ")
                    )
                }
                ["--store", name] => {
                    let known = Backend::ALL.into_iter();
                    let found = known
                        .into_iter()
                        .find(|b| b.name().eq_ignore_ascii_case(name));
                    let store = found.with_context(|| format!("there is no store \"{name}\""))?;
                    wanted.store = Some(store);
                }
                ["--runs", runs] => wanted.runs = Some(runs.parse().context("--runs: a number")?),
                _ => bail!("\"{}\" is not known here", pair.join(" ")),
            }
        }
        Ok(wanted)
    }
}
