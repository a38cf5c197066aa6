//! Rows: the form in which records lie on disk, the same in every database.
//!
//! A record is a small JSON `meta`, a `body` of JSON bytes (moved to the blobs when it is large), and
//! a checksum over both and over where the row belongs. Reading checks it; what does not match comes
//! back as [`Damage`], never as data.

mod read;
mod words;
mod write;

use fathom_workflow::record::{Damage, Part};
use fathom_workflow::{BlobHash, RunId};

pub(crate) use read::{read_blob, read_entry, read_events, read_run, read_snapshot, read_step};
pub(crate) use words::{MAY_EXPIRE, WANTED, cancel_word, is_kept, is_wanted, keep_word};
pub(crate) use write::{EntryRow, HeadRow, Write, about_row};

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
