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
use futures::FutureExt;
use futures::future::BoxFuture;

use self::hurt_database::Hurt;
use self::random_graphs::ClockHabit;

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
    pub run: ProofFn,
}

/// Runs a proof.
pub type ProofFn = fn(Setting) -> BoxFuture<'static, Result<String>>;

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
    let listed: [(&str, &str, ProofFn); 10] = [
        (
            "T1",
            "kill -9 at random moments, 1 to 5 times a run",
            |it| kill::prove(it).boxed(),
        ),
        ("T2", "crash at every write of a run", |it| {
            crash_points::prove(it).boxed()
        }),
        ("T3", "random graphs under random faults", |it| {
            random_graphs::prove(it, ClockHabit::Leaps).boxed()
        }),
        (
            "T4",
            "two owners on one run, one stopped past its lease",
            |it| two_owners::prove(it).boxed(),
        ),
        ("T7", "flipped bytes and lost records", |it| {
            damage::prove(it).boxed()
        }),
        ("T8", "PostgreSQL restarted under load", |it| {
            hurt_database::prove(it, Hurt::Restarts).boxed()
        }),
        ("T9", "a small pool of connections that are killed", |it| {
            hurt_database::prove(it, Hurt::KilledSessions).boxed()
        }),
        ("T11", "random graphs by clocks that jump", |it| {
            random_graphs::prove(it, ClockHabit::Jumps).boxed()
        }),
        ("T12", "gates under contention", |it| {
            gates::prove(it).boxed()
        }),
        ("T20", "growth and purge", |it| growth::prove(it).boxed()),
    ];
    let proof = |(id, what, run)| Proof { id, what, run };
    listed.map(proof).into()
}
