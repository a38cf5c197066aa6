//! Making rows: what a write brings, encoded and with its checksums.
//!
//! This is done in the caller's task, JSON, hashes and all; whoever writes only puts the rows in place.

use fathom_workflow::event::Event;
use fathom_workflow::record::{
    Append, Blob, Creation, Entry, LogHead, RunIdentity, Snapshot, StepKind, StepRecord,
};
use fathom_workflow::{Error, Payload, RunId};
use jiff::Timestamp;
use serde::Serialize;

use super::history::{EventRow, JournalRow};
use super::{RecordBody, RecordRow, RowPosition, part_number, signed};

/// Bodies over this many bytes are stored once, by hash, apart from their row.
const INLINE_LIMIT: usize = 256 * 1024;

/// The changing part of a header as its row holds it, with the columns that queries look at.
pub(crate) struct HeadRow {
    pub(crate) meta: Vec<u8>,
    pub(crate) sum: Vec<u8>,
    pub(crate) status: String,
    pub(crate) ended: bool,
    pub(crate) updated_at: i64,
    pub(crate) wake_at: Option<i64>,
}

/// All rows of one append or creation: checked, encoded, every large body moved to the blobs.
pub(crate) struct RunRows {
    pub(crate) run: RunId,
    pub(crate) head: HeadRow,
    pub(crate) step: Option<(i64, RecordRow)>,
    /// Whether that step holds a whole state.
    pub(crate) is_base: bool,
    pub(crate) snapshot: Option<(i64, RecordRow)>,
    pub(crate) entries: Vec<JournalRow>,
    pub(crate) events: Option<EventRow>,
    pub(crate) blobs: Vec<Blob>,
    /// How many of the blobs are the writer's own, and no part of the log.
    given_blobs: usize,
}

impl RunRows {
    pub(crate) fn from_append(append: &Append) -> Result<Self, Error> {
        append.check()?;
        let mut blobs = append.blobs.clone();
        let run = append.run;
        let step = append.record.as_ref();
        let step = step.map(|record| step_row(run, record, &mut blobs));
        let snapshot = append.snapshot.as_ref();
        let snapshot = snapshot.map(|snapshot| snapshot_row(run, snapshot, &mut blobs));
        Ok(Self {
            run,
            head: head_row(run, &append.head)?,
            step: step.transpose()?,
            is_base: append.record.as_ref().is_some_and(is_base),
            snapshot: snapshot.transpose()?,
            entries: journal_rows(run, &append.entries, &mut blobs)?,
            events: event_row(run, &append.events)?,
            blobs,
            given_blobs: append.blobs.len(),
        })
    }

    pub(crate) fn from_creation(creation: &Creation) -> Result<Self, Error> {
        creation.check()?;
        let mut blobs = Vec::new();
        let run = creation.run.id();
        Ok(Self {
            run,
            head: head_row(run, &creation.run.head)?,
            step: Some(step_row(run, &creation.base, &mut blobs)?),
            is_base: is_base(&creation.base),
            snapshot: None,
            entries: Vec::new(),
            events: event_row(run, &creation.events)?,
            blobs,
            given_blobs: 0,
        })
    }

    /// How many bytes the log's rows have, with the bodies kept apart from them.
    pub(crate) fn bytes(&self) -> u64 {
        let entries = self.entries.iter().map(|entry| &entry.row);
        let records = self.step.iter().chain(&self.snapshot).map(|(_, row)| row);
        let rows = entries.chain(records).map(|RecordRow { meta, body, sum }| {
            meta.len() + body.inline().map_or(0, <[u8]>::len) + sum.len()
        });
        let events = self.events.iter().map(|row| row.meta.len() + row.sum.len());
        let apart = self.blobs.iter().skip(self.given_blobs);
        let apart = apart.map(|blob| blob.bytes.len());
        let bytes: usize = rows.chain(events).chain(apart).sum();
        (self.head.meta.len() + self.head.sum.len() + bytes) as u64
    }
}

fn is_base(record: &StepRecord) -> bool {
    matches!(record.meta.kind, StepKind::Base { .. })
}

/// The unchanging part of a header, with its checksum.
pub(crate) fn about_row(about: &RunIdentity) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let meta = json(about)?;
    let sum = RowPosition::About.checksum(about.id, &meta, &RecordBody::None);
    Ok((meta, sum))
}

fn head_row(run: RunId, head: &LogHead) -> Result<HeadRow, Error> {
    let meta = json(head)?;
    Ok(HeadRow {
        sum: RowPosition::Head.checksum(run, &meta, &RecordBody::None),
        meta,
        status: head.status.to_string(),
        ended: head.status.is_finished(),
        updated_at: head.updated_at.as_microsecond(),
        wake_at: head.wake_at.map(Timestamp::as_microsecond),
    })
}

fn step_row(
    run: RunId,
    record: &StepRecord,
    blobs: &mut Vec<Blob>,
) -> Result<(i64, RecordRow), Error> {
    let position = RowPosition::Step(record.meta.step);
    let payload = record.payload.as_ref();
    let row = record_row(run, position, &record.meta, payload, blobs)?;
    Ok((signed(record.meta.step), row))
}

fn snapshot_row(
    run: RunId,
    snapshot: &Snapshot,
    blobs: &mut Vec<Blob>,
) -> Result<(i64, RecordRow), Error> {
    let position = RowPosition::Snapshot(snapshot.step);
    let row = record_row(run, position, &snapshot.tally, Some(&snapshot.state), blobs)?;
    Ok((signed(snapshot.step), row))
}

fn journal_rows(
    run: RunId,
    entries: &[Entry],
    blobs: &mut Vec<Blob>,
) -> Result<Vec<JournalRow>, Error> {
    let mut rows = Vec::with_capacity(entries.len());
    for Entry { meta, payload } in entries {
        let position = RowPosition::Entry {
            step: meta.step,
            key: &meta.key,
            part: meta.part,
        };
        rows.push(JournalRow {
            step: signed(meta.step),
            key: meta.key.clone(),
            part: part_number(meta.part),
            row: record_row(run, position, meta, Some(payload), blobs)?,
        });
    }
    Ok(rows)
}

fn event_row(run: RunId, events: &[Event]) -> Result<Option<EventRow>, Error> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok(None);
    };
    let meta = json(&events)?;
    let (first, last) = (first.number, last.number);
    let sum = RowPosition::Events { first }.checksum(run, &meta, &RecordBody::None);
    Ok(Some(EventRow {
        first: signed(first),
        last: signed(last),
        meta,
        sum,
    }))
}

fn record_row<M: Serialize>(
    run: RunId,
    position: RowPosition<'_>,
    meta: &M,
    payload: Option<&Payload>,
    blobs: &mut Vec<Blob>,
) -> Result<RecordRow, Error> {
    let meta = json(meta)?;
    let body = match payload {
        None => RecordBody::None,
        Some(payload) => {
            let bytes = payload.bytes()?.into_owned();
            if bytes.len() > INLINE_LIMIT {
                let blob = Blob::new(bytes);
                let hash = blob.hash;
                blobs.push(blob);
                RecordBody::Apart { hash, bytes: None }
            } else {
                RecordBody::Inline(bytes)
            }
        }
    };
    let sum = position.checksum(run, &meta, &body);
    Ok(RecordRow { meta, body, sum })
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|source| Error::Encode { source })
}
