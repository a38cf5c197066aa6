//! Reading the journal's entries and the events.

use fathom_workflow::event::Event;
use fathom_workflow::record::Entry;
use fathom_workflow::{Error, RunId};
use rusqlite::{Connection, params};

use super::failure::{SqliteFailure, readable};
use super::header::{self, key};
use super::load::{record_row, scan};
use crate::row::{EventRow, JournalRow, journal_length, read_events, read_journal, signed};

/// The journal of one step. It has as many entries as the log says.
pub(super) fn entries(
    connection: &Connection,
    run: RunId,
    step: u64,
) -> Result<Vec<Entry>, SqliteFailure> {
    let damaged = |damage| Error::Damaged { run, damage };
    let (header, _) = header::find(connection, run)?;
    let recorded = if step <= header.head.step {
        match scan(connection, run, step, step)? {
            (_, Some(damage)) => return Err(damaged(damage).into()),
            (mut records, None) => records.pop(),
        }
    } else {
        None
    };
    let length = journal_length(&header, step, recorded).map_err(damaged)?;
    let mut statement = connection.prepare_cached(
        "SELECT key, part, meta, body, blob, sum, (SELECT bytes FROM blobs WHERE hash = blob)
           FROM entries WHERE run = ?1 AND step = ?2 ORDER BY key, part",
    )?;
    let rows = statement.query_map(params![key(run), signed(step)], |row| {
        Ok(JournalRow {
            step: signed(step),
            key: row.get(0)?,
            part: row.get(1)?,
            row: record_row(row, 2)?,
        })
    })?;
    let entries = read_journal(run, step, length, rows.map(readable))?;
    Ok(entries.map_err(damaged)?)
}

/// Events numbered above `after`, in whole batches until there are `limit`.
pub(super) fn events(
    connection: &Connection,
    run: RunId,
    after: u64,
    limit: usize,
) -> Result<Vec<Event>, SqliteFailure> {
    let (header, _) = header::find(connection, run)?;
    let mut statement = connection.prepare_cached(
        "SELECT first, last, meta, sum FROM events
          WHERE run = ?1
            AND first >= (SELECT max(first) FROM events WHERE run = ?1 AND first <= ?2)
          ORDER BY first",
    )?;
    let from = signed(after.saturating_add(1));
    let rows = statement.query_map(params![key(run), from], |row| {
        Ok(EventRow {
            first: row.get(0)?,
            last: row.get(1)?,
            meta: row.get(2)?,
            sum: row.get(3)?,
        })
    })?;
    let events = read_events(run, after, header.head.events, limit, rows.map(readable))?;
    Ok(events.map_err(|damage| Error::Damaged { run, damage })?)
}
