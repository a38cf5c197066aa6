//! Who holds a run, until when by the database's clock, and the marks that others set on it.

use std::time::{Duration, SystemTime};

use fathom_workflow::record::Token;
use fathom_workflow::{Error, Owner, RunId};
use jiff::Timestamp;
use tokio_postgres::Row;

use super::connection::{PooledConnection, Values};
use super::failure::PostgresFailure;
use super::header::{column_text, run_ids};
use crate::row::{cancel_word, keep_word, signed, unsigned};

/// Leases end, and the database's calendar too.
const LONGEST_LEASE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

const CLAIM: &str = "UPDATE runs SET fence = fence + 1, owner = $2,
        lease_until = clock_timestamp() + $3::bigint * interval '1 microsecond'
    WHERE id = $1 AND (owner IS NULL OR lease_until <= clock_timestamp())
    RETURNING fence, rev";

/// Column 2 tells whether the lease is live.
const HOLDER: &str = "SELECT owner, lease_until, lease_until > clock_timestamp(), fence, rev
    FROM runs WHERE id = $1";

/// Locks runs in the order in which batches lock them.
const RENEW: &str = "WITH held AS (
        SELECT id FROM runs WHERE owner = $1 AND id = ANY($3) ORDER BY id FOR NO KEY UPDATE)
    UPDATE runs SET lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond'
    FROM held WHERE runs.id = held.id";

const RELEASE: &str = "UPDATE runs SET owner = NULL, lease_until = NULL
    WHERE id = $1 AND fence = $2 AND owner IS NOT NULL";

const CANCELS: &str = "SELECT id FROM runs WHERE owner = $1 AND cancel = 'wanted'";

/// A claim whose reply was lost may have succeeded: then the run is ours already.
pub(super) async fn claim(
    connection: &PooledConnection,
    run: RunId,
    owner: &Owner,
    lease: Duration,
    in_doubt: bool,
) -> Result<Token, PostgresFailure> {
    let owner = column_text(owner.as_str());
    let values: Values<'_> = &[run.as_uuid(), &owner, &microseconds(lease)];
    if let Some(row) = connection.row(CLAIM, values).await? {
        return token(&row, 0);
    }
    let Some(row) = connection.row(HOLDER, &[run.as_uuid()]).await? else {
        return Err(PostgresFailure::Final(Error::NoSuchRun { run }));
    };
    match holder(&row)? {
        Some((held_by, _)) if in_doubt && held_by.as_str() == owner => token(&row, 3),
        Some((owner, until)) => Err(PostgresFailure::Final(Error::Held { run, owner, until })),
        None => Err(PostgresFailure::Conflict {
            why: format!("run {run} changed hands just now"),
        }),
    }
}

fn token(row: &Row, at: usize) -> Result<Token, PostgresFailure> {
    Ok(Token {
        fence: unsigned(row.try_get(at)?),
        rev: unsigned(row.try_get(at + 1)?),
    })
}

/// Who holds the run of a [`HOLDER`] row now, and until when.
fn holder(row: &Row) -> Result<Option<(Owner, Timestamp)>, PostgresFailure> {
    let live: Option<bool> = row.try_get(2)?;
    let owner: Option<String> = row.try_get(0)?;
    let (Some(true), Some(owner)) = (live, owner) else {
        return Ok(None);
    };
    let until: SystemTime = row.try_get(1)?;
    let until = Timestamp::try_from(until).unwrap_or(Timestamp::MAX);
    Ok(Some((Owner::named(owner), until)))
}

/// An error if the run is missing or held.
pub(super) async fn refuse_if_held(
    connection: &PooledConnection,
    run: RunId,
) -> Result<(), PostgresFailure> {
    let Some(row) = connection.row(HOLDER, &[run.as_uuid()]).await? else {
        return Err(PostgresFailure::Final(Error::NoSuchRun { run }));
    };
    match holder(&row)? {
        Some((owner, until)) => Err(PostgresFailure::Final(Error::Held { run, owner, until })),
        None => Ok(()),
    }
}

pub(super) async fn renew(
    connection: &PooledConnection,
    owner: &Owner,
    runs: &[RunId],
    lease: Duration,
) -> Result<(), PostgresFailure> {
    let owner = column_text(owner.as_str());
    let runs: Vec<uuid::Uuid> = runs.iter().map(|run| *run.as_uuid()).collect();
    connection
        .change(RENEW, &[&owner, &microseconds(lease), &runs])
        .await?;
    Ok(())
}

pub(super) async fn release(
    connection: &PooledConnection,
    run: RunId,
    token: Token,
) -> Result<(), PostgresFailure> {
    let fence = signed(token.fence);
    connection.change(RELEASE, &[run.as_uuid(), &fence]).await?;
    Ok(())
}

pub(super) async fn cancels(
    connection: &PooledConnection,
    owner: &Owner,
) -> Result<Vec<RunId>, PostgresFailure> {
    let owner = column_text(owner.as_str());
    run_ids(&connection.rows(CANCELS, &[&owner]).await?)
}

pub(super) async fn mark_cancel(
    connection: &PooledConnection,
    run: RunId,
    wanted: bool,
) -> Result<(), PostgresFailure> {
    const MARK: &str = "UPDATE runs SET cancel = $2 WHERE id = $1";
    let mark = cancel_word(wanted);
    one_run(run, connection.change(MARK, &[run.as_uuid(), &mark]).await?)
}

pub(super) async fn mark_kept(
    connection: &PooledConnection,
    run: RunId,
    keep: bool,
) -> Result<(), PostgresFailure> {
    const MARK: &str = "UPDATE runs SET keep = $2 WHERE id = $1";
    let keep = keep_word(keep);
    one_run(run, connection.change(MARK, &[run.as_uuid(), &keep]).await?)
}

fn one_run(run: RunId, changed: u64) -> Result<(), PostgresFailure> {
    match changed {
        0 => Err(PostgresFailure::Final(Error::NoSuchRun { run })),
        _ => Ok(()),
    }
}

/// A lease's length as the database adds it to its clock.
pub(super) fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.min(LONGEST_LEASE).as_micros()).unwrap_or(i64::MAX)
}
