//! The journals of steps, and the events of a run, read back without a gap.

use fathom_workflow::event::Event;
use fathom_workflow::record::{Damage, Entry, Run};
use fathom_workflow::{Error, RunId};
use tokio_postgres::Row as Found;

use super::fault::Fault;
use super::header::{self, HEADER};
use super::link::Link;
use super::load::{row_of, step_of};
use crate::row::{EntryRow, read_entry, read_events, signed, unsigned};

const STEP: &str = "SELECT step, meta, body, blob, sum, bytes
    FROM steps LEFT JOIN blobs ON hash = blob WHERE run = $1 AND step = $2";

const ENTRIES: &str = "SELECT key, part, meta, body, blob, sum, bytes
    FROM entries LEFT JOIN blobs ON hash = blob WHERE run = $1 AND step = $2 ORDER BY part";

/// The batches that hold any of the events from number $2 to $3: since numbers have no gap, the
/// first of them is the last that begins at or before $2.
const EVENTS: &str = "SELECT first, last, meta, sum FROM events
    WHERE run = $1 AND first <= $3 AND first >= coalesce(
        (SELECT max(first) FROM events WHERE run = $1 AND first <= $2), 0)
    ORDER BY first";

/// By time and then by key; what was opened comes before its answer.
pub(super) async fn entries(link: &Link, run: RunId, step: u64) -> Result<Vec<Entry>, Fault> {
    let (id, number) = (run.as_uuid(), signed(step));
    let [headers, steps, found] = link
        .snapshot([
            (HEADER, &[id]),
            (STEP, &[id, &number]),
            (ENTRIES, &[id, &number]),
        ])
        .await?;
    let (header, _) = header::only(run, &headers)?;
    let damaged = |damage| Fault::Final(Error::Damaged { run, damage });
    let mut entries = Vec::with_capacity(found.len());
    for row in &found {
        entries.push(entry_of(run, step, row)?.map_err(damaged)?);
    }
    let wanted = match steps.first() {
        Some(row) => Some(step_of(run, step, row)?.map_err(damaged)?.meta.entries),
        None => under_way(&header, step).map_err(damaged)?,
    };
    entries.sort_by(|a, b| (a.meta.at, &a.meta.key).cmp(&(b.meta.at, &b.meta.key)));
    match wanted {
        Some(wanted) if wanted as usize != entries.len() => Err(damaged(Damage {
            what: format!("journal of step {step}"),
            why: format!("it has {} entries of {wanted}", entries.len()),
        })),
        _ => Ok(entries),
    }
}

/// How many entries the journal of a step that is not recorded should have, if that is known.
fn under_way(header: &Run, step: u64) -> Result<Option<u32>, Damage> {
    let last = header.head.step;
    if step <= last {
        return Err(Damage {
            what: format!("step {step}"),
            why: "it is missing".into(),
        });
    }
    Ok((step - last == 1).then_some(header.head.entries))
}

fn entry_of(run: RunId, step: u64, found: &Found) -> Result<Result<Entry, Damage>, Fault> {
    let damaged = |why: &str| Damage {
        what: format!("journal of step {step}"),
        why: why.into(),
    };
    let Ok(key) = String::from_utf8(found.try_get(0)?) else {
        return Ok(Err(damaged("the key of an entry is not text")));
    };
    let row = match row_of(found, 2)? {
        Ok(row) => row,
        Err(why) => return Ok(Err(damaged(&why))),
    };
    let entry = EntryRow {
        step: signed(step),
        key,
        part: found.try_get(1)?,
        row,
    };
    Ok(read_entry(run, entry, found.try_get(6)?))
}

pub(super) async fn events(
    link: &Link,
    run: RunId,
    after: u64,
    count: usize,
) -> Result<Vec<Event>, Fault> {
    let from = after.saturating_add(1);
    let to = after.saturating_add(count as u64);
    let id = run.as_uuid();
    let [headers, found] = link
        .snapshot([(HEADER, &[id]), (EVENTS, &[id, &signed(from), &signed(to)])])
        .await?;
    let (header, _) = header::only(run, &headers)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let to = to.min(header.head.events);
    match follow(run, from, to, &found)? {
        Ok(events) => Ok(events),
        Err(damage) => Err(Fault::Final(Error::Damaged { run, damage })),
    }
}

/// The events from `from` on, at least up to `to`, each of which must be there.
fn follow(
    run: RunId,
    from: u64,
    to: u64,
    batches: &[Found],
) -> Result<Result<Vec<Event>, Damage>, Fault> {
    let mut events: Vec<Event> = Vec::new();
    let mut next = from;
    for batch in batches {
        let (first, last): (i64, i64) = (batch.try_get(0)?, batch.try_get(1)?);
        let (first, last) = (unsigned(first), unsigned(last));
        if first > next {
            break;
        }
        let read = match read_events(run, first, batch.try_get(2)?, batch.try_get(3)?) {
            Ok(read) => read,
            Err(damage) => return Ok(Err(damage)),
        };
        if !read.iter().map(|event| event.number).eq(first..=last) {
            let what = format!("events from {first}");
            let why = "their numbers are not those of their row".into();
            return Ok(Err(Damage { what, why }));
        }
        events.extend(read.into_iter().filter(|event| event.number >= next));
        next = next.max(last.saturating_add(1));
    }
    if next <= to {
        return Ok(Err(Damage {
            what: format!("events from {next}"),
            why: "they are missing".into(),
        }));
    }
    Ok(Ok(events))
}
