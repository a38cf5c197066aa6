//! Steps read back, and the whole state they are folded from.
//!
//! What is damaged is named and never handed out. A run is loaded up to the step before the damage.

use std::ops::Range;

use fathom_workflow::record::{Damage, Loaded, Run, Snapshot, StepKind, StepRecord};
use fathom_workflow::{BlobHash, Error, RunId};
use tokio_postgres::Row as Found;

use super::fault::Fault;
use super::header::{self, HEADER, limit};
use super::link::Link;
use crate::row::{Body, Row, read_blob, read_snapshot, read_step, signed, unsigned};

/// Columns 0 to 5 are those that [`row_of`] reads.
const STEPS: &str = "SELECT step, meta, body, blob, sum, bytes
    FROM steps LEFT JOIN blobs ON hash = blob
    WHERE run = $1 AND step >= $2 AND step < $3 ORDER BY step LIMIT $4";

/// The latest base and the latest snapshot, each at or before its bound; column 6 tells which.
const WHOLE_STATES: &str = "
    SELECT step, meta, body, blob, sum, bytes, base FROM (
        (SELECT step, meta, body, blob, sum, true AS base
            FROM steps WHERE run = $1 AND base AND step <= $2 ORDER BY step DESC LIMIT 1)
        UNION ALL
        (SELECT step, meta, body, blob, sum, false AS base
            FROM snapshots WHERE run = $1 AND step <= $3 ORDER BY step DESC LIMIT 1)
    ) AS whole LEFT JOIN blobs ON hash = blob ORDER BY step DESC, base DESC LIMIT 1";

/// The steps after that whole state.
const SINCE: &str = "SELECT step, meta, body, blob, sum, bytes
    FROM steps LEFT JOIN blobs ON hash = blob
    WHERE run = $1 AND step <= $2 AND step > greatest(
        (SELECT max(step) FROM steps WHERE run = $1 AND base AND step <= $2),
        (SELECT max(step) FROM snapshots WHERE run = $1 AND step <= $2))
    ORDER BY step";

const BLOB: &str = "SELECT bytes FROM blobs WHERE hash = $1";

const IS_LOST: &str = "SELECT EXISTS (SELECT 1 FROM blob_refs WHERE hash = $1)
    AND NOT EXISTS (SELECT 1 FROM blobs WHERE hash = $1)";

/// Takes one round trip, as long as nothing is damaged.
pub(super) async fn load(link: &Link, run: RunId, at: Option<u64>) -> Result<Loaded, Fault> {
    let (id, to) = (run.as_uuid(), at.map_or(i64::MAX, signed));
    let [headers, whole, since] = link
        .snapshot([
            (HEADER, &[id]),
            (WHOLE_STATES, &[id, &to, &to]),
            (SINCE, &[id, &to]),
        ])
        .await?;
    let (header, _) = header::only(run, &headers)?;
    let at = there(&header, at)?;
    let from = match whole.first() {
        Some(row) => state_in(run, row)?.1.ok(),
        None => None,
    };
    match from.filter(|from| from.step <= at) {
        Some(from) => loaded(header, from, at, &since),
        None => load_past_damage(link, run, at).await,
    }
}

/// Looks for an earlier whole state, one after the other.
async fn load_past_damage(link: &Link, run: RunId, at: u64) -> Result<Loaded, Fault> {
    link.begin_reading().await?;
    let loaded = load_step_by_step(link, run, at).await;
    link.end().await?;
    loaded
}

async fn load_step_by_step(link: &Link, run: RunId, at: u64) -> Result<Loaded, Fault> {
    let (header, _) = header::head(link, run).await?;
    let from = whole_state(link, run, at).await?;
    let (first, end) = (signed(from.step + 1), signed(at + 1));
    let found = link
        .rows(STEPS, &[run.as_uuid(), &first, &end, &i64::MAX])
        .await?;
    loaded(header, from, at, &found)
}

/// The step up to which to load: the last, unless an earlier one is wanted.
fn there(header: &Run, wanted: Option<u64>) -> Result<u64, Fault> {
    let (run, last) = (header.id(), header.head.step);
    match wanted.unwrap_or(last) {
        step if step > last => Err(Fault::Final(Error::NoSuchStep { run, step, last })),
        step => Ok(step),
    }
}

fn loaded(run: Run, from: Snapshot, at: u64, found: &[Found]) -> Result<Loaded, Fault> {
    let (records, damage) = read_steps(run.id(), from.step + 1..at + 1, found)?;
    Ok(Loaded {
        run,
        from,
        records,
        damage,
    })
}

pub(super) async fn steps(
    link: &Link,
    run: RunId,
    from: u64,
    count: usize,
) -> Result<Vec<StepRecord>, Fault> {
    let (first, count) = (signed(from), limit(count));
    let [headers, found] = link
        .snapshot([
            (HEADER, &[run.as_uuid()]),
            (STEPS, &[run.as_uuid(), &first, &i64::MAX, &count]),
        ])
        .await?;
    let (header, _) = header::only(run, &headers)?;
    let end = header.head.step.saturating_add(1);
    let wanted = from..end.min(from.saturating_add(unsigned(count)));
    match read_steps(run, wanted, &found)? {
        (records, None) => Ok(records),
        (_, Some(damage)) => Err(Fault::Final(Error::Damaged { run, damage })),
    }
}

pub(super) async fn blob(link: &Link, hash: BlobHash) -> Result<Option<Vec<u8>>, Fault> {
    let name = &hash.as_bytes()[..];
    if let Some(row) = link.row(BLOB, &[&name]).await? {
        return Ok(Some(read_blob(hash, row.try_get(0)?)?));
    }
    let lost = match link.row(IS_LOST, &[&name]).await? {
        Some(row) => row.try_get(0)?,
        None => false,
    };
    if !lost {
        return Ok(None);
    }
    Err(Fault::Final(Error::StoreDamaged {
        what: format!("blob {hash}"),
        why: "it is missing, though runs refer to it".into(),
    }))
}

/// The good records among those wanted, up to the first damage.
fn read_steps(
    run: RunId,
    wanted: Range<u64>,
    found: &[Found],
) -> Result<(Vec<StepRecord>, Option<Damage>), Fault> {
    let mut records = Vec::with_capacity(found.len());
    let mut found = found.iter().peekable();
    for step in wanted {
        let row = found.next_if(|row| row.try_get(0).is_ok_and(|is: i64| is == signed(step)));
        let read = match row {
            Some(row) => step_of(run, step, row)?,
            None => Err(Damage {
                what: format!("step {step}"),
                why: "it is missing".into(),
            }),
        };
        match read {
            Ok(record) => records.push(record),
            Err(damage) => return Ok((records, Some(damage))),
        }
    }
    Ok((records, None))
}

/// The latest whole state at or before `at` that can be read.
async fn whole_state(link: &Link, run: RunId, at: u64) -> Result<Snapshot, Fault> {
    let (mut bases_to, mut snapshots_to) = (signed(at), signed(at));
    let mut worst = None;
    loop {
        let values: super::link::Values<'_> = &[run.as_uuid(), &bases_to, &snapshots_to];
        let Some(row) = link.row(WHOLE_STATES, values).await? else {
            let damage = worst.unwrap_or_else(|| Damage {
                what: "step 0".into(),
                why: "it holds no state to start from".into(),
            });
            return Err(Fault::Final(Error::Damaged { run, damage }));
        };
        let (Place { step, is_base }, read) = state_in(run, &row)?;
        let damage = match read {
            Ok(state) => return Ok(state),
            Err(damage) => damage,
        };
        let Damage { what, why } = &damage;
        tracing::warn!(%run, what, why, "a damaged state is passed over for an earlier one");
        if is_base {
            bases_to = step - 1;
            worst.get_or_insert(damage);
        } else {
            snapshots_to = step - 1;
        }
    }
}

/// Where a whole state lies.
struct Place {
    step: i64,
    is_base: bool,
}

/// The whole state in a row of [`WHOLE_STATES`].
fn state_in(run: RunId, row: &Found) -> Result<(Place, Result<Snapshot, Damage>), Fault> {
    let (step, is_base): (i64, bool) = (row.try_get(0)?, row.try_get(6)?);
    let read = match is_base {
        true => step_of(run, unsigned(step), row)?.and_then(state_of),
        false => snapshot_of(run, unsigned(step), row)?,
    };
    Ok((Place { step, is_base }, read))
}

fn state_of(record: StepRecord) -> Result<Snapshot, Damage> {
    let step = record.meta.step;
    match (record.meta.kind, record.payload) {
        (StepKind::Base { tally, .. }, Some(state)) => Ok(Snapshot { step, tally, state }),
        (StepKind::Base { .. } | StepKind::Update | StepKind::Cut(_), _) => Err(Damage {
            what: format!("step {step}"),
            why: "it is marked as a whole state and holds none".into(),
        }),
    }
}

pub(super) fn step_of(
    run: RunId,
    step: u64,
    found: &Found,
) -> Result<Result<StepRecord, Damage>, Fault> {
    let row = match row_of(found, 1)? {
        Ok(row) => row,
        Err(why) => {
            let what = format!("step {step}");
            return Ok(Err(Damage { what, why }));
        }
    };
    Ok(read_step(run, step, row, found.try_get(5)?))
}

fn snapshot_of(run: RunId, step: u64, found: &Found) -> Result<Result<Snapshot, Damage>, Fault> {
    let row = match row_of(found, 1)? {
        Ok(row) => row,
        Err(why) => {
            let what = format!("snapshot at step {step}");
            return Ok(Err(Damage { what, why }));
        }
    };
    Ok(read_snapshot(run, step, row, found.try_get(5)?))
}

/// A record from the columns meta, body, blob and sum, the first of which is column `at`.
pub(super) fn row_of(found: &Found, at: usize) -> Result<Result<Row, String>, Fault> {
    let body = Body::from_columns(found.try_get(at + 1)?, found.try_get(at + 2)?);
    let (meta, sum) = (found.try_get(at)?, found.try_get(at + 3)?);
    Ok(body.map(|body| Row { meta, body, sum }))
}
