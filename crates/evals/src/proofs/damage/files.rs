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
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use super::judge::{Difference, GoodStore, Harmed};
use super::{count_trials, rows, specimen};
use crate::stores::{Backend, Disk, Site};

pub(super) struct SpecimenFiles {
    folder: TempDir,
    good: GoodStore,
    pages: PageMap,
}

/// After a clean end everything is in one file; a crash leaves a log and its index beside it.
const CLOSED: &str = "closed.db";
const CRASHED: &str = "crashed.db";
const LOG: &str = "-wal";
const INDEX: &str = "-shm";

/// As many as the smallest machine has cores.
const AT_ONCE: usize = 2;
/// How long an engine may use its store after its last run.
const LONGEST_USE: Duration = Duration::from_secs(30);

impl SpecimenFiles {
    pub(super) async fn make() -> Result<Self> {
        let site = Site::new(Backend::Sqlite, Disk::Fast).await?;
        let file = site.path().context("SQLite lies in a file")?;
        let mut above = file.ancestors().skip(2);
        let beside = above.next().context("the file lies in a folder")?;
        let folder = TempDir::with_prefix_in("fathom-damage-", beside)?;
        let closed = folder.path().join(CLOSED);

        let store = site.open().await?;
        let specimen = specimen::fill(Arc::clone(&store)).await?;
        copy(&file, &folder.path().join(CRASHED))?;
        let began = Instant::now();
        // The engine's last task has to let go of it before it is closed.
        while Arc::strong_count(&store) > 1 {
            ensure!(began.elapsed() < LONGEST_USE, "the store is still in use");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(store);
        ensure!(!with(&file, LOG).exists(), "a clean end leaves a log");
        copy(&file, &closed)?;
        // To know how they go on, the unfinished runs are let go on in the first file.
        let good = GoodStore::read(&site.open().await?, specimen).await?;
        Ok(Self {
            pages: PageMap::read(&closed)?,
            folder,
            good,
        })
    }

    /// Flips bytes and cuts files short.
    pub(super) async fn flip(&self, trials: u64, seed: u64) -> Result<String> {
        let seeds = (0..trials).map(|nth| seed.wrapping_add(nth));
        count_trials(AT_ONCE, seeds, |seed| async move {
            let mut rng = SmallRng::seed_from_u64(seed);
            let crashed = rng.random_bool(0.25);
            let hurt = self.copy_of(if crashed { CRASHED } else { CLOSED }, seed)?;
            let harm = if crashed {
                // Nearly everything is in the log.
                let ending = ["", INDEX, LOG][rng.random_range(0..10_usize).min(2)];
                harm(&with(&hurt.0, ending), None, &mut rng)?
            } else {
                harm(&hurt.0, Some(&self.pages), &mut rng)?
            };
            let end = self.read(&hurt.0, &Harmed::Anything).await?;
            Ok((format!("seed {seed}, crashed: {crashed}, {harm}"), end))
        })
        .await
    }

    pub(super) async fn change_rows(
        &self,
        rounds: u64,
        at_once: usize,
        seed: u64,
    ) -> Result<String> {
        let harms = rows::harms_of_file(&self.folder.path().join(CLOSED))?;
        let trials = rows::trials(&harms, rounds, at_once, seed);
        count_trials(AT_ONCE, trials, |(harms, seed)| async move {
            let hurt = self.copy_of(CLOSED, seed)?;
            let harmed = rows::harm_file(&hurt.0, &harms, seed)?;
            Ok((rows::told(&harms, seed), self.read(&hurt.0, &harmed).await?))
        })
        .await
    }

    fn copy_of(&self, name: &str, seed: u64) -> Result<HarmedCopy> {
        let hurt = HarmedCopy(self.folder.path().join(format!("{seed}.db")));
        copy(&self.folder.path().join(name), &hurt.0)?;
        Ok(hurt)
    }

    /// A store may refuse to open if its file is damaged, but not because of a row.
    async fn read(&self, hurt: &Path, harmed: &Harmed) -> Result<Option<Difference>> {
        match (Sqlite::open(hurt), harmed) {
            (Ok(store), _) => {
                let store: Arc<dyn Store> = Arc::new(store);
                Ok(Some(self.good.judge(&store, harmed).await?))
            }
            (
                Err(
                    Error::StoreDamaged { .. }
                    | Error::StoreGone { .. }
                    | Error::NewerFormat { .. }
                    | Error::Store { .. },
                ),
                Harmed::Anything,
            ) => Ok(None),
            (Err(error), _) => Ok(Some(Difference {
                broken: vec![format!("it did not open: {error}")],
                ..Difference::default()
            })),
        }
    }
}

/// A copy to harm, removed with what was made beside it.
struct HarmedCopy(PathBuf);

impl Drop for HarmedCopy {
    fn drop(&mut self) {
        for ending in ["", LOG, INDEX] {
            // Most have no log.
            let _ = fs::remove_file(with(&self.0, ending));
        }
    }
}

/// Copies a database with what lies beside it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for ending in ["", LOG, INDEX] {
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

/// Where harm is worth doing: the first byte of every page of each table and index. One large table
/// must not draw all the harm.
struct PageMap {
    size: usize,
    starts: Vec<Vec<usize>>,
}

impl PageMap {
    fn read(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(path, flags)?;
        let size: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        let size = size as usize;
        let pages: Vec<String> = connection
            .prepare("SELECT group_concat(pageno) FROM dbstat GROUP BY name")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let numbers = |pages: &String| pages.split(',').map(str::parse).collect();
        let pages: Result<Vec<Vec<usize>>, _> = pages.iter().map(numbers).collect();
        let mut starts = pages?;
        for page in starts.iter_mut().flatten() {
            *page = (*page - 1) * size;
        }
        Ok(Self { size, starts })
    }

    /// A byte of some table or index, of the file's header, or of anything.
    fn draw(&self, rng: &mut SmallRng, length: usize) -> usize {
        match rng.random_range(0..20) {
            0 => rng.random_range(0..100.min(length)),
            1 => rng.random_range(0..length),
            nth => {
                let starts = &self.starts[rng.random_range(0..self.starts.len())];
                let start = starts[rng.random_range(0..starts.len())];
                // The start of a page says where its cells are, and is hit more often than by chance.
                let within = if nth < 6 { 64 } else { self.size };
                (start + rng.random_range(0..within)).min(length - 1)
            }
        }
    }
}

/// Flips bytes of the file at `path`, or cuts its end off; says what it did.
fn harm(path: &Path, pages: Option<&PageMap>, rng: &mut SmallRng) -> Result<String> {
    let mut bytes = fs::read(path).with_context(|| format!("{} to be harmed", path.display()))?;
    // Zeros at the end are room to grow: harm done to them would prove nothing.
    let length = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0) + 1;
    let harm = if rng.random_bool(0.2) {
        let left = rng.random_range(0..length);
        bytes.truncate(left);
        format!("cut from {length} to {left} bytes")
    } else {
        let mut hits = Vec::new();
        for _ in 0..rng.random_range(1..=8) {
            let offset = match pages {
                Some(pages) => pages.draw(rng, length),
                None => rng.random_range(0..length),
            };
            bytes[offset] ^= rng.random_range(1..=255_u8);
            hits.push(offset);
        }
        format!("flipped at {hits:?}")
    };
    fs::write(path, bytes)?;
    Ok(harm)
}
