//! What one write brings to the log, and whether it agrees with itself.
//!
//! What would make the log contradict itself is a fault of its writer. Every store asks before it
//! takes a write, so it is refused while the log is still whole.

use bytes::Bytes;

use super::{Entry, LogHead, RunHeader, Snapshot, StepKind, StepRecord};
use crate::event::Event;
use crate::{BlobHash, Error, RunId};

/// What a writer must know of a run for its append to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Raised each time the run changes hands.
    pub fence: u64,
    /// The number of appends the writer has seen.
    pub rev: u64,
}

/// Bytes to store once under their hash.
#[derive(Clone, Debug)]
pub struct Blob {
    /// The name, which must be that of the bytes.
    pub hash: BlobHash,
    /// The bytes.
    pub bytes: Bytes,
}

impl Blob {
    /// Bytes with their name.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = Bytes::from(bytes.into());
        Self {
            hash: BlobHash::from_content(&bytes),
            bytes,
        }
    }
}

/// Everything one write brings. It is committed whole or not at all.
#[derive(Clone, Debug)]
pub struct Append {
    /// The run written to.
    pub run: RunId,
    /// What the writer knows of the run; a stale one is refused.
    pub token: Token,
    /// Tells this append from any other, so that a writer whose reply was lost can learn its fate.
    pub nonce: u64,
    /// The header after this append; its `rev` is the token's plus one.
    pub head: LogHead,
    /// The step that ends with this append, if one does.
    pub record: Option<StepRecord>,
    /// A whole state to keep beside the step.
    pub snapshot: Option<Snapshot>,
    /// Lines of the journal, in the order they were made.
    pub entries: Vec<Entry>,
    /// Numbered from the old head's `events` plus one, without a gap.
    pub events: Vec<Event>,
    /// Bytes to store.
    pub blobs: Vec<Blob>,
    /// Whether the writer gives the run up with this append.
    pub release: bool,
}

/// A new run as it is first committed. The creator holds it.
#[derive(Clone, Debug)]
pub struct Creation {
    /// The header to begin with.
    pub run: RunHeader,
    /// The record that holds the initial state.
    pub base: StepRecord,
    /// The first events.
    pub events: Vec<Event>,
}

impl Append {
    /// Refuses an append that contradicts itself, before a store takes it.
    pub fn check(&self) -> Result<(), Error> {
        if self.token.rev.checked_add(1) != Some(self.head.rev) {
            // Its writer has lost count, which is what the token is there to find out.
            return Err(Error::Superseded { run: self.run });
        }
        if let Some(record) = &self.record {
            check_step(record, self.head.step)?;
        }
        check_events(&self.events, self.head.events)?;
        // False bytes would be everybody's who refers to the name.
        for blob in &self.blobs {
            if BlobHash::from_content(&blob.bytes) != blob.hash {
                let hash = blob.hash;
                return Err(refused(&format!(
                    "the bytes of blob {hash} have another hash"
                )));
            }
        }
        Ok(())
    }
}

impl Creation {
    /// Refuses a creation that contradicts itself.
    pub fn check(&self) -> Result<(), Error> {
        check_step(&self.base, self.run.head.step)?;
        check_events(&self.events, self.run.head.events)
    }
}

fn check_step(record: &StepRecord, last: u64) -> Result<(), Error> {
    if record.meta.step != last {
        return Err(refused("the recorded step is not the header's last"));
    }
    let is_base = matches!(record.meta.kind, StepKind::Base { .. });
    if is_base && record.payload.is_none() {
        return Err(refused("a base must hold a state"));
    }
    Ok(())
}

fn check_events(events: &[Event], last: u64) -> Result<(), Error> {
    let numbers = events.iter().rev().map(|event| event.number);
    let wanted = (1..=last).rev().take(events.len());
    if numbers.eq(wanted) {
        Ok(())
    } else {
        Err(refused(
            "the events are not numbered up to the header's last",
        ))
    }
}

fn refused(why: &str) -> Error {
    Error::Store { why: why.into() }
}
