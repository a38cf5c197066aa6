//! Headers read back: of one run, of a page of runs, and which runs are due.

use std::time::Duration;

use fathom_workflow::journal::{ListCursor, RunFilter, RunPage};
use fathom_workflow::record::{Damage, RunHeader, Token};
use fathom_workflow::{Error, RunId};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::{PooledConnection, Values};
use super::failure::PostgresFailure;
use super::lease::microseconds;
use crate::row::HeaderRow;

/// What [`read`] needs of a row, in its order.
macro_rules! columns {
    () => {
        "id, about, about_sum, head, head_sum, status, keep, fence, rev, \
         created_at, updated_at, wake_at, ended, workflow"
    };
}

const HEADER: &str = concat!("SELECT ", columns!(), " FROM runs WHERE id = $1");

/// Newest first. The bounds stand in for "any" where the filter leaves them out.
const LIST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM runs
    WHERE (created_at, id) < ($1, $2) AND created_at >= $3 AND created_at < $4
        AND (cardinality($5::text[]) = 0 OR status = ANY($5))
        AND ($6::text IS NULL OR workflow = $6)
        AND strpos(title, $7) > 0
    ORDER BY created_at DESC, id DESC LIMIT $8"
);

/// Runs that nobody holds and that wait for a moment, or not at all, and those whose holder is gone. Only runs that wait have a
/// moment to wake up at.
const DUE: &str = "SELECT id FROM (
        SELECT id, updated_at FROM runs
            WHERE NOT ended AND owner IS NULL AND workflow = $4 AND wake_at <= $1
        UNION ALL
        SELECT id, updated_at FROM runs
            WHERE NOT ended AND owner IS NULL AND workflow = $4 AND wake_at IS NULL
                AND status <> 'waiting'
        UNION ALL
        SELECT id, updated_at FROM runs
            WHERE NOT ended AND owner IS NOT NULL AND workflow = $4
                AND lease_until + $2::bigint * interval '1 microsecond' <= clock_timestamp()
                AND (status <> 'waiting' OR wake_at <= $1)) AS due
    ORDER BY updated_at, id LIMIT $3";

/// Finished runs that may go, in the order of their ids. Whatever is locked is in use, and can
/// expire another time.
pub(super) const EXPIRED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM runs
    WHERE ended AND status <> 'cancelled' AND keep = $1 AND updated_at < $2 AND id > $3
        AND (owner IS NULL OR lease_until <= clock_timestamp())
    ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED"
);

/// The runs whose record says what the columns say. A flipped bit must not cost a run.
pub(super) fn sound(rows: &[Row]) -> Result<Vec<Uuid>, PostgresFailure> {
    let mut runs = Vec::new();
    for row in rows {
        match read(row)? {
            Ok((run, _)) => runs.push(*run.id().as_uuid()),
            Err(Damage { what, why }) => {
                let run: Uuid = row.try_get(0)?;
                tracing::warn!(%run, what, why, "a damaged run is not purged; delete it instead");
            }
        }
    }
    Ok(runs)
}

/// Finds runs whose other records have outlived their header, going from run to run by the key.
const WITHOUT_HEADER: &str = "
    WITH RECURSIVE known AS (
        (SELECT run FROM steps ORDER BY run LIMIT 1)
        UNION ALL
        SELECT (SELECT run FROM steps WHERE run > known.run ORDER BY run LIMIT 1) FROM known
            WHERE known.run IS NOT NULL)
    SELECT count(*) FROM known
    WHERE run IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs WHERE id = known.run)";

/// How many headers are missing. Takes some ten microseconds for each run.
pub(super) async fn missing_headers(connection: &PooledConnection) -> Result<i64, PostgresFailure> {
    match connection.row(WITHOUT_HEADER, &[]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(0),
    }
}

const HAS_LOST_HEADER: &str = "SELECT EXISTS (SELECT 1 FROM steps WHERE run = $1)
    AND NOT EXISTS (SELECT 1 FROM runs WHERE id = $1)";

/// Why a run has no header: it was never there, or is gone with all it had, or has lost it.
pub(super) async fn not_found(
    connection: &PooledConnection,
    run: RunId,
) -> Result<Error, PostgresFailure> {
    let row = connection.row(HAS_LOST_HEADER, &[run.as_uuid()]).await?;
    let lost = match row {
        Some(row) => row.try_get(0)?,
        None => false,
    };
    if !lost {
        return Ok(Error::NoSuchRun { run });
    }
    let (what, why) = ("header".into(), "it is missing".into());
    let damage = Damage { what, why };
    Ok(Error::Damaged { run, damage })
}

pub(super) async fn head(
    connection: &PooledConnection,
    run: RunId,
) -> Result<(RunHeader, Token), PostgresFailure> {
    let Some(row) = connection.row(HEADER, &[run.as_uuid()]).await? else {
        return Err(PostgresFailure::Final(Error::NoSuchRun { run }));
    };
    read(&row)?.map_err(|damage| PostgresFailure::Final(Error::Damaged { run, damage }))
}

pub(super) async fn list(
    connection: &PooledConnection,
    filter: &RunFilter,
) -> Result<RunPage, PostgresFailure> {
    let rows = matching(connection, filter).await?;
    let mut page = RunPage::default();
    for row in rows.iter().take(filter.page_size()) {
        match read(row)? {
            Ok((run, _)) => page.runs.push(run),
            Err(damage) => {
                let id = RunId::from_uuid(row.try_get(0)?);
                page.damaged
                    .push(format!("run {id}: {}: {}", damage.what, damage.why));
            }
        }
    }
    if rows.len() > filter.page_size()
        && let Some(last) = rows.get(filter.page_size() - 1)
    {
        page.next = Some(cursor(last, &page)?);
    }
    Ok(page)
}

/// One row more than a page, if there is one.
async fn matching(
    connection: &PooledConnection,
    filter: &RunFilter,
) -> Result<Vec<Row>, PostgresFailure> {
    let moment = |at: Option<Timestamp>, or: i64| at.map_or(or, Timestamp::as_microsecond);
    let after_moment = moment(filter.after.map(|after| after.created_at), i64::MAX);
    let after_id = filter
        .after
        .map_or(Uuid::max(), |after| *after.id.as_uuid());
    let from = moment(filter.created_from, i64::MIN);
    let before = moment(filter.created_before, i64::MAX);
    let statuses: Vec<String> = filter.statuses.iter().map(|s| column_text(s)).collect();
    let workflow = filter.workflow.as_deref().map(column_text);
    let text = searched_text(filter.text.as_deref().unwrap_or_default());
    let limit = limit(filter.page_size().saturating_add(1));
    connection
        .rows(
            LIST,
            &[
                &after_moment,
                &after_id,
                &from,
                &before,
                &statuses,
                &workflow,
                &text,
                &limit,
            ],
        )
        .await
}

/// After `row`, even if its record is damaged and only its columns can say where it stood.
fn cursor(row: &Row, page: &RunPage) -> Result<ListCursor, PostgresFailure> {
    let id = RunId::from_uuid(row.try_get(0)?);
    let created_at = match page.runs.last().filter(|run| run.id() == id) {
        Some(run) => run.about.created_at,
        None => Timestamp::from_microsecond(row.try_get(9)?).unwrap_or(Timestamp::MIN),
    };
    Ok(ListCursor { created_at, id })
}

pub(super) async fn due(
    connection: &PooledConnection,
    workflow: &str,
    now: Timestamp,
    unheld: Duration,
    count: usize,
) -> Result<Vec<RunId>, PostgresFailure> {
    let now = now.as_microsecond();
    let workflow = column_text(workflow);
    let values: Values<'_> = &[&now, &microseconds(unheld), &limit(count), &workflow];
    run_ids(&connection.rows(DUE, values).await?)
}

pub(super) fn run_ids(rows: &[Row]) -> Result<Vec<RunId>, PostgresFailure> {
    let ids = rows.iter().map(|row| row.try_get(0).map(RunId::from_uuid));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// A number of rows as the database counts them.
pub(super) fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The header in a row, if it is whole.
fn read(row: &Row) -> Result<Result<(RunHeader, Token), Damage>, PostgresFailure> {
    let header = HeaderRow {
        id: RunId::from_uuid(row.try_get(0)?),
        about: row.try_get(1)?,
        about_sum: row.try_get(2)?,
        head: row.try_get(3)?,
        head_sum: row.try_get(4)?,
        status: row.try_get(5)?,
        keep: row.try_get(6)?,
        fence: row.try_get(7)?,
        rev: row.try_get(8)?,
        created_at: row.try_get(9)?,
        updated_at: row.try_get(10)?,
        wake_at: row.try_get(11)?,
        ended: row.try_get(12)?,
    };
    let workflow: &str = row.try_get(13)?;
    Ok(header.decode(|about| workflow == column_text(&about.workflow)))
}

/// Text as a column holds it: PostgreSQL's text has no NUL. The record holds the whole truth.
pub(super) fn column_text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Text as it is searched. Folded here, because the database's rules depend on its locale.
pub(super) fn searched_text(text: &str) -> String {
    column_text(&text.to_lowercase())
}
