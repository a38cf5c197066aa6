//! Forgetting runs, with all that only they refer to.
//!
//! A run's row is locked first, so no append slips in. Its blobs are locked before they are looked
//! at, so a concurrent append that refers to one of them comes either wholly before the look, and
//! is seen, or after the removal, and stores the blob anew.

use fathom_workflow::journal::Purged;
use fathom_workflow::{Error, RunId};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::PooledConnection;
use super::failure::PostgresFailure;
use super::header::{EXPIRED, sound};
use super::lease::refuse_if_held;
use crate::row::MAY_EXPIRE;

/// How many runs a purge forgets in one transaction.
const PURGED_AT_ONCE: i64 = 100;

const LOCK: &str = "SELECT 1 FROM runs WHERE id = $1 FOR UPDATE";

const OWN_ROWS: [&str; 5] = [
    "DELETE FROM steps WHERE run = ANY($1)",
    "DELETE FROM snapshots WHERE run = ANY($1)",
    "DELETE FROM entries WHERE run = ANY($1)",
    "DELETE FROM events WHERE run = ANY($1)",
    "DELETE FROM runs WHERE id = ANY($1)",
];

const REFERENCES: &str = "DELETE FROM blob_refs WHERE run = ANY($1) RETURNING hash";

const LOCK_BLOBS: &str = "SELECT 1 FROM blobs WHERE hash = ANY($1) ORDER BY hash FOR UPDATE";

const UNUSED_BLOBS: &str = "DELETE FROM blobs WHERE hash = ANY($1)
    AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE blob_refs.hash = blobs.hash)";

/// To be done in one transaction. A deletion whose reply was lost may have succeeded: then there is
/// nothing left to do.
pub(super) async fn delete(
    connection: &PooledConnection,
    run: RunId,
    in_doubt: bool,
) -> Result<(), PostgresFailure> {
    connection.rows(LOCK, &[run.as_uuid()]).await?;
    match refuse_if_held(connection, run).await {
        Ok(()) => forget(connection, &[*run.as_uuid()]).await.map(drop),
        Err(PostgresFailure::Final(Error::NoSuchRun { .. })) if in_doubt => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Forgets some expired runs whose id is above `after`, in one transaction. Tells how far it looked;
/// nothing when there were none to look at.
pub(super) async fn purge_some(
    connection: &PooledConnection,
    before_us: i64,
    after: Uuid,
) -> Result<(Purged, Option<Uuid>), PostgresFailure> {
    let found = connection
        .rows(EXPIRED, &[&MAY_EXPIRE, &before_us, &after, &PURGED_AT_ONCE])
        .await?;
    let last = first_column(&found)?.pop();
    let runs = sound(&found)?;
    let blobs = forget(connection, &runs).await?;
    let purged = Purged {
        runs: runs.len() as u64,
        blobs,
    };
    Ok((purged, last))
}

/// Removes locked runs. Tells how many blobs went with them.
async fn forget(connection: &PooledConnection, runs: &[Uuid]) -> Result<u64, PostgresFailure> {
    for sql in OWN_ROWS {
        connection.change(sql, &[&runs]).await?;
    }
    let released = connection.rows(REFERENCES, &[&runs]).await?;
    let hashes: Vec<Vec<u8>> = first_column(&released)?;
    if hashes.is_empty() {
        return Ok(0);
    }
    // Two statements: the second sees what was committed while the first waited for its locks.
    connection.rows(LOCK_BLOBS, &[&hashes]).await?;
    connection.change(UNUSED_BLOBS, &[&hashes]).await
}

fn first_column<'a, T: tokio_postgres::types::FromSql<'a>>(
    rows: &'a [Row],
) -> Result<Vec<T>, PostgresFailure> {
    let values = rows.iter().map(|row| row.try_get(0));
    Ok(values.collect::<Result<_, _>>()?)
}
