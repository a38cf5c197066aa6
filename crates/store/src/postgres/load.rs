//! Steps read back, and the whole state they are folded from, each within one snapshot of the database.
//!
//! What is damaged is named and never handed out. A run is loaded up to the step before the damage.

use std::ops::Range;

use fathom_workflow::record::{Damage, Loaded, Snapshot, StepRecord};
use fathom_workflow::{BlobHash, Error, RunId};
use tokio_postgres::Row;

use super::connection::{PooledConnection, Values};
use super::failure::PostgresFailure;
use super::header;
use crate::row::{
    RecordBody, RecordRow, read_blob, read_steps, read_whole_state, signed, unsigned,
};

const STEPS: &str = "SELECT step, meta, body, blob, sum, bytes
    FROM steps LEFT JOIN blobs ON hash = blob
    WHERE run = $1 AND step >= $2 AND step < $3 ORDER BY step";

/// The latest base and the latest snapshot, each at or before its bound; column 6 tells which.
const WHOLE_STATE: &str = "
    SELECT step, meta, body, blob, sum, bytes, base FROM (
        (SELECT step, meta, body, blob, sum, true AS base
            FROM steps WHERE run = $1 AND base AND step <= $2 ORDER BY step DESC LIMIT 1)
        UNION ALL
        (SELECT step, meta, body, blob, sum, false AS base
            FROM snapshots WHERE run = $1 AND step <= $3 ORDER BY step DESC LIMIT 1)
    ) AS whole LEFT JOIN blobs ON hash = blob ORDER BY step DESC, base DESC LIMIT 1";

const BLOB: &str = "SELECT bytes FROM blobs WHERE hash = $1";

const IS_NEEDED: &str = "SELECT EXISTS (SELECT 1 FROM blob_refs WHERE hash = $1)
    AND NOT EXISTS (SELECT 1 FROM blobs WHERE hash = $1)";

/// What is needed to fold the state as of step `at`, or of the last step.
pub(super) async fn load(
    connection: &PooledConnection,
    run: RunId,
    at: Option<u64>,
) -> Result<Loaded, PostgresFailure> {
    let (header, _) = header::head(connection, run).await?;
    let last = header.head.step;
    let step = at.unwrap_or(last);
    if step > last {
        return Err(Error::NoSuchStep { run, step, last }.into());
    }
    let from = whole_state(connection, run, step).await?;
    let (records, damage) = scan(connection, run, from.step + 1..step + 1).await?;
    Ok(Loaded {
        run: header,
        from,
        records,
        damage,
    })
}

/// Recorded steps from `from` on, in order, `limit` at most.
pub(super) async fn steps(
    connection: &PooledConnection,
    run: RunId,
    from: u64,
    limit: usize,
) -> Result<Vec<StepRecord>, PostgresFailure> {
    let (header, _) = header::head(connection, run).await?;
    let end = from.saturating_add(limit as u64);
    let end = end.min(header.head.step.saturating_add(1));
    match scan(connection, run, from..end).await? {
        (records, None) => Ok(records),
        (_, Some(damage)) => Err(Error::Damaged { run, damage }.into()),
    }
}

/// The wanted steps, or those before the first damage.
pub(super) async fn scan(
    connection: &PooledConnection,
    run: RunId,
    wanted: Range<u64>,
) -> Result<(Vec<StepRecord>, Option<Damage>), PostgresFailure> {
    let (first, end) = (signed(wanted.start), signed(wanted.end));
    let rows = connection
        .rows(STEPS, &[run.as_uuid(), &first, &end])
        .await?;
    let rows = rows
        .iter()
        .map(|row| Ok(Ok((row.try_get(0)?, record_row(row, 1)?))));
    read_steps(run, wanted, rows)
}

/// The latest whole state at or before `at` that can be read. A damaged one is passed over: an earlier
/// one serves too, at the price of more steps.
async fn whole_state(
    connection: &PooledConnection,
    run: RunId,
    at: u64,
) -> Result<Snapshot, PostgresFailure> {
    let (mut bases_to, mut snapshots_to) = (signed(at), signed(at));
    let mut damaged_base = None;
    loop {
        let values: Values<'_> = &[run.as_uuid(), &bases_to, &snapshots_to];
        let Some(row) = connection.row(WHOLE_STATE, values).await? else {
            let damage = damaged_base.unwrap_or_else(|| Damage {
                what: "step 0".into(),
                why: "it holds no state to start from".into(),
            });
            return Err(Error::Damaged { run, damage }.into());
        };
        let (step, is_base): (i64, bool) = (row.try_get(0)?, row.try_get(6)?);
        let damage = match read_whole_state(run, unsigned(step), is_base, record_row(&row, 1)?) {
            Ok(state) => return Ok(state),
            Err(damage) => damage,
        };
        let Damage { what, why } = &damage;
        tracing::warn!(%run, what, why, "a damaged state is passed over");
        if is_base {
            bases_to = step - 1;
            damaged_base.get_or_insert(damage);
        } else {
            snapshots_to = step - 1;
        }
    }
}

/// The columns meta, body, blob and sum, from number `first` on, and the bytes of the blob.
pub(super) fn record_row(row: &Row, first: usize) -> Result<RecordRow, PostgresFailure> {
    let (inline, apart) = (row.try_get(first + 1)?, row.try_get(first + 2)?);
    Ok(RecordRow {
        meta: row.try_get(first)?,
        body: RecordBody::from_columns(inline, apart, row.try_get(first + 4)?),
        sum: row.try_get(first + 3)?,
    })
}

/// The bytes of that name, checked.
pub(super) async fn blob(
    connection: &PooledConnection,
    hash: BlobHash,
) -> Result<Option<Vec<u8>>, PostgresFailure> {
    let name = &hash.as_bytes()[..];
    let found = match connection.row(BLOB, &[&name]).await? {
        Some(row) => Some(row.try_get(0)?),
        None => None,
    };
    let is_needed = match connection.row(IS_NEEDED, &[&name]).await? {
        Some(row) => row.try_get(0)?,
        None => false,
    };
    Ok(read_blob(hash, found, is_needed)?)
}
