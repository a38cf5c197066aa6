//! Harm done to files: a few bytes flipped, or the end cut off.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use rand::Rng;
use rand::rngs::SmallRng;
use rusqlite::{Connection, OpenFlags};

/// What was done, in words.
pub(super) type Harm = String;

/// Where harm is worth doing: the pages of each table and index.
pub(super) struct Pages {
    size: usize,
    /// By table or index, so that one large table does not draw all the harm.
    of: Vec<(String, Vec<usize>)>,
}

impl Pages {
    pub(super) fn of(path: &Path) -> Result<Self> {
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

/// Flips bytes of the file at `path`, or cuts its end off.
pub(super) fn harm(path: &Path, pages: Option<&Pages>, rng: &mut SmallRng) -> Result<Harm> {
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
