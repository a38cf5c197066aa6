//! Looks after the file of the write-ahead log between commits: that there is room in it, and that it
//! is begun anew before it gets long.
//!
//! A synced commit that makes a file longer must sync the file's description too, which costs about
//! as much again as syncing the bytes. SQLite keeps the file when it begins the log anew, so it grows
//! only at first; here it is made to grow in larger pieces, of zeros. SQLite takes the first frame
//! without the log's own number for the end of the log, and so reads zeros as nothing.
//!
//! All of it only saves time: what fails is left undone.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::wal;

/// A log of so few bytes may be all that there will be.
const SHORTEST_LOG: u64 = 256 << 10;

/// There is always room for so many bytes, more than most commits need.
const LEAST_ROOM: u64 = 128 << 10;

const PIECE: u64 = 1 << 20;

/// Written one by one: of what comes at once, Linux may make a page of its own, and later count all
/// of it as written when a part is.
const PAGE: usize = 4096;

/// SQLite cuts a longer one back to this after a burst (`journal_size_limit`).
const LONGEST_LOG: u64 = 64 << 20;

/// Frames after which the log is copied into the database, so that it can begin anew. Few, so that it
/// soon does; but where many runs share a commit, their frames would come to that in no time.
const FEW_FRAMES: u64 = 1_024;
const MANY_FRAMES: u64 = 4_096;

pub(super) struct Ahead {
    /// `None` if the file could not be opened or made longer.
    log: Option<File>,
    frame: u64,
    /// How many frames the log had after the last commit. SQLite tells with each, for nothing.
    frames: Arc<AtomicU64>,
    /// How many frames the log had when it was last copied; 0 once it has begun anew.
    copied: u64,
}

impl Ahead {
    /// The log of the database at `path`, which is open.
    pub(super) fn of(path: &Path, connection: &mut Connection) -> rusqlite::Result<Self> {
        let frames = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&frames);
        connection.wal_hook(Some(move |_: &mut Wal, count: i32| {
            told.store(u64::from(count.unsigned_abs()), Ordering::Relaxed);
            Ok(())
        }))?;
        let page: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        // SQLite holds no locks on this file, so closing it lets none go.
        let log = OpenOptions::new()
            .write(true)
            .open(wal::beside(path, "-wal"));
        Ok(Self {
            log: log.ok(),
            frame: wal::FRAME_HEADER + u64::from(page),
            frames,
            copied: 0,
        })
    }

    /// To be asked after each commit, with how many jobs shared it.
    pub(super) fn keep(&mut self, connection: &Connection, jobs: usize) {
        let frames = self.frames.load(Ordering::Relaxed);
        if frames < self.copied {
            self.copied = 0;
        }
        let most = if jobs > 1 { MANY_FRAMES } else { FEW_FRAMES };
        if frames >= self.copied + most {
            // Goes as far as others' reads allow, and waits for nobody.
            self.copied = frames;
            if let Err(error) =
                connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
            {
                tracing::warn!(%error, "the log could not be copied into the database");
            }
        } else if let Some(log) = &mut self.log
            && let Err(error) = keep_room(log, frames * self.frame, connection)
        {
            tracing::debug!(%error, "the log is left to grow by itself");
            self.log = None;
        }
    }
}

fn keep_room(
    log: &mut File,
    used: u64,
    connection: &Connection,
) -> Result<(), Box<dyn std::error::Error>> {
    let length = log.metadata()?.len();
    if used < SHORTEST_LOG || used + LEAST_ROOM <= length || length + PIECE > LONGEST_LOG {
        return Ok(());
    }
    // While we may write, no other process writes to the log, nor cuts it off.
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let grown = grow(log);
    connection.prepare_cached("ROLLBACK")?.execute([])?;
    Ok(grown?)
}

/// Zeros that are really written: room that is only promised would be accounted for when it is used.
fn grow(log: &mut File) -> std::io::Result<()> {
    let end = log.seek(SeekFrom::End(0))?;
    let mut pages = std::iter::repeat_n([0; PAGE], PIECE as usize / PAGE);
    let written = pages.try_for_each(|page| log.write_all(&page));
    if written.is_err() {
        // The last room on a disk is for others.
        log.set_len(end)?;
    }
    written
}
