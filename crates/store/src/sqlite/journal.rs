//! Reading what happened within and between steps: the journal's entries, and the events.

use std::collections::HashSet;

use fathom_workflow::event::Event;
use fathom_workflow::record::{Damage, Entry};
use fathom_workflow::{Error, RunId};
use rusqlite::{Connection, params};

use super::fault::{Failure, seen};
use super::header::{self, key};
use super::load::{self, whole_row};
use crate::row::{EntryRow, part_number, read_entry, read_events, signed, unsigned};

/// The journal of one step, by time and then by key; what was opened comes before its answer. It
/// has as many entries as the log says.
pub(super) fn entries(
    connection: &Connection,
    run: RunId,
    step: u64,
) -> Result<Vec<Entry>, Failure> {
    let (header, _) = header::find(connection, run)?;
    let last = header.head.step;
    let counted = if step <= last {
        match load::step(connection, run, step)? {
            Ok(record) => record.meta.entries,
            Err(damage) => return Err(damaged(run, damage)),
        }
    } else if step == last + 1 {
        header.head.entries
    } else {
        0
    };
    let mut entries = match read_entries(connection, run, step)? {
        Ok(entries) => entries,
        Err(damage) => return Err(damaged(run, damage)),
    };
    if entries.len() != counted as usize {
        let what = format!("journal of step {step}");
        let why = format!("it has {} entries of {counted}", entries.len());
        return Err(damaged(run, Damage { what, why }));
    }
    // A damaged index can lead to one row twice, in place of another.
    let names: HashSet<_> = entries.iter().map(name).collect();
    if names.len() != entries.len() {
        let what = format!("journal of step {step}");
        let why = "it has an entry twice".into();
        return Err(damaged(run, Damage { what, why }));
    }
    entries.sort_by(|a, b| (a.meta.at, name(a)).cmp(&(b.meta.at, name(b))));
    Ok(entries)
}

/// What tells an entry from the others of its step; an opening comes before its answer.
fn name(entry: &Entry) -> (&str, i16) {
    (&entry.meta.key, part_number(entry.meta.part))
}

fn read_entries(
    connection: &Connection,
    run: RunId,
    step: u64,
) -> rusqlite::Result<Result<Vec<Entry>, Damage>> {
    let mut statement = connection.prepare_cached(
        "SELECT key, part, meta, body, blob, sum FROM entries
          WHERE run = ?1 AND step = ?2 ORDER BY key, part",
    )?;
    let mut rows = statement.query(params![key(run), signed(step)])?;
    let mut entries = Vec::new();
    loop {
        let read = match rows.next() {
            Ok(None) => return Ok(Ok(entries)),
            Ok(Some(row)) => read_entry_row(connection, run, step, row),
            Err(error) => Err(error),
        };
        match seen(|| format!("journal of step {step}"), read)? {
            Ok(Ok(entry)) => entries.push(entry),
            Ok(Err(damage)) | Err(damage) => return Ok(Err(damage)),
        }
    }
}

fn read_entry_row(
    connection: &Connection,
    run: RunId,
    step: u64,
    row: &rusqlite::Row<'_>,
) -> rusqlite::Result<Result<Entry, Damage>> {
    let (whole, apart) = whole_row(connection, row, 2)?;
    let entry = EntryRow {
        step: signed(step),
        key: row.get(0)?,
        part: row.get(1)?,
        row: whole,
    };
    Ok(read_entry(run, entry, apart))
}

/// Events numbered above `after`, in whole batches until there are `limit`. None may be missing.
pub(super) fn events(
    connection: &Connection,
    run: RunId,
    after: u64,
    limit: usize,
) -> Result<Vec<Event>, Failure> {
    let (header, _) = header::find(connection, run)?;
    let last = header.head.events;
    let mut events = Vec::new();
    if after >= last || limit == 0 {
        return Ok(events);
    }
    let mut statement = connection.prepare_cached(
        "SELECT first, last, meta, sum FROM events
          WHERE run = ?1
            AND first >= (SELECT max(first) FROM events WHERE run = ?1 AND first <= ?2)
          ORDER BY first",
    )?;
    let mut rows = statement.query(params![key(run), signed(after + 1)])?;
    let mut next = after + 1;
    while next <= last && events.len() < limit {
        let what = || format!("events from {next}");
        let read = match rows.next() {
            Ok(None) => Ok(Err("they are missing".into())),
            Ok(Some(row)) => read_batch(run, next, row),
            Err(error) => Err(error),
        };
        let batch = match seen(what, read)? {
            Ok(Ok(batch)) => batch,
            Ok(Err(why)) => {
                let what = what();
                return Err(damaged(run, Damage { what, why }));
            }
            Err(damage) => return Err(damaged(run, damage)),
        };
        // The first batch may begin before what was asked for.
        events.extend(batch.into_iter().filter(|event| event.number >= next));
        next = events.last().map_or(next, |event| event.number + 1);
    }
    if next > last + 1 {
        let why = format!("there are {}, the header knows {last}", next - 1);
        let what = "events".into();
        return Err(damaged(run, Damage { what, why }));
    }
    Ok(events)
}

/// A batch that holds event `next`, or why it does not. Its numbers run without a gap.
fn read_batch(
    run: RunId,
    next: u64,
    row: &rusqlite::Row<'_>,
) -> rusqlite::Result<Result<Vec<Event>, String>> {
    let (first, last) = (unsigned(row.get(0)?), unsigned(row.get(1)?));
    let meta = row.get_ref(2)?.as_blob()?;
    let sum = row.get_ref(3)?.as_blob()?;
    let batch = match read_events(run, first, meta, sum) {
        Ok(batch) => batch,
        Err(damage) => return Ok(Err(damage.why)),
    };
    let whole = batch.iter().map(|event| event.number).eq(first..=last);
    Ok(if !whole {
        Err("their numbers have a gap".into())
    } else if next < first || last < next {
        Err("they are missing".into())
    } else {
        Ok(batch)
    })
}

fn damaged(run: RunId, damage: Damage) -> Failure {
    Error::Damaged { run, damage }.into()
}
