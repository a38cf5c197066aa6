//! Taking runs away, with all that only they refer to.

use fathom_workflow::journal::Purged;
use fathom_workflow::{Error, RunId};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::failure::{SqliteFailure, readable};
use super::header::{self, key, run_id};
use super::{lease, micros};
use crate::row::MAY_EXPIRE;

/// Runs removed in one transaction. Others wait for it, so it must not take long.
pub(super) const PURGED_AT_ONCE: usize = 32;

/// Removes a run that nobody holds at the moment `now`.
pub(super) fn delete(
    connection: &Connection,
    run: RunId,
    now: Timestamp,
) -> Result<(), SqliteFailure> {
    if let Some(held) = lease::holder(connection, run, micros(now))? {
        return Err(held.into());
    }
    erase(connection, run)?;
    Ok(())
}

/// The runs that [`purge`] may take.
pub(super) fn expired(
    connection: &Connection,
    before: Timestamp,
) -> Result<Vec<RunId>, SqliteFailure> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM runs WHERE ended = 1 AND status <> 'cancelled' AND keep = ?1 AND updated_at < ?2")?;
    let mut rows = statement.query(params![MAY_EXPIRE, micros(before)])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        match readable(row.get(0))? {
            Ok(id) => runs.push(run_id(id)),
            Err(why) => tracing::warn!(why, "a finished run has no readable id"),
        }
    }
    Ok(runs)
}

/// Removes those of `runs` that have still expired. Asks the checked record, not the columns: a
/// flipped bit must not cost a run.
pub(super) fn purge(
    connection: &Connection,
    runs: &[RunId],
    before: Timestamp,
    now: Timestamp,
) -> Result<Purged, SqliteFailure> {
    let mut purged = Purged::default();
    for &run in runs {
        let header = match header::find(connection, run) {
            Ok((header, _)) => header,
            Err(SqliteFailure::Refused(Error::NoSuchRun { .. })) => continue,
            Err(SqliteFailure::Refused(error @ Error::Damaged { .. })) => {
                tracing::warn!(%error, "a damaged run is not purged; delete it to be rid of it");
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let expired = header.head.status.can_expire()
            && header.head.updated_at < before
            && !header.keep
            && lease::holder(connection, run, micros(now))?.is_none();
        if expired {
            purged.blobs += erase(connection, run)?;
            purged.runs += 1;
        }
    }
    Ok(purged)
}

/// Removes a run, and says how many blobs went with it. Its other rows go by their foreign keys.
fn erase(connection: &Connection, run: RunId) -> Result<u64, SqliteFailure> {
    let hashes: Vec<Vec<u8>> = connection
        .prepare_cached("SELECT hash FROM blob_refs WHERE run = ?1")?
        .query_map([key(run)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    connection
        .prepare_cached("DELETE FROM runs WHERE id = ?1")?
        .execute([key(run)])?;
    let mut drop_blob = connection.prepare_cached(
        "DELETE FROM blobs
          WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE hash = ?1)",
    )?;
    let mut blobs = 0;
    for hash in hashes {
        blobs += drop_blob.execute([hash])? as u64;
    }
    Ok(blobs)
}
