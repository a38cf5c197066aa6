//! A specimen in SQLite files, as a clean end and as a crash leave it, and copies of it to harm.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use fathom_store::Sqlite;
use fathom_workflow::{Error, Store};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

use super::bytes::{Pages, harm};
use super::judge::{Difference, Good, Harmed};
use super::{Outcome, Tally, Trial, rows, specimen};
use crate::stores::{Backend, Disk, Site};

pub(super) struct Files {
    folder: TempDir,
    good: Good,
    /// What lies where in the closed file.
    pages: Pages,
}

/// After a clean end everything is in one file; a crash leaves a log and its index beside it.
const CLOSED: &str = "closed.db";
const CRASHED: &str = "crashed.db";
const LOG: &str = "-wal";
const INDEX: &str = "-shm";
const ENDINGS: [&str; 3] = ["", LOG, INDEX];

/// As many as the smallest machine has cores.
const AT_ONCE: usize = 2;
/// How long an engine may use its store after its last run.
const LONGEST_USE: Duration = Duration::from_secs(30);

impl Files {
    pub(super) async fn make() -> Result<Self> {
        let site = Site::new(Backend::Sqlite, Disk::Fast).await?;
        let file = site.path().context("SQLite lies in a file")?;
        let beside = file
            .ancestors()
            .nth(2)
            .context("the file lies in a folder")?;
        let folder = TempDir::with_prefix_in("fathom-damage-", beside)?;
        let (crashed, closed) = (folder.path().join(CRASHED), folder.path().join(CLOSED));

        let store = site.open().await?;
        let specimen = specimen::fill(Arc::clone(&store)).await?;
        copy(&file, &crashed)?;
        close(store).await?;
        ensure!(!with(&file, LOG).exists(), "a clean end leaves a log");
        copy(&file, &closed)?;
        // To know how they go on, the unfinished runs are let go on in the first file.
        let good = Good::read(&site.open().await?, specimen).await?;
        Ok(Self {
            pages: Pages::of(&closed)?,
            folder,
            good,
        })
    }

    /// Flips bytes and cuts files short.
    pub(super) async fn flip(&self, trials: u64, seed: u64) -> Result<Tally> {
        let seeds = (0..trials).map(|nth| seed.wrapping_add(nth));
        Tally::of(AT_ONCE, seeds, |seed| async move {
            let mut rng = SmallRng::seed_from_u64(seed);
            let hurt = Hurt(self.folder.path().join(format!("{seed}.db")));
            let harm = if rng.random_bool(0.25) {
                self.harm_crashed(&hurt.0, &mut rng)?
            } else {
                copy(&self.folder.path().join(CLOSED), &hurt.0)?;
                harm(&hurt.0, Some(&self.pages), &mut rng)?
            };
            let outcome = self.read(&hurt.0, Harmed::Anything).await?;
            let harm = format!("seed {seed}, {harm}");
            Ok(Trial { harm, outcome })
        })
        .await
    }

    fn harm_crashed(&self, hurt: &Path, rng: &mut SmallRng) -> Result<String> {
        copy(&self.folder.path().join(CRASHED), hurt)?;
        // Nearly everything is in the log.
        let ending = match rng.random_range(0..10) {
            0 => "",
            1 => INDEX,
            _ => LOG,
        };
        let harm = harm(&with(hurt, ending), None, rng)?;
        Ok(format!("after a crash, file \"{ending}\" {harm}"))
    }

    /// Changes every column of every table in some row, and deletes some row of every table.
    pub(super) async fn change_rows(&self, times: u64, seed: u64) -> Result<Tally> {
        let closed = self.folder.path().join(CLOSED);
        let changes = rows::changes(&closed)?;
        let mut trials = Vec::new();
        for time in 0..times {
            for (change, nth) in changes.iter().cloned().zip(0..) {
                trials.push((change, seed.wrapping_add(time * 1_000 + nth)));
            }
        }
        Tally::of(AT_ONCE, trials, |(change, seed)| {
            let closed = &closed;
            async move {
                let hurt = Hurt(self.folder.path().join(format!("row-{seed}.db")));
                copy(closed, &hurt.0)?;
                let mut rng = SmallRng::seed_from_u64(seed);
                let outcome = match rows::apply(&hurt.0, &change, &mut rng)? {
                    Some(harmed) => self.read(&hurt.0, harmed).await?,
                    // The column is empty in every row.
                    None => Outcome::Read(Difference::default()),
                };
                let harm = format!("seed {seed}, {change}");
                Ok(Trial { harm, outcome })
            }
        })
        .await
    }

    async fn read(&self, hurt: &Path, harmed: Harmed) -> Result<Outcome> {
        let store: Arc<dyn Store> = match Sqlite::open(hurt) {
            Ok(store) => Arc::new(store),
            Err(error) => return Ok(unopened(&error, harmed)),
        };
        Ok(Outcome::Read(self.good.judge(&store, harmed).await?))
    }
}

/// Closes a store once the engine's last task has let go of it.
async fn close(store: Arc<dyn Store>) -> Result<()> {
    let began = Instant::now();
    while Arc::strong_count(&store) > 1 {
        ensure!(began.elapsed() < LONGEST_USE, "the store is still in use");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// A store may refuse to open if its file is damaged, but not because of a row.
fn unopened(error: &Error, harmed: Harmed) -> Outcome {
    let mut difference = Difference::default();
    match (error, harmed) {
        (
            Error::StoreDamaged { .. }
            | Error::StoreGone { .. }
            | Error::NewerFormat { .. }
            | Error::Store { .. },
            Harmed::Anything,
        ) => return Outcome::Unopened,
        _ => difference.broken.push(format!("it did not open: {error}")),
    }
    Outcome::Read(difference)
}

/// A copy to harm, removed with what was made beside it.
struct Hurt(PathBuf);

impl Drop for Hurt {
    fn drop(&mut self) {
        for ending in ENDINGS {
            // Most have no log.
            let _ = fs::remove_file(with(&self.0, ending));
        }
    }
}

/// Copies a database with what lies beside it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for ending in ENDINGS {
        let from = with(from, ending);
        if from.exists() {
            fs::copy(&from, with(to, ending))
                .with_context(|| format!("{} to be copied", from.display()))?;
        }
    }
    Ok(())
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
