//! Reading rows back: checked first, then decoded.

use fathom_workflow::event::Event;
use fathom_workflow::record::{
    About, Damage, Entry, EntryMeta, Head, Part, Run, Snapshot, Status, StepMeta, StepRecord, Tally,
};
use fathom_workflow::{BlobHash, Error, Payload, RunId};
use serde::de::DeserializeOwned;

use super::{Body, EntryRow, Place, Row, unsigned};

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
    if BlobHash::from_content(&bytes) == hash {
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
        (Body::Apart(hash), Some(bytes)) if BlobHash::from_content(&bytes) == hash => {
            Ok(Some(Payload::from_bytes(bytes)))
        }
        (Body::Apart(_), Some(_)) => Err(place.damage("its body does not match its hash")),
        (Body::Apart(hash), None) => {
            Err(place.damage(format!("its body, blob {hash}, is missing")))
        }
    }
}
