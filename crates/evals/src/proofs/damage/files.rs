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
use super::{DamageTally, Trial, TrialEnd, rows, specimen};
use crate::stores::{Backend, Disk, Site};

pub(super) struct SpecimenFiles {
    folder: TempDir,
    good: GoodStore,
    /// What lies where in the closed file.
    pages: PageMap,
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

impl SpecimenFiles {
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
        let good = GoodStore::read(&site.open().await?, specimen).await?;
        Ok(Self {
            pages: PageMap::read(&closed)?,
            folder,
            good,
        })
    }

    /// Flips bytes and cuts files short.
    pub(super) async fn flip(&self, trials: u64, seed: u64) -> Result<DamageTally> {
        let seeds = (0..trials).map(|nth| seed.wrapping_add(nth));
        DamageTally::count_all(AT_ONCE, seeds, |seed| async move {
            let mut rng = SmallRng::seed_from_u64(seed);
            let hurt = HarmedCopy(self.folder.path().join(format!("{seed}.db")));
            let harm = if rng.random_bool(0.25) {
                self.harm_crashed(&hurt.0, &mut rng)?
            } else {
                copy(&self.folder.path().join(CLOSED), &hurt.0)?;
                harm(&hurt.0, Some(&self.pages), &mut rng)?
            };
            let end = self.read(&hurt.0, Harmed::Anything).await?;
            let harm = format!("seed {seed}, {harm}");
            Ok(Trial { harm, end })
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
    pub(super) async fn change_rows(&self, times: u64, seed: u64) -> Result<DamageTally> {
        let closed = self.folder.path().join(CLOSED);
        let changes = rows::changes(&closed)?;
        let mut trials = Vec::new();
        for time in 0..times {
            for (change, nth) in changes.iter().cloned().zip(0..) {
                trials.push((change, seed.wrapping_add(time * 1_000 + nth)));
            }
        }
        DamageTally::count_all(AT_ONCE, trials, |(change, seed)| {
            let closed = &closed;
            async move {
                let hurt = HarmedCopy(self.folder.path().join(format!("row-{seed}.db")));
                copy(closed, &hurt.0)?;
                let mut rng = SmallRng::seed_from_u64(seed);
                let end = match rows::apply(&hurt.0, &change, &mut rng)? {
                    Some(harmed) => self.read(&hurt.0, harmed).await?,
                    // The column is empty in every row.
                    None => TrialEnd::Read(Difference::default()),
                };
                let harm = format!("seed {seed}, {change}");
                Ok(Trial { harm, end })
            }
        })
        .await
    }

    async fn read(&self, hurt: &Path, harmed: Harmed) -> Result<TrialEnd> {
        let store: Arc<dyn Store> = match Sqlite::open(hurt) {
            Ok(store) => Arc::new(store),
            Err(error) => return Ok(unopened(&error, harmed)),
        };
        Ok(TrialEnd::Read(self.good.judge(&store, harmed).await?))
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
fn unopened(error: &Error, harmed: Harmed) -> TrialEnd {
    let mut difference = Difference::default();
    match (error, harmed) {
        (
            Error::StoreDamaged { .. }
            | Error::StoreGone { .. }
            | Error::NewerFormat { .. }
            | Error::Store { .. },
            Harmed::Anything,
        ) => return TrialEnd::Unopened,
        _ => difference.broken.push(format!("it did not open: {error}")),
    }
    TrialEnd::Read(difference)
}

/// A copy to harm, removed with what was made beside it.
struct HarmedCopy(PathBuf);

impl Drop for HarmedCopy {
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

/// Where harm is worth doing: the pages of each table and index.
struct PageMap {
    size: usize,
    /// By table or index, so that one large table does not draw all the harm.
    of: Vec<(String, Vec<usize>)>,
}

impl PageMap {
    fn read(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(path, flags)?;
        let size: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        let mut statement =
            connection.prepare("SELECT name, pageno FROM dbstat ORDER BY name, pageno")?;
        let mut rows = statement.query([])?;
        let mut of: Vec<(String, Vec<usize>)> = Vec::new();
        while let Some(row) = rows.next()? {
            let (name, page): (String, u32) = (row.get(0)?, row.get(1)?);
            match of.last_mut() {
                Some((last, pages)) if *last == name => pages.push(page as usize),
                _ => of.push((name, vec![page as usize])),
            }
        }
        Ok(Self {
            size: size as usize,
            of,
        })
    }

    /// A byte of some table or index, of the file's header, or of anything.
    fn draw(&self, rng: &mut SmallRng, length: usize) -> (usize, String) {
        match rng.random_range(0..20) {
            0 => (
                rng.random_range(0..100.min(length)),
                "the file's header".into(),
            ),
            1 => (rng.random_range(0..length), "anything".into()),
            nth => {
                let (name, pages) = &self.of[rng.random_range(0..self.of.len())];
                let start = (pages[rng.random_range(0..pages.len())] - 1) * self.size;
                // The start of a page says where its cells are, and is hit more often than by chance.
                let within = if nth < 6 { 64 } else { self.size };
                let offset = (start + rng.random_range(0..within)).min(length - 1);
                (offset, name.clone())
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
            let (offset, what) = match pages {
                Some(pages) => pages.draw(rng, length),
                None => (rng.random_range(0..length), "the log".into()),
            };
            let flip = rng.random_range(1..=255_u8);
            bytes[offset] ^= flip;
            hits.push(format!("{what} at {offset} by {flip:#04x}"));
        }
        format!("flipped: {}", hits.join(", "))
    };
    fs::write(path, bytes)?;
    Ok(harm)
}
