//! Headers: reading one, listing many, finding those that are due.

use std::time::Duration;

use fathom_workflow::journal::{ListCursor, RunFilter, RunPage};
use fathom_workflow::record::{Damage, RunHeader, Token};
use fathom_workflow::{Error, RunId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use uuid::Uuid;

use super::failure::{SqliteFailure, readable};
use super::micros;
use crate::row::HeaderRow;

/// The columns that [`read`] takes, for a `SELECT` of its own. They are read by their places here: to look each up by its name
/// takes as long as all the rest.
macro_rules! header_columns {
    () => {
        "id, about, about_sum, head, head_sum, rev, status, ended, workflow, title, created_at, \
         updated_at, wake_at, keep, fence"
    };
}

/// Places of columns that filters look at.
const STATUS: usize = 6;
const TITLE: usize = 9;

/// The header, and the token that an append made now would need.
pub(super) fn find(
    connection: &Connection,
    run: RunId,
) -> Result<(RunHeader, Token), SqliteFailure> {
    let found = connection
        .prepare_cached(concat!(
            "SELECT ",
            header_columns!(),
            " FROM runs WHERE id = ?1"
        ))?
        .query_row([key(run)], |row| read(run, row))
        .optional();
    let damage = match readable(found)? {
        Ok(Some(Ok(header))) => return Ok(header),
        Ok(None) => return Err(not_found(connection, run)?.into()),
        Ok(Some(Err(damage))) => damage,
        Err(why) => Damage {
            what: "header".into(),
            why,
        },
    };
    Err(Error::Damaged { run, damage }.into())
}

/// A run without a header was never there, or is gone with all it had, or has lost it.
fn not_found(connection: &Connection, run: RunId) -> rusqlite::Result<Error> {
    let left_behind: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM steps WHERE run = ?1)")?
        .query_row([key(run)], |row| row.get(0))?;
    if !left_behind {
        return Ok(Error::NoSuchRun { run });
    }
    let (what, why) = ("header".into(), "it is missing".into());
    let damage = Damage { what, why };
    Ok(Error::Damaged { run, damage })
}

/// One row of [`header_columns`].
fn read(run: RunId, row: &Row<'_>) -> rusqlite::Result<Result<(RunHeader, Token), Damage>> {
    let (id, workflow, title) = (blob(row, 0)?, text(row, 8)?, text(row, TITLE)?);
    let header = HeaderRow {
        id: run,
        about: blob(row, 1)?,
        about_sum: blob(row, 2)?,
        head: blob(row, 3)?,
        head_sum: blob(row, 4)?,
        rev: row.get(5)?,
        status: text(row, STATUS)?,
        ended: row.get(7)?,
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
        wake_at: row.get(12)?,
        keep: text(row, 13)?,
        fence: row.get(14)?,
    };
    Ok(header.decode(|about| id == key(run) && workflow == about.workflow && title == about.title))
}

fn blob<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    Ok(row.get_ref(column)?.as_blob()?)
}

fn text<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a str> {
    Ok(row.get_ref(column)?.as_str()?)
}

/// Headers that match, newest first.
pub(super) fn list(connection: &Connection, filter: &RunFilter) -> Result<RunPage, SqliteFailure> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT ",
        header_columns!(),
        " FROM runs
          WHERE (created_at, id) < (:at, :id)
            AND created_at >= :from AND created_at < :before
            AND (:workflow IS NULL OR workflow = :workflow)
          ORDER BY created_at DESC, id DESC"
    ))?;
    let (at, id) = match filter.after {
        Some(ListCursor { created_at, id }) => (micros(created_at), key(id)),
        None => (i64::MAX, [0; 16]),
    };
    let mut rows = statement.query(named_params! {
        ":at": at,
        ":id": id,
        ":from": filter.created_from.map_or(i64::MIN, micros),
        ":before": filter.created_before.map_or(i64::MAX, micros),
        ":workflow": filter.workflow,
    })?;
    let texts = TextFilter::new(filter);
    let mut page = RunPage::default();
    let mut last = None;
    let mut taken = 0;
    while let Some(row) = rows.next()? {
        let cursor = match readable(cursor(row))? {
            Ok(cursor) => cursor,
            // It cannot be named, nor can a page end with it.
            Err(why) => {
                page.damaged.push(format!("a run without a name: {why}"));
                continue;
            }
        };
        // What cannot be compared is named as damaged below.
        if let Ok(false) = readable(texts.matches(row))? {
            continue;
        }
        if taken == filter.page_size() {
            page.next = last;
            break;
        }
        match readable(read(cursor.id, row))? {
            Ok(Ok((run, _))) => page.runs.push(run),
            Ok(Err(Damage { why, .. })) | Err(why) => {
                page.damaged.push(format!("run {}: {why}", cursor.id));
            }
        }
        taken += 1;
        last = Some(cursor);
    }
    Ok(page)
}

/// Where a row stands in the list.
fn cursor(row: &Row<'_>) -> rusqlite::Result<ListCursor> {
    let created_at = row.get("created_at")?;
    Ok(ListCursor {
        created_at: Timestamp::from_microsecond(created_at)
            .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, created_at))?,
        id: run_id(row.get("id")?),
    })
}

/// The part of a filter that SQL does not do: it folds the case of ASCII letters only.
struct TextFilter<'a> {
    statuses: &'a [String],
    text: Option<String>,
}

impl<'a> TextFilter<'a> {
    fn new(filter: &'a RunFilter) -> Self {
        Self {
            statuses: &filter.statuses,
            text: filter.text.as_ref().map(|text| text.to_lowercase()),
        }
    }

    fn matches(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let status = text(row, STATUS)?;
        if !self.statuses.is_empty() && !self.statuses.iter().any(|wanted| wanted == status) {
            return Ok(false);
        }
        match &self.text {
            Some(part) => Ok(text(row, TITLE)?.to_lowercase().contains(part)),
            None => Ok(true),
        }
    }
}

/// Runs that nobody holds, up to those whose time has come, and those whose holder is gone.
const DUE: &str = "
    SELECT id FROM (
        SELECT id, updated_at FROM runs INDEXED BY runs_free
         WHERE ended = 0 AND owner IS NULL AND workflow = :workflow
           AND CASE status WHEN 'waiting' THEN wake_at ELSE -9223372036854775808 END <= :now
        UNION ALL
        SELECT id, updated_at FROM runs INDEXED BY runs_held
         WHERE ended = 0 AND owner IS NOT NULL AND workflow = :workflow
           AND (lease_until IS NULL OR lease_until <= :lapsed)
           AND (status <> 'waiting' OR wake_at <= :now))
     ORDER BY updated_at, id
     LIMIT :limit";

/// Unfinished runs of a workflow whose lease lapsed `unheld` before `clock`, and that do not wait past `now`.
pub(super) fn due(
    connection: &Connection,
    workflow: &str,
    clock: Timestamp,
    now: Timestamp,
    unheld: Duration,
    limit: usize,
) -> Result<Vec<RunId>, SqliteFailure> {
    let unheld = i64::try_from(unheld.as_micros()).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(DUE)?;
    let mut rows = statement.query(named_params! {
        ":workflow": workflow,
        ":lapsed": micros(clock).saturating_sub(unheld),
        ":now": micros(now),
        ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
    })?;
    let mut due = Vec::new();
    while let Some(row) = rows.next()? {
        match readable(row.get(0))? {
            Ok(id) => due.push(run_id(id)),
            // The others go on.
            Err(why) => tracing::warn!(why, "an unfinished run has no readable id"),
        }
    }
    Ok(due)
}

/// How a run's id lies in its column.
pub(super) fn key(run: RunId) -> [u8; 16] {
    *run.as_uuid().as_bytes()
}

pub(super) fn run_id(bytes: [u8; 16]) -> RunId {
    RunId::from_uuid(Uuid::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::super::file;
    use super::*;

    /// Adds runs of the workflow "report" that wait for that moment.
    fn park(connection: &Connection, count: usize, wake_at: Option<i64>) {
        let sql = "INSERT INTO runs (id, about, about_sum, head, head_sum, rev, status, ended, workflow, title, created_at,
                                     updated_at, wake_at, keep, fence)
                   VALUES (?1, x'', x'', x'', x'', 1, 'waiting', 0, 'report', '', 0, 0, ?2, 'kept', 1)";
        let mut statement = connection.prepare(sql).unwrap();
        for _ in 0..count {
            let id = key(RunId::new());
            statement.execute((id, wake_at)).unwrap();
        }
    }

    /// How many runs are due at moment 10, and what it takes SQLite to find them, in steps of its machine.
    fn look(connection: &Connection) -> (usize, i32) {
        let at = Timestamp::from_microsecond(10).unwrap();
        let found = due(connection, "report", at, at, Duration::ZERO, 1_000).unwrap();
        let statement = connection.prepare_cached(DUE).unwrap();
        (found.len(), statement.reset_status(StatementStatus::VmStep))
    }

    #[test]
    fn runs_that_wait_make_no_work_for_those_who_look_for_due_ones() {
        let folder = tempfile::tempdir().unwrap();
        let connection = file::open(&folder.path().join("runs.db"), None).unwrap();
        park(&connection, 3, Some(10));
        park(&connection, 1, Some(11));
        park(&connection, 1, None);
        let before = look(&connection);
        park(&connection, 500, Some(11));
        park(&connection, 500, None);
        assert_eq!((before.0, look(&connection)), (3, before));
    }
}
