//! Reading what happened within and between steps: the journal's entries, and the events. Both are
//! handed out only if none is missing.

use std::collections::HashSet;

use fathom_workflow::RunId;
use fathom_workflow::event::Event;
use fathom_workflow::record::{Damage, Entry, EntryMeta, EntryPart, RunHeader, StepRecord};

use super::read::{payload, read_checked};
use super::{RecordBody, RecordRow, RowPosition, part_number, unsigned};

/// A journal entry as its row holds it.
pub(crate) struct JournalRow {
    pub(crate) step: i64,
    pub(crate) key: String,
    pub(crate) part: i16,
    pub(crate) row: RecordRow,
}

/// The events of one append as their row holds them.
pub(crate) struct EventRow {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) meta: Vec<u8>,
    pub(crate) sum: Vec<u8>,
}

/// How many entries the journal of `step` has by the log; `recorded` is the step, if it was found.
pub(crate) fn journal_length(
    header: &RunHeader,
    step: u64,
    recorded: Option<StepRecord>,
) -> Result<u32, Damage> {
    let last = header.head.step;
    match recorded {
        Some(record) => Ok(record.meta.entries),
        None if step <= last => Err(RowPosition::Step(step).damage("it is missing")),
        None if step == last + 1 => Ok(header.head.entries),
        None => Ok(0),
    }
}

/// The journal of one step, by time and then by key; what was opened comes before its answer. It
/// must have `length` entries.
pub(crate) fn read_journal<E>(
    run: RunId,
    step: u64,
    length: u32,
    rows: impl IntoIterator<Item = Result<Result<JournalRow, String>, E>>,
) -> Result<Result<Vec<Entry>, Damage>, E> {
    let damaged = |why: String| {
        let what = format!("journal of step {step}");
        Ok(Err(Damage { what, why }))
    };
    let mut entries = Vec::new();
    for row in rows {
        match row? {
            Ok(row) => match read_entry(run, row) {
                Ok(entry) => entries.push(entry),
                Err(damage) => return Ok(Err(damage)),
            },
            Err(why) => return damaged(why),
        }
    }
    if entries.len() != length as usize {
        return damaged(format!("it has {} entries of {length}", entries.len()));
    }
    // A damaged index can lead to one row twice, in place of another.
    let names: HashSet<_> = entries.iter().map(entry_name).collect();
    if names.len() != entries.len() {
        return damaged("it has an entry twice".into());
    }
    entries.sort_by(|a, b| (a.meta.at, entry_name(a)).cmp(&(b.meta.at, entry_name(b))));
    Ok(Ok(entries))
}

/// What tells an entry from the others of its step; an opening comes before its answer.
fn entry_name(entry: &Entry) -> (&str, i16) {
    (&entry.meta.key, part_number(entry.meta.part))
}

fn read_entry(run: RunId, entry: JournalRow) -> Result<Entry, Damage> {
    let (step, key) = (unsigned(entry.step), entry.key.as_str());
    let part = match entry.part {
        1 => EntryPart::Answered,
        _ => EntryPart::Opened,
    };
    let position = RowPosition::Entry { step, key, part };
    if part_number(part) != entry.part {
        return Err(position.damage("it is neither an opening nor an answer"));
    }
    let RecordRow { meta, body, sum } = entry.row;
    let meta: EntryMeta = read_checked(run, position, &meta, &body, &sum)?;
    match payload(position, body)? {
        Some(payload) => Ok(Entry { meta, payload }),
        None => Err(position.damage("it has no body")),
    }
}

/// Events numbered above `after`, in whole batches until there are `limit`. `last` is the number of the
/// last event by the header. None may be missing. `rows` come in order, and the first of them holds
/// the first event that is wanted.
pub(crate) fn read_events<E>(
    run: RunId,
    after: u64,
    last: u64,
    limit: usize,
    rows: impl IntoIterator<Item = Result<Result<EventRow, String>, E>>,
) -> Result<Result<Vec<Event>, Damage>, E> {
    let mut rows = rows.into_iter();
    let mut events: Vec<Event> = Vec::new();
    let mut next = after.saturating_add(1);
    while next <= last && events.len() < limit {
        let read = match rows.next().transpose()? {
            None => Err("they are missing".into()),
            Some(row) => row.and_then(|row| read_batch(run, next, &row)),
        };
        match read {
            // The first batch may begin before what was asked for.
            Ok(batch) => events.extend(batch.into_iter().filter(|event| event.number >= next)),
            Err(why) => return Ok(Err(RowPosition::Events { first: next }.damage(why))),
        }
        next = events.last().map_or(next, |event| event.number + 1);
    }
    if next > last.saturating_add(1) && !events.is_empty() {
        let why = format!("there are {}, the header knows {last}", next - 1);
        let what = "events".into();
        return Ok(Err(Damage { what, why }));
    }
    Ok(Ok(events))
}

/// A batch that holds event `next`, or why it does not. Its numbers run without a gap.
fn read_batch(run: RunId, next: u64, row: &EventRow) -> Result<Vec<Event>, String> {
    let (first, last) = (unsigned(row.first), unsigned(row.last));
    let position = RowPosition::Events { first };
    let batch: Vec<Event> = read_checked(run, position, &row.meta, &RecordBody::None, &row.sum)
        .map_err(|damage| damage.why)?;
    if !batch.iter().map(|event| event.number).eq(first..=last) {
        Err("their numbers have a gap".into())
    } else if next < first || last < next {
        Err("they are missing".into())
    } else {
        Ok(batch)
    }
}
