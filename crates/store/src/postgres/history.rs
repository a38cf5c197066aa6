//! Reading the journal's entries and the events, each within one snapshot of the database.

use fathom_workflow::event::Event;
use fathom_workflow::record::Entry;
use fathom_workflow::{Error, RunId};
use tokio_postgres::Row;

use super::connection::PooledConnection;
use super::failure::PostgresFailure;
use super::header;
use super::load::{record_row, scan};
use crate::row::{EventRow, JournalRow, journal_length, read_events, read_journal, signed};

const ENTRIES: &str = "SELECT key, part, meta, body, blob, sum, bytes
    FROM entries LEFT JOIN blobs ON hash = blob WHERE run = $1 AND step = $2 ORDER BY part";

/// The batches that hold any of the events from number $2 to $3: since numbers have no gap, the
/// first of them is the last that begins at or before $2.
const EVENTS: &str = "SELECT first, last, meta, sum FROM events
    WHERE run = $1 AND first <= $3 AND first >= coalesce(
        (SELECT max(first) FROM events WHERE run = $1 AND first <= $2), 0)
    ORDER BY first";

/// The journal of one step. It has as many entries as the log says.
pub(super) async fn entries(
    connection: &PooledConnection,
    run: RunId,
    step: u64,
) -> Result<Vec<Entry>, PostgresFailure> {
    let damaged = |damage| Error::Damaged { run, damage };
    let (header, _) = header::head(connection, run).await?;
    let recorded = if step <= header.head.step {
        match scan(connection, run, step..step + 1).await? {
            (_, Some(damage)) => return Err(damaged(damage).into()),
            (mut records, None) => records.pop(),
        }
    } else {
        None
    };
    let length = journal_length(&header, step, recorded).map_err(damaged)?;
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [run.as_uuid(), &signed(step)];
    let rows = connection.rows(ENTRIES, &values).await?;
    let rows = rows.iter().map(|row| journal_row(step, row));
    Ok(read_journal(run, step, length, rows)?.map_err(damaged)?)
}

fn journal_row(step: u64, row: &Row) -> Result<Result<JournalRow, String>, PostgresFailure> {
    let Ok(key) = String::from_utf8(row.try_get(0)?) else {
        return Ok(Err("the key of an entry is not text".into()));
    };
    Ok(Ok(JournalRow {
        step: signed(step),
        key,
        part: row.try_get(1)?,
        row: record_row(row, 2)?,
    }))
}

/// Events numbered above `after`, in whole batches until there are `limit`.
pub(super) async fn events(
    connection: &PooledConnection,
    run: RunId,
    after: u64,
    limit: usize,
) -> Result<Vec<Event>, PostgresFailure> {
    let (header, _) = header::head(connection, run).await?;
    let from = signed(after.saturating_add(1));
    let to = signed(after.saturating_add(limit as u64));
    let rows = connection
        .rows(EVENTS, &[run.as_uuid(), &from, &to])
        .await?;
    let rows = rows.iter().map(|row| {
        Ok::<_, PostgresFailure>(Ok(EventRow {
            first: row.try_get(0)?,
            last: row.try_get(1)?,
            meta: row.try_get(2)?,
            sum: row.try_get(3)?,
        }))
    });
    let events = read_events(run, after, header.head.events, limit, rows)?;
    Ok(events.map_err(|damage| Error::Damaged { run, damage })?)
}
