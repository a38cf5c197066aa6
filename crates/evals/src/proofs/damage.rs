//! T7: bytes flipped and records lost, in files and in rows.
//!
//! A specimen that uses every table is damaged in copies, one after the other, and read whole. Each
//! answer must be the good one, or a refusal that says so; no panic, no hang. What was not harmed
//! goes on: unfinished runs end, new ones begin, and nothing old changes by it.

mod files;
mod judge;
mod panics;
mod rows;
mod server;
mod specimen;

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use futures::{StreamExt, stream};

use super::{Proof, Setting};
use files::SpecimenFiles;
use judge::Difference;
use server::SpecimenServer;

/// Whatever takes longer hangs.
const LONGEST_TRIAL: Duration = Duration::from_secs(120);
/// How many broken promises are told.
const TOLD: usize = 5;

/// The proof, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T7",
        what: "flipped bytes and lost records",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(setting: Setting) -> Result<String> {
    let Setting { size, seed } = setting;
    let panics_before = panics::count();
    let files = SpecimenFiles::make().await?;
    let server = SpecimenServer::make().await?;
    let tallies = [
        (
            "files of SQLite",
            files.flip(size.pick(100, 700), seed).await?,
        ),
        (
            "rows of SQLite",
            files.change_rows(size.pick(1, 4), seed).await?,
        ),
        (
            "rows of PostgreSQL",
            server.change_rows(size.pick(1, 4), seed).await?,
        ),
    ];
    let panics = panics::count() - panics_before;
    ensure!(
        panics == 0,
        "{panics} panics; the first: {}",
        panics::first()
    );
    let told = tallies.map(|(what, tally)| format!("{what}: {}", tally.told()));
    Ok(format!("{}; 0 silent, 0 panics, 0 hangs", told.join("; ")))
}

/// How trials ended.
#[derive(Default)]
struct DamageTally {
    /// Nothing that anybody reads was hit.
    same: u64,
    refused: u64,
    unopened: u64,
    broken: Vec<String>,
}

/// What a trial did, and what came of it.
struct Trial {
    harm: String,
    end: TrialEnd,
}

enum TrialEnd {
    /// The store would not open, and said that it is damaged.
    Unopened,
    Read(Difference),
}

impl DamageTally {
    /// Runs trials, a few at once, and counts. Fails if one broke a promise.
    async fn count_all<T, F>(
        at_once: usize,
        trials: impl IntoIterator<Item = T>,
        run: impl Fn(T) -> F,
    ) -> Result<Self>
    where
        F: Future<Output = Result<Trial>>,
    {
        let in_time = |trial| tokio::time::timeout(LONGEST_TRIAL, run(trial));
        let mut ended = stream::iter(trials).map(in_time).buffer_unordered(at_once);
        let mut tally = Self::default();
        while let Some(trial) = ended.next().await {
            match trial {
                Ok(trial) => tally.count(trial?),
                Err(_) => bail!("a trial hangs after {} s", LONGEST_TRIAL.as_secs()),
            }
        }
        if tally.broken.is_empty() {
            return Ok(tally);
        }
        let (count, told) = (tally.broken.len(), tally.told());
        tally.broken.truncate(TOLD);
        bail!(
            "{count} broke a promise ({told}):\n{}",
            tally.broken.join("\n")
        )
    }

    fn count(&mut self, Trial { harm, end }: Trial) {
        match end {
            TrialEnd::Unopened => self.unopened += 1,
            TrialEnd::Read(Difference { refused, broken }) => match broken.first() {
                Some(first) => {
                    let all = broken.len();
                    self.broken
                        .push(format!("{harm}: {all} broken, first {first}"));
                }
                None if refused.is_empty() => self.same += 1,
                None => self.refused += 1,
            },
        }
    }

    fn told(&self) -> String {
        let Self {
            same,
            refused,
            unopened,
            broken,
        } = self;
        let all = same + refused + unopened + broken.len() as u64;
        format!(
            "{all} harmed, {same} read the same, {refused} refused in part, {unopened} refused whole"
        )
    }
}
