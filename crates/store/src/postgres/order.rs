//! Orders: what a caller wants written, checked at the door and in the form of its rows.
//!
//! Encoding happens here, in the caller's task, so that writers only move bytes.

use std::time::Duration;

use fathom_workflow::record::{Append, Creation, StepKind, StepRecord};
use fathom_workflow::{Error, Owner, RunId};
use uuid::Uuid;

use crate::row::{Write, about_row, keep_word, signed};

/// Leases end, and the database's calendar too.
const LONGEST_LEASE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

pub(super) struct Order {
    pub(super) run: RunId,
    /// Tells this write from any other.
    pub(super) nonce: i64,
    /// The run's rev once this is written.
    pub(super) rev: i64,
    pub(super) lease_us: i64,
    /// Whether the step that is recorded, if any, holds a whole state.
    pub(super) whole_state: bool,
    pub(super) write: Write,
    /// The size of its rows, without the blobs that nobody folds.
    pub(super) bytes: u64,
    /// The size of all that it sends.
    pub(super) weight: u64,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Append(Guard),
    Create(Box<NewRun>),
}

/// What an append expects of its run, and whether it gives the run up.
pub(super) struct Guard {
    pub(super) fence: i64,
    /// The rev the writer has seen.
    pub(super) seen: i64,
    pub(super) release: bool,
}

pub(super) struct NewRun {
    pub(super) about: Vec<u8>,
    pub(super) about_sum: Vec<u8>,
    pub(super) created_at: i64,
    pub(super) workflow: String,
    pub(super) title: String,
    pub(super) keep: &'static str,
    pub(super) owner: String,
    /// The run that this one is a fork of.
    pub(super) origin: Option<Uuid>,
}

impl Order {
    pub(super) fn append(append: &Append, lease: Duration) -> Result<Self, Error> {
        append.check()?;
        let write = Write::of_append(append)?;
        Ok(Self {
            run: append.run,
            nonce: append.nonce.cast_signed(),
            rev: signed(append.head.rev),
            lease_us: microseconds(lease),
            whole_state: append.record.as_ref().is_some_and(is_base),
            bytes: write.size(append.blobs.len()),
            weight: write.size(0),
            write,
            kind: Kind::Append(Guard {
                fence: signed(append.token.fence),
                seen: signed(append.token.rev),
                release: append.release,
            }),
        })
    }

    pub(super) fn create(
        creation: &Creation,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Self, Error> {
        let about = &creation.run.about;
        creation.check()?;
        let (meta, sum) = about_row(about)?;
        let write = Write::of_creation(creation)?;
        let (_, random) = Uuid::now_v7().as_u64_pair();
        Ok(Self {
            run: about.id,
            nonce: random.cast_signed(),
            rev: signed(creation.run.head.rev),
            lease_us: microseconds(lease),
            whole_state: is_base(&creation.base),
            bytes: write.size(0),
            weight: write.size(0),
            write,
            kind: Kind::Create(Box::new(NewRun {
                about: meta,
                about_sum: sum,
                created_at: about.created_at.as_microsecond(),
                workflow: column_text(&about.workflow),
                title: searched_text(&about.title),
                keep: keep_word(creation.run.keep),
                owner: column_text(owner.as_str()),
                origin: about.forked_from.as_ref().map(|from| *from.run.as_uuid()),
            })),
        })
    }

    pub(super) fn is_append(&self) -> bool {
        matches!(self.kind, Kind::Append(_))
    }
}

fn is_base(record: &StepRecord) -> bool {
    matches!(record.meta.kind, StepKind::Base { .. })
}

/// Text as a column holds it: PostgreSQL's text has no NUL. The record holds the whole truth.
pub(super) fn column_text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Text as it is searched. Folded here, because the database's rules depend on its locale.
pub(super) fn searched_text(text: &str) -> String {
    column_text(&text.to_lowercase())
}

pub(super) fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.min(LONGEST_LEASE).as_micros()).unwrap_or(i64::MAX)
}
