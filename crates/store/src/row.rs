//! Rows: the form in which records lie on disk, the same in every database.
//!
//! A record is a small JSON `meta`, a `body` of JSON bytes (moved to the blobs when it is large), and
//! a checksum over both and over where the row belongs. Reading checks it; what does not match comes
//! back as [`Damage`], never as data. The back ends bring rows and put them in place; what is right
//! and what is missing is decided here.

mod history;
mod read;
mod words;
mod write;

use fathom_workflow::record::{Damage, EntryPart};
use fathom_workflow::{BlobHash, RunId};

pub(crate) use history::{EventRow, JournalRow, journal_length, read_events, read_journal};
pub(crate) use read::{HeaderRow, read_blob, read_steps, read_whole_state};
pub(crate) use words::{MAY_EXPIRE, WANTED, cancel_word, is_wanted, keep_word};
pub(crate) use write::{RunRows, about_row};

/// How many bytes of a BLAKE3 hash a row keeps.
const CHECKSUM_BYTES: usize = 16;

/// A step, a snapshot or a journal entry as its table holds it.
#[derive(Debug)]
pub(crate) struct RecordRow {
    pub(crate) meta: Vec<u8>,
    pub(crate) body: RecordBody,
    pub(crate) sum: Vec<u8>,
}

#[derive(Debug)]
pub(crate) enum RecordBody {
    None,
    Inline(Vec<u8>),
    /// Stored as a blob of that name. The bytes are absent where they were not found, and in rows
    /// that are about to be written.
    Apart {
        hash: BlobHash,
        bytes: Option<Vec<u8>>,
    },
    /// Two columns contradict each other; the words say how.
    Malformed(&'static str),
}

impl RecordBody {
    pub(crate) fn inline(&self) -> Option<&[u8]> {
        match self {
            Self::Inline(bytes) => Some(bytes),
            Self::None | Self::Apart { .. } | Self::Malformed(_) => None,
        }
    }

    pub(crate) fn apart(&self) -> Option<&[u8]> {
        match self {
            Self::Apart { hash, .. } => Some(hash.as_bytes()),
            Self::None | Self::Inline(_) | Self::Malformed(_) => None,
        }
    }

    /// From the columns `body` and `blob` of a row, and the bytes of the blob.
    pub(crate) fn from_columns(
        inline: Option<Vec<u8>>,
        apart: Option<Vec<u8>>,
        bytes: Option<Vec<u8>>,
    ) -> Self {
        match (inline, apart) {
            (None, None) => Self::None,
            (Some(inline), None) => Self::Inline(inline),
            (None, Some(hash)) => match <[u8; 32]>::try_from(hash.as_slice()) {
                Ok(hash) => Self::Apart {
                    hash: BlobHash::from_bytes(hash),
                    bytes,
                },
                Err(_) => Self::Malformed("the hash of its body has the wrong length"),
            },
            (Some(_), Some(_)) => Self::Malformed("it has two bodies"),
        }
    }
}

/// Where a row belongs. Part of its checksum, so a row that moved is damaged too.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowPosition<'a> {
    About,
    Head,
    Step(u64),
    Snapshot(u64),
    Entry {
        step: u64,
        key: &'a str,
        part: EntryPart,
    },
    Events {
        first: u64,
    },
}

impl RowPosition<'_> {
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

    fn checksum(&self, run: RunId, meta: &[u8], body: &RecordBody) -> Vec<u8> {
        let (tag, number, key): (u8, u64, &str) = match self {
            Self::About => (1, 0, ""),
            Self::Head => (2, 0, ""),
            Self::Step(step) => (3, *step, ""),
            Self::Snapshot(step) => (4, *step, ""),
            Self::Entry { step, key, part } => match part {
                EntryPart::Opened => (5, *step, key),
                EntryPart::Answered => (6, *step, key),
            },
            Self::Events { first } => (7, *first, ""),
        };
        let (form, bytes): (u8, &[u8]) = match body {
            RecordBody::None | RecordBody::Malformed(_) => (0, &[]),
            RecordBody::Inline(bytes) => (1, bytes),
            RecordBody::Apart { hash, .. } => (2, hash.as_bytes()),
        };
        // Put together and hashed at once: a hasher that is fed piece by piece takes longer than most rows themselves.
        let mut row = Vec::with_capacity(64 + key.len() + meta.len() + bytes.len());
        row.extend_from_slice(&[tag, form]);
        row.extend_from_slice(run.as_uuid().as_bytes());
        row.extend_from_slice(&number.to_le_bytes());
        row.extend_from_slice(&(key.len() as u64).to_le_bytes());
        row.extend_from_slice(key.as_bytes());
        row.extend_from_slice(&(meta.len() as u64).to_le_bytes());
        row.extend_from_slice(meta);
        row.extend_from_slice(bytes);
        blake3::hash(&row).as_bytes()[..CHECKSUM_BYTES].to_vec()
    }
}

pub(crate) fn part_number(part: EntryPart) -> i16 {
    match part {
        EntryPart::Opened => 0,
        EntryPart::Answered => 1,
    }
}

/// Databases count in signed numbers; a run of 2^63 steps is not expected.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
