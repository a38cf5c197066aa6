//! Making rows: what a write brings, encoded and with its checksums.

use fathom_workflow::event::Event;
use fathom_workflow::record::{About, Append, Blob, Creation, Entry, Head, Snapshot, StepRecord};
use fathom_workflow::{Error, Payload, RunId};
use jiff::Timestamp;
use serde::Serialize;

use super::{Body, Place, Row, part_number, signed};

/// Bodies over this many bytes are stored once, by hash, apart from their row.
const INLINE_LIMIT: usize = 256 * 1024;

/// A header as its row holds it, with the columns that queries look at.
pub(crate) struct HeadRow {
    pub(crate) meta: Vec<u8>,
    pub(crate) sum: Vec<u8>,
    pub(crate) status: String,
    pub(crate) ended: bool,
    pub(crate) updated_at: i64,
    pub(crate) wake_at: Option<i64>,
}

/// A batch of events as its row holds it.
pub(crate) struct EventsRow {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) meta: Vec<u8>,
    pub(crate) sum: Vec<u8>,
}

pub(crate) struct EntryRow {
    pub(crate) step: i64,
    pub(crate) key: String,
    pub(crate) part: i16,
    pub(crate) row: Row,
}

/// An append ready to be written: every row made, every large body moved to the blobs.
pub(crate) struct Write {
    pub(crate) head: HeadRow,
    pub(crate) step: Option<(i64, Row)>,
    pub(crate) snapshot: Option<(i64, Row)>,
    pub(crate) entries: Vec<EntryRow>,
    pub(crate) events: Option<EventsRow>,
    pub(crate) blobs: Vec<Blob>,
}

impl Write {
    pub(crate) fn of_append(append: &Append) -> Result<Self, Error> {
        let mut blobs = append.blobs.clone();
        let run = append.run;
        Ok(Self {
            head: head_row(run, &append.head)?,
            step: match &append.record {
                Some(record) => Some(step_row(run, record, &mut blobs)?),
                None => None,
            },
            snapshot: match &append.snapshot {
                Some(snapshot) => Some(snapshot_row(run, snapshot, &mut blobs)?),
                None => None,
            },
            entries: entry_rows(run, &append.entries, &mut blobs)?,
            events: events_row(run, &append.events)?,
            blobs,
        })
    }

    pub(crate) fn of_creation(creation: &Creation) -> Result<Self, Error> {
        let mut blobs = Vec::new();
        let run = creation.run.id();
        Ok(Self {
            head: head_row(run, &creation.run.head)?,
            step: Some(step_row(run, &creation.base, &mut blobs)?),
            snapshot: None,
            entries: Vec::new(),
            events: events_row(run, &creation.events)?,
            blobs,
        })
    }

    /// How many bytes the rows and the bodies kept apart from them have. Bytes that the writer
    /// itself gave as blobs are no part of the log.
    pub(crate) fn size(&self, given_blobs: usize) -> u64 {
        let Self {
            head,
            step,
            snapshot,
            entries,
            events,
            blobs,
        } = self;
        let entries = entries.iter().map(|entry| &entry.row);
        let whole = step.iter().chain(snapshot).map(|(_, row)| row);
        let rows = entries.chain(whole).map(|Row { meta, body, sum }| {
            meta.len() + body.inline().map_or(0, <[u8]>::len) + sum.len()
        });
        let events = events
            .iter()
            .map(|batch| batch.meta.len() + batch.sum.len());
        let apart = blobs.iter().skip(given_blobs).map(|blob| blob.bytes.len());
        let size = rows.chain(events).chain(apart).sum::<usize>();
        (head.meta.len() + head.sum.len() + size) as u64
    }
}

/// The unchanging part of a header, with its checksum.
pub(crate) fn about_row(about: &About) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let meta = json(about)?;
    let sum = Place::About.sum(about.id, &meta, &Body::None);
    Ok((meta, sum))
}

fn head_row(run: RunId, head: &Head) -> Result<HeadRow, Error> {
    let meta = json(head)?;
    Ok(HeadRow {
        sum: Place::Head.sum(run, &meta, &Body::None),
        meta,
        status: head.status.to_string(),
        ended: head.status.is_finished(),
        updated_at: head.updated_at.as_microsecond(),
        wake_at: head.wake_at.map(Timestamp::as_microsecond),
    })
}

fn step_row(run: RunId, record: &StepRecord, blobs: &mut Vec<Blob>) -> Result<(i64, Row), Error> {
    let step = record.meta.step;
    let row = row(
        run,
        Place::Step(step),
        &record.meta,
        record.payload.as_ref(),
        blobs,
    )?;
    Ok((signed(step), row))
}

fn snapshot_row(
    run: RunId,
    snapshot: &Snapshot,
    blobs: &mut Vec<Blob>,
) -> Result<(i64, Row), Error> {
    let place = Place::Snapshot(snapshot.step);
    let row = row(run, place, &snapshot.tally, Some(&snapshot.state), blobs)?;
    Ok((signed(snapshot.step), row))
}

fn entry_rows(
    run: RunId,
    entries: &[Entry],
    blobs: &mut Vec<Blob>,
) -> Result<Vec<EntryRow>, Error> {
    let mut rows = Vec::with_capacity(entries.len());
    for Entry { meta, payload } in entries {
        let place = Place::Entry {
            step: meta.step,
            key: &meta.key,
            part: meta.part,
        };
        rows.push(EntryRow {
            step: signed(meta.step),
            key: meta.key.clone(),
            part: part_number(meta.part),
            row: row(run, place, meta, Some(payload), blobs)?,
        });
    }
    Ok(rows)
}

fn events_row(run: RunId, events: &[Event]) -> Result<Option<EventsRow>, Error> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok(None);
    };
    let meta = json(&events)?;
    Ok(Some(EventsRow {
        first: signed(first.number),
        last: signed(last.number),
        sum: Place::Events {
            first: first.number,
        }
        .sum(run, &meta, &Body::None),
        meta,
    }))
}

fn row<M: Serialize>(
    run: RunId,
    place: Place<'_>,
    meta: &M,
    payload: Option<&Payload>,
    blobs: &mut Vec<Blob>,
) -> Result<Row, Error> {
    let meta = json(meta)?;
    let body = match payload {
        None => Body::None,
        Some(payload) => {
            let bytes = payload.bytes()?.into_owned();
            if bytes.len() > INLINE_LIMIT {
                let blob = Blob::new(bytes);
                let hash = blob.hash;
                blobs.push(blob);
                Body::Apart(hash)
            } else {
                Body::Inline(bytes)
            }
        }
    };
    let sum = place.sum(run, &meta, &body);
    Ok(Row { meta, body, sum })
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|source| Error::Encode { source })
}
