//! The proofs: each breaks something on purpose, counts, and fails if a promise is broken.
//!
//! A proof prints one line with its figures and its seed. The quick size runs with the tests, the
//! full one by `cargo xtask prove engine`.

mod crash_points;
mod damage;
mod gates;
mod growth;
mod hurt_database;
mod interrupted;
mod kill;
pub(crate) mod lab;
mod random_graphs;
mod run_log;
pub(crate) mod scripted;
mod two_owners;
pub(crate) mod world;

use std::time::Instant;

use anyhow::{Result, anyhow};
use futures::future::BoxFuture;

/// How much a proof does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A minute or less: runs with the tests.
    Quick,
    /// Minutes to hours: runs by `cargo xtask prove`.
    Full,
}

impl Size {
    /// A number that depends on the size.
    pub fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// What a proof is run with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// How many cases it tries.
    pub size: Size,
    /// What all its chances are drawn from.
    pub seed: u64,
}

/// One proof of RELIABILITY's table.
pub struct Proof {
    /// "T1", "T2", …
    pub id: &'static str,
    /// What it does, in a few words.
    pub what: &'static str,
    /// Runs it; gives the figures, or the promise that was broken.
    pub run: fn(Setting) -> BoxFuture<'static, Result<String>>,
}

impl Proof {
    /// Runs it; gives its line, and whether every promise held. A panic is a failure like any other.
    pub async fn show(&self, setting: Setting) -> (String, bool) {
        let (seed, began) = (setting.seed, Instant::now());
        let done = match tokio::spawn((self.run)(setting)).await {
            Ok(done) => done,
            Err(panic) => Err(anyhow!("{panic}")),
        };
        let (word, figures) = match &done {
            Ok(figures) => ("ok", figures.clone()),
            Err(broken) => ("FAILED", format!("{broken:#}")),
        };
        let line = format!(
            "{:<4}{word}: {}: {figures}; seed {seed}; {:.1} s",
            self.id,
            self.what,
            began.elapsed().as_secs_f64()
        );
        (line, done.is_ok())
    }
}

/// The proofs that need only the engine and its stores.
pub fn engine() -> Vec<Proof> {
    vec![
        kill::proof(),
        crash_points::proof(),
        random_graphs::proof(),
        two_owners::proof(),
        damage::proof(),
        hurt_database::restarts(),
        hurt_database::killed_sessions(),
        random_graphs::wild_clocks(),
        gates::proof(),
        growth::proof(),
    ]
}
