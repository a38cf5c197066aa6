//! Reading headers, steps and whole states back: checked first, then decoded.

use std::ops::Range;

use fathom_workflow::record::{
    Damage, LogHead, RunHeader, RunIdentity, RunTally, Snapshot, Status, StepKind, StepMeta,
    StepRecord, Token,
};
use fathom_workflow::{BlobHash, Error, Payload, RunId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::words::is_kept;
use super::{RecordBody, RecordRow, RowPosition, signed, unsigned};

/// A header's row. The text columns that only queries look at are checked by the back end.
pub(crate) struct HeaderRow<'a> {
    pub(crate) id: RunId,
    pub(crate) about: &'a [u8],
    pub(crate) about_sum: &'a [u8],
    pub(crate) head: &'a [u8],
    pub(crate) head_sum: &'a [u8],
    pub(crate) status: &'a str,
    pub(crate) keep: &'a str,
    pub(crate) fence: i64,
    pub(crate) rev: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) wake_at: Option<i64>,
    pub(crate) ended: bool,
}

impl HeaderRow<'_> {
    /// The header, and the token that an append made now would need. The columns that queries look
    /// at must agree with the record; `texts_agree` says whether the back end's text columns do.
    pub(crate) fn decode(
        &self,
        texts_agree: impl FnOnce(&RunIdentity) -> bool,
    ) -> Result<(RunHeader, Token), Damage> {
        let (position, none) = (RowPosition::Head, &RecordBody::None);
        let keep = is_kept(self.keep)?;
        let about: RunIdentity = read_checked(
            self.id,
            RowPosition::About,
            self.about,
            none,
            self.about_sum,
        )?;
        let head: LogHead = read_checked(self.id, position, self.head, none, self.head_sum)?;
        if about.id != self.id {
            return Err(position.damage("it is the header of another run"));
        }
        if head.status != Status::parse(self.status) {
            return Err(position.damage("its status column and its content differ"));
        }
        let agrees = unsigned(self.rev) == head.rev
            && self.ended == head.status.is_finished()
            && self.created_at == about.created_at.as_microsecond()
            && self.updated_at == head.updated_at.as_microsecond()
            && self.wake_at == head.wake_at.map(Timestamp::as_microsecond)
            && texts_agree(&about);
        if !agrees {
            return Err(position.damage("its columns and its content differ"));
        }
        let token = Token {
            fence: unsigned(self.fence),
            rev: head.rev,
        };
        Ok((RunHeader { about, head, keep }, token))
    }
}

fn read_step(run: RunId, step: u64, row: RecordRow) -> Result<StepRecord, Damage> {
    let position = RowPosition::Step(step);
    let meta: StepMeta = read_checked(run, position, &row.meta, &row.body, &row.sum)?;
    if meta.step != step {
        return Err(position.damage(format!("it says that it is step {}", meta.step)));
    }
    Ok(StepRecord {
        meta,
        payload: payload(position, row.body)?,
    })
}

/// The good records among those wanted, up to the first that is missing or damaged. `rows` come in
/// order; one that the database itself cannot read is the reason why.
pub(crate) fn read_steps<E>(
    run: RunId,
    wanted: Range<u64>,
    rows: impl IntoIterator<Item = Result<Result<(i64, RecordRow), String>, E>>,
) -> Result<(Vec<StepRecord>, Option<Damage>), E> {
    let mut rows = rows.into_iter();
    let mut records = Vec::new();
    for step in wanted {
        let read = match rows.next().transpose()? {
            Some(Ok((number, row))) if number == signed(step) => read_step(run, step, row),
            Some(Ok(_)) | None => Err(RowPosition::Step(step).damage("it is missing")),
            Some(Err(why)) => Err(RowPosition::Step(step).damage(why)),
        };
        match read {
            Ok(record) => records.push(record),
            Err(damage) => return Ok((records, Some(damage))),
        }
    }
    Ok((records, None))
}

/// The state in the row of a snapshot, or of a step that is marked as a base.
pub(crate) fn read_whole_state(
    run: RunId,
    step: u64,
    is_base: bool,
    row: RecordRow,
) -> Result<Snapshot, Damage> {
    if !is_base {
        return read_snapshot(run, step, row);
    }
    let record = read_step(run, step, row)?;
    match (record.meta.kind, record.payload) {
        (StepKind::Base { tally, .. }, Some(state)) => Ok(Snapshot { step, tally, state }),
        (StepKind::Base { .. } | StepKind::Update | StepKind::Cut(_), _) => {
            Err(RowPosition::Step(step).damage("it does not hold a whole state"))
        }
    }
}

fn read_snapshot(run: RunId, step: u64, row: RecordRow) -> Result<Snapshot, Damage> {
    let position = RowPosition::Snapshot(step);
    let tally: RunTally = read_checked(run, position, &row.meta, &row.body, &row.sum)?;
    let Some(state) = payload(position, row.body)? else {
        return Err(position.damage("it has no body"));
    };
    Ok(Snapshot { step, tally, state })
}

/// Checks a blob against its name. Bytes that are not found although a run refers to them are damage,
/// not absence: the index that finds them may be broken.
pub(crate) fn read_blob(
    hash: BlobHash,
    found: Option<Vec<u8>>,
    is_needed: bool,
) -> Result<Option<Vec<u8>>, Error> {
    let damaged = |why: &str| Error::StoreDamaged {
        what: format!("blob {hash}"),
        why: why.into(),
    };
    match found {
        Some(bytes) if BlobHash::from_content(&bytes) == hash => Ok(Some(bytes)),
        Some(_) => Err(damaged("its bytes do not match its name")),
        None if is_needed => Err(damaged("it is missing, though runs refer to it")),
        None => Ok(None),
    }
}

pub(super) fn read_checked<T: DeserializeOwned>(
    run: RunId,
    position: RowPosition<'_>,
    meta: &[u8],
    body: &RecordBody,
    sum: &[u8],
) -> Result<T, Damage> {
    if let RecordBody::Malformed(why) = body {
        return Err(position.damage(*why));
    }
    if position.checksum(run, meta, body) != sum {
        return Err(position.damage("its checksum does not match"));
    }
    serde_json::from_slice(meta).map_err(|error| {
        position.damage(format!("it was written in a form not known here: {error}"))
    })
}

pub(super) fn payload(
    position: RowPosition<'_>,
    body: RecordBody,
) -> Result<Option<Payload>, Damage> {
    match body {
        RecordBody::None => Ok(None),
        RecordBody::Inline(bytes) => Ok(Some(Payload::from_bytes(bytes))),
        RecordBody::Malformed(why) => Err(position.damage(why)),
        RecordBody::Apart { hash, bytes } => match bytes {
            Some(bytes) if BlobHash::from_content(&bytes) == hash => {
                Ok(Some(Payload::from_bytes(bytes)))
            }
            Some(_) => Err(position.damage("its body does not match its hash")),
            None => Err(position.damage(format!("its body, blob {hash}, is missing"))),
        },
    }
}
