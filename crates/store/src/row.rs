//! Rows: the form in which records lie on disk, the same in every database.
//!
//! A record is a small JSON `meta`, a `body` of JSON bytes (moved to the blobs when it is large), and
//! a checksum over both and over where the row belongs. Reading checks it; what does not match comes
//! back as [`Damage`], never as data.

use fathom_workflow::event::Event;
use fathom_workflow::record::{
    About, Append, Blob, Creation, Damage, Entry, EntryMeta, Head, Part, Run, Snapshot, Status,
    StepMeta, StepRecord, Tally,
};
use fathom_workflow::{BlobHash, Error, Payload, RunId};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bodies over this many bytes are stored once, by hash, apart from their row.
pub(crate) const INLINE_LIMIT: usize = 256 * 1024;

pub(crate) type Sum = [u8; 16];

/// A step, a snapshot or a journal entry as its table holds it.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) meta: Vec<u8>,
    pub(crate) body: Body,
    pub(crate) sum: Vec<u8>,
}

#[derive(Debug)]
pub(crate) enum Body {
    None,
    Inline(Vec<u8>),
    /// Stored as a blob of that name.
    Apart(BlobHash),
}

impl Body {
    pub(crate) fn inline(&self) -> Option<&[u8]> {
        match self {
            Self::Inline(bytes) => Some(bytes),
            Self::None | Self::Apart(_) => None,
        }
    }

    pub(crate) fn apart(&self) -> Option<&[u8]> {
        match self {
            Self::Apart(hash) => Some(hash.as_bytes()),
            Self::None | Self::Inline(_) => None,
        }
    }

    /// From the two columns of a row.
    pub(crate) fn from_columns(
        inline: Option<Vec<u8>>,
        apart: Option<Vec<u8>>,
    ) -> Result<Self, String> {
        match (inline, apart) {
            (None, None) => Ok(Self::None),
            (Some(bytes), None) => Ok(Self::Inline(bytes)),
            (None, Some(hash)) => match <[u8; 32]>::try_from(hash.as_slice()) {
                Ok(hash) => Ok(Self::Apart(BlobHash::from_bytes(hash))),
                Err(_) => Err("the hash of its body has the wrong length".into()),
            },
            (Some(_), Some(_)) => Err("it has two bodies".into()),
        }
    }
}

/// Where a row belongs. Part of its checksum, so a row that moved is damaged too.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    About,
    Head,
    Step(u64),
    Snapshot(u64),
    Entry { step: u64, key: &'a str, part: Part },
    Events { first: u64 },
}

impl Place<'_> {
    /// What the row is to a person who looks for it.
    fn name(&self) -> String {
        match self {
            Self::About | Self::Head => "header".into(),
            Self::Step(step) => format!("step {step}"),
            Self::Snapshot(step) => format!("snapshot at step {step}"),
            Self::Entry { step, key, .. } => format!("journal entry \"{key}\" of step {step}"),
            Self::Events { first } => format!("events from {first}"),
        }
    }

    fn damage(&self, why: impl Into<String>) -> Damage {
        Damage {
            what: self.name(),
            why: why.into(),
        }
    }

    fn sum(&self, run: RunId, meta: &[u8], body: &Body) -> Vec<u8> {
        let (tag, number, key): (u8, u64, &str) = match self {
            Self::About => (1, 0, ""),
            Self::Head => (2, 0, ""),
            Self::Step(step) => (3, *step, ""),
            Self::Snapshot(step) => (4, *step, ""),
            Self::Entry {
                step,
                key,
                part: Part::Opened,
            } => (5, *step, key),
            Self::Entry {
                step,
                key,
                part: Part::Answered,
            } => (6, *step, key),
            Self::Events { first } => (7, *first, ""),
        };
        let (form, bytes): (u8, &[u8]) = match body {
            Body::None => (0, &[]),
            Body::Inline(bytes) => (1, bytes),
            Body::Apart(hash) => (2, hash.as_bytes()),
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[tag, form]);
        hasher.update(run.as_uuid().as_bytes());
        hasher.update(&number.to_le_bytes());
        hasher.update(&(key.len() as u64).to_le_bytes());
        hasher.update(key.as_bytes());
        hasher.update(&(meta.len() as u64).to_le_bytes());
        hasher.update(meta);
        hasher.update(bytes);
        hasher.finalize().as_bytes()[..size_of::<Sum>()].to_vec()
    }
}

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
            entries: entry_rows(run, &creation.entries, &mut blobs)?,
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

/// Reads a header back. `status` is the column that queries look at: it must agree.
pub(crate) fn read_run(
    id: RunId,
    about: (&[u8], &[u8]),
    head: (&[u8], &[u8]),
    status: &str,
    keep: bool,
) -> Result<Run, Damage> {
    let about: About = read_checked(id, Place::About, about.0, &Body::None, about.1)?;
    let head: Head = read_checked(id, Place::Head, head.0, &Body::None, head.1)?;
    if about.id != id {
        return Err(Place::About.damage("it is the header of another run"));
    }
    if head.status != Status::parse(status) {
        return Err(Place::Head.damage("its status column and its content differ"));
    }
    Ok(Run { about, head, keep })
}

/// Reads a step back; `apart` is the blob that a body kept apart names.
pub(crate) fn read_step(
    run: RunId,
    step: u64,
    row: Row,
    apart: Option<Vec<u8>>,
) -> Result<StepRecord, Damage> {
    let place = Place::Step(step);
    let meta: StepMeta = read_checked(run, place, &row.meta, &row.body, &row.sum)?;
    if meta.step != step {
        return Err(place.damage(format!("it says that it is step {}", meta.step)));
    }
    Ok(StepRecord {
        meta,
        payload: payload(place, row.body, apart)?,
    })
}

pub(crate) fn read_snapshot(
    run: RunId,
    step: u64,
    row: Row,
    apart: Option<Vec<u8>>,
) -> Result<Snapshot, Damage> {
    let place = Place::Snapshot(step);
    let tally: Tally = read_checked(run, place, &row.meta, &row.body, &row.sum)?;
    let Some(state) = payload(place, row.body, apart)? else {
        return Err(place.damage("it has no body"));
    };
    Ok(Snapshot { step, tally, state })
}

pub(crate) fn read_entry(
    run: RunId,
    entry: EntryRow,
    apart: Option<Vec<u8>>,
) -> Result<Entry, Damage> {
    let EntryRow {
        step,
        key,
        part,
        row,
    } = entry;
    let step = unsigned(step);
    let key = key.as_str();
    let part = match part {
        0 => Part::Opened,
        1 => Part::Answered,
        _ => {
            let place = Place::Entry {
                step,
                key,
                part: Part::Opened,
            };
            return Err(place.damage("it is neither an opening nor an answer"));
        }
    };
    let place = Place::Entry { step, key, part };
    let meta: EntryMeta = read_checked(run, place, &row.meta, &row.body, &row.sum)?;
    match payload(place, row.body, apart)? {
        Some(payload) => Ok(Entry { meta, payload }),
        None => Err(place.damage("it has no body")),
    }
}

pub(crate) fn read_events(
    run: RunId,
    first: u64,
    meta: &[u8],
    sum: &[u8],
) -> Result<Vec<Event>, Damage> {
    read_checked(run, Place::Events { first }, meta, &Body::None, sum)
}

/// Checks a blob against its name.
pub(crate) fn read_blob(hash: BlobHash, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if BlobHash::of(&bytes) == hash {
        Ok(bytes)
    } else {
        Err(Error::StoreDamaged {
            what: format!("blob {hash}"),
            why: "its bytes do not match its name".into(),
        })
    }
}

fn read_checked<T: DeserializeOwned>(
    run: RunId,
    place: Place<'_>,
    meta: &[u8],
    body: &Body,
    sum: &[u8],
) -> Result<T, Damage> {
    if place.sum(run, meta, body) != sum {
        return Err(place.damage("its checksum does not match"));
    }
    serde_json::from_slice(meta)
        .map_err(|error| place.damage(format!("it was written in a form not known here: {error}")))
}

fn payload(
    place: Place<'_>,
    body: Body,
    apart: Option<Vec<u8>>,
) -> Result<Option<Payload>, Damage> {
    match (body, apart) {
        (Body::None, _) => Ok(None),
        (Body::Inline(bytes), _) => Ok(Some(Payload::from_bytes(bytes))),
        (Body::Apart(hash), Some(bytes)) if BlobHash::of(&bytes) == hash => {
            Ok(Some(Payload::from_bytes(bytes)))
        }
        (Body::Apart(_), Some(_)) => Err(place.damage("its body does not match its hash")),
        (Body::Apart(hash), None) => {
            Err(place.damage(format!("its body, blob {hash}, is missing")))
        }
    }
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|source| Error::Encode { source })
}

pub(crate) fn part_number(part: Part) -> i16 {
    match part {
        Part::Opened => 0,
        Part::Answered => 1,
    }
}

/// Databases count in signed numbers; a run of 2^63 steps is not expected.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
