//! Reading a run back: the latest whole state, and the steps after it.

use fathom_workflow::record::{Damage, Loaded, Snapshot, StepKind, StepRecord, Tally};
use fathom_workflow::{BlobHash, Error, RunId};
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OptionalExtension, params};

use super::fault::{Failure, seen};
use super::header::{self, key};
use crate::row::{Body, Row, read_blob, read_snapshot, read_step, signed, unsigned};

/// What is needed to fold the state as of step `at`, or of the last step.
pub(super) fn load(
    connection: &Connection,
    run: RunId,
    at: Option<u64>,
) -> Result<Loaded, Failure> {
    let (header, _) = header::find(connection, run)?;
    let last = header.head.step;
    let at = at.unwrap_or(last);
    if at > last {
        return Err(Error::NoSuchStep {
            run,
            step: at,
            last,
        }
        .into());
    }
    let from = start(connection, run, at)?;
    let (records, damage) = scan(connection, run, from.step + 1, at)?;
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
) -> Result<Vec<StepRecord>, Failure> {
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

/// One step that is known to be recorded.
pub(super) fn step(
    connection: &Connection,
    run: RunId,
    step: u64,
) -> Result<Result<StepRecord, Damage>, Failure> {
    let (mut records, damage) = scan(connection, run, step, step)?;
    Ok(match (records.pop(), damage) {
        (Some(record), None) => Ok(record),
        (_, Some(damage)) => Err(damage),
        (None, None) => Err(missing(step)),
    })
}

/// The latest whole state at or before step `at` that can be read. A damaged one is passed over:
/// an earlier one serves too, at the price of more steps. Step 0 is the last resort.
fn start(connection: &Connection, run: RunId, at: u64) -> Result<Snapshot, Failure> {
    // Without the hint SQLite would look at every step for the few that are marked.
    let mut candidates = connection.prepare_cached(
        "SELECT step, 1 FROM snapshots WHERE run = ?1 AND step <= ?2
         UNION ALL
         SELECT step, 0 FROM steps INDEXED BY steps_base
          WHERE run = ?1 AND step <= ?2 AND base = 1
         ORDER BY step DESC",
    )?;
    let mut candidates = candidates.query(params![key(run), signed(at)])?;
    loop {
        let candidate = candidates.next().and_then(|row| match row {
            Some(row) => Ok(Some((unsigned(row.get(0)?), row.get(1)?))),
            None => Ok(None),
        });
        let found = match seen(|| "the list of snapshots".into(), candidate)? {
            Ok(Some((step, true))) => snapshot_at(connection, run, step)?,
            Ok(Some((step, false))) => base_at(connection, run, step)?,
            Ok(None) => break,
            Err(damage) => {
                pass_over(run, &damage);
                break;
            }
        };
        match found {
            Ok(state) => return Ok(state),
            Err(damage) => pass_over(run, &damage),
        }
    }
    match base_at(connection, run, 0)? {
        Ok(state) => Ok(state),
        Err(damage) => Err(Error::Damaged { run, damage }.into()),
    }
}

fn pass_over(run: RunId, Damage { what, why }: &Damage) {
    tracing::warn!(%run, what, why, "a damaged state is passed over");
}

fn snapshot_at(
    connection: &Connection,
    run: RunId,
    step: u64,
) -> rusqlite::Result<Result<Snapshot, Damage>> {
    let mut statement = connection.prepare_cached(
        "SELECT meta, body, blob, sum FROM snapshots WHERE run = ?1 AND step = ?2",
    )?;
    let read = statement
        .query_row(params![key(run), signed(step)], |row| {
            whole_row(connection, row, 0)
        })
        .optional();
    let what = || format!("snapshot at step {step}");
    Ok(match seen(what, read)? {
        Ok(Some((row, apart))) => read_snapshot(run, step, row, apart),
        Ok(None) => Err(Damage {
            what: what(),
            why: "it is missing".into(),
        }),
        Err(damage) => Err(damage),
    })
}

fn base_at(
    connection: &Connection,
    run: RunId,
    step: u64,
) -> Result<Result<Snapshot, Damage>, Failure> {
    let record = match self::step(connection, run, step)? {
        Ok(record) => record,
        Err(damage) => return Ok(Err(damage)),
    };
    let mut tally = Tally::default();
    tally.count(&record.meta);
    Ok(match (record.meta.kind, record.payload) {
        (StepKind::Base { .. }, Some(state)) => Ok(Snapshot { step, tally, state }),
        (StepKind::Base { .. } | StepKind::Update | StepKind::Cut(_), _) => Err(Damage {
            what: format!("step {step}"),
            why: "it does not hold a whole state".into(),
        }),
    })
}

/// The steps from `first` to `last`, or those before the first damage.
fn scan(
    connection: &Connection,
    run: RunId,
    first: u64,
    last: u64,
) -> Result<(Vec<StepRecord>, Option<Damage>), Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT step, meta, body, blob, sum FROM steps
          WHERE run = ?1 AND step BETWEEN ?2 AND ?3 ORDER BY step",
    )?;
    let mut rows = statement.query(params![key(run), signed(first), signed(last)])?;
    let mut records = Vec::new();
    for step in first..=last {
        let read = match rows.next() {
            Ok(None) => return Ok((records, Some(missing(step)))),
            Ok(Some(row)) => row
                .get(0)
                .and_then(|number: i64| Ok((number, whole_row(connection, row, 1)?))),
            Err(error) => Err(error),
        };
        let damage = match seen(|| format!("step {step}"), read)? {
            Ok((number, _)) if number != signed(step) => missing(step),
            Ok((_, (row, apart))) => match read_step(run, step, row, apart) {
                Ok(record) => {
                    records.push(record);
                    continue;
                }
                Err(damage) => damage,
            },
            Err(damage) => damage,
        };
        return Ok((records, Some(damage)));
    }
    Ok((records, None))
}

fn missing(step: u64) -> Damage {
    Damage {
        what: format!("step {step}"),
        why: "it is missing".into(),
    }
}

/// The columns meta, body, blob and sum, from number `first` on, with the body that is kept apart.
pub(super) fn whole_row(
    connection: &Connection,
    row: &rusqlite::Row<'_>,
    first: usize,
) -> rusqlite::Result<(Row, Option<Vec<u8>>)> {
    let body = Body::from_columns(row.get(first + 1)?, row.get(first + 2)?)
        .map_err(|why| FromSqlError::Other(why.into()))?;
    let apart = match &body {
        Body::Apart(hash) => blob(connection, *hash)?,
        Body::None | Body::Inline(_) => None,
    };
    let row = Row {
        meta: row.get(first)?,
        body,
        sum: row.get(first + 3)?,
    };
    Ok((row, apart))
}

/// The bytes of that name. Bytes that a run refers to and that are not found are damage, not
/// absence: the index that finds them may be broken.
pub(super) fn checked_blob(
    connection: &Connection,
    hash: BlobHash,
) -> Result<Option<Vec<u8>>, Failure> {
    if let Some(bytes) = blob(connection, hash)? {
        return Ok(Some(read_blob(hash, bytes)?));
    }
    let needed: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM blob_refs WHERE hash = ?1)")?
        .query_row([hash.as_bytes()], |row| row.get(0))?;
    if !needed {
        return Ok(None);
    }
    Err(Error::StoreDamaged {
        what: format!("blob {hash}"),
        why: "it is missing".into(),
    }
    .into())
}

/// The bytes of that name, unchecked.
fn blob(connection: &Connection, hash: BlobHash) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| row.get(0))
        .optional()
}
