//! Reading a run back: the latest whole state, and the steps after it.

use fathom_workflow::record::{Damage, Loaded, Snapshot, StepRecord};
use fathom_workflow::{BlobHash, Error, RunId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::failure::{SqliteFailure, readable};
use super::header::{self, key};
use crate::row::{
    RecordBody, RecordRow, read_blob, read_steps, read_whole_state, signed, unsigned,
};

/// What is needed to fold the state as of step `at`, or of the last step.
pub(super) fn load(
    connection: &Connection,
    run: RunId,
    at: Option<u64>,
) -> Result<Loaded, SqliteFailure> {
    let (header, _) = header::find(connection, run)?;
    let last = header.head.step;
    let step = at.unwrap_or(last);
    if step > last {
        return Err(Error::NoSuchStep { run, step, last }.into());
    }
    let from = whole_state(connection, run, step)?;
    let (records, damage) = scan(connection, run, from.step + 1, step)?;
    Ok(Loaded {
        run: header,
        from,
        records,
        damage,
    })
}

/// Recorded steps from `from` on, in order, `limit` at most.
pub(super) fn steps(
    connection: &Connection,
    run: RunId,
    from: u64,
    limit: usize,
) -> Result<Vec<StepRecord>, SqliteFailure> {
    let (header, _) = header::find(connection, run)?;
    let end = from.saturating_add(limit as u64);
    let Some(to) = end.checked_sub(1).filter(|to| *to >= from) else {
        return Ok(Vec::new());
    };
    match scan(connection, run, from, to.min(header.head.step))? {
        (records, None) => Ok(records),
        (_, Some(damage)) => Err(Error::Damaged { run, damage }.into()),
    }
}

/// The steps from `first` to `last`, or those before the first damage.
pub(super) fn scan(
    connection: &Connection,
    run: RunId,
    first: u64,
    last: u64,
) -> rusqlite::Result<(Vec<StepRecord>, Option<Damage>)> {
    let mut statement = connection.prepare_cached(
        "SELECT step, meta, body, blob, sum, (SELECT bytes FROM blobs WHERE hash = blob)
           FROM steps WHERE run = ?1 AND step BETWEEN ?2 AND ?3 ORDER BY step",
    )?;
    let found = params![key(run), signed(first), signed(last)];
    let rows = statement.query_map(found, |row| Ok((row.get(0)?, record_row(row, 1)?)))?;
    read_steps(run, first..last.saturating_add(1), rows.map(readable))
}

/// The latest whole state at or before step `at` that can be read. A damaged one is passed over:
/// an earlier one serves too, at the price of more steps. Step 0 is the last resort: it is no part of
/// the index, and so may be there when the index is damaged.
fn whole_state(connection: &Connection, run: RunId, at: u64) -> Result<Snapshot, SqliteFailure> {
    // Without the hint SQLite would look at every step for the few that are marked.
    let mut statement = connection.prepare_cached(
        "SELECT step, meta, body, blob, sum, (SELECT bytes FROM blobs WHERE hash = blob), base
           FROM (SELECT step, meta, body, blob, sum, 0 AS base FROM snapshots
                  WHERE run = ?1 AND step <= ?2
                 UNION ALL
                 SELECT step, meta, body, blob, sum, 1 AS base FROM steps INDEXED BY steps_base
                  WHERE run = ?1 AND step <= ?2 AND base = 1)
          ORDER BY step DESC",
    )?;
    let found = statement.query_map(params![key(run), signed(at)], |row| {
        let (step, is_base) = (unsigned(row.get(0)?), row.get(6)?);
        Ok(read_whole_state(run, step, is_base, record_row(row, 1)?))
    })?;
    for state in found {
        match readable(state)? {
            Ok(Ok(state)) => return Ok(state),
            Ok(Err(Damage { what, why })) => {
                tracing::warn!(%run, what, why, "a damaged state is passed over");
            }
            Err(why) => {
                tracing::warn!(%run, why, "the list of snapshots is damaged");
                break;
            }
        }
    }
    let first = connection
        .prepare_cached(
            "SELECT meta, body, blob, sum, (SELECT bytes FROM blobs WHERE hash = blob)
               FROM steps WHERE run = ?1 AND step = 0",
        )?
        .query_row([key(run)], |row| record_row(row, 0))
        .optional();
    let damaged = |why: String| Damage {
        what: "step 0".into(),
        why,
    };
    let state = match readable(first)? {
        Ok(Some(row)) => read_whole_state(run, 0, true, row),
        Ok(None) => Err(damaged("it is missing".into())),
        Err(why) => Err(damaged(why)),
    };
    Ok(state.map_err(|damage| Error::Damaged { run, damage })?)
}

/// The columns meta, body, blob and sum, from number `first` on, and the bytes of the blob.
pub(super) fn record_row(row: &Row<'_>, first: usize) -> rusqlite::Result<RecordRow> {
    let (inline, apart) = (row.get(first + 1)?, row.get(first + 2)?);
    Ok(RecordRow {
        meta: row.get(first)?,
        body: RecordBody::from_columns(inline, apart, row.get(first + 4)?),
        sum: row.get(first + 3)?,
    })
}

/// The bytes of that name, checked.
pub(super) fn blob(
    connection: &Connection,
    hash: BlobHash,
) -> Result<Option<Vec<u8>>, SqliteFailure> {
    let found = connection
        .prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| row.get(0))
        .optional()?;
    let is_needed = connection
        .prepare_cached("SELECT 1 FROM blob_refs WHERE hash = ?1")?
        .exists([hash.as_bytes()])?;
    Ok(read_blob(hash, found, is_needed)?)
}
