//! What a write brings, in the form of its rows.
//!
//! Rows are made in the caller's task, JSON, hashes and all; whoever writes only puts them in
//! place.

use fathom_workflow::record::{Append, Creation, StepKind};
use fathom_workflow::{Error, RunId};
use rusqlite::{Connection, params};

use super::header::key;
use crate::row::{HeadRow, Row, Write};

pub(super) struct Rows {
    run: RunId,
    /// The run that this one is a fork of.
    origin: Option<RunId>,
    write: Write,
    /// Whether the step holds a whole state, and is not the first, which always does.
    base: bool,
}

impl Rows {
    pub(super) fn of_creation(creation: &Creation) -> Result<Self, Error> {
        creation.check()?;
        Ok(Self {
            run: creation.run.id(),
            origin: creation.run.about.forked_from.as_ref().map(|from| from.run),
            write: Write::of_creation(creation)?,
            base: false,
        })
    }

    pub(super) fn of_append(append: &Append) -> Result<Self, Error> {
        append.check()?;
        let kind = append.record.as_ref().map(|record| &record.meta.kind);
        Ok(Self {
            run: append.run,
            origin: None,
            write: Write::of_append(append)?,
            base: matches!(kind, Some(StepKind::Base { .. })),
        })
    }

    pub(super) fn size(&self, given_blobs: usize) -> u64 {
        self.write.size(given_blobs)
    }

    pub(super) fn run(&self) -> RunId {
        self.run
    }

    pub(super) fn head(&self) -> &HeadRow {
        &self.write.head
    }

    /// Puts all but the header in place.
    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.insert_blobs(connection)?;
        self.insert_step(connection)?;
        self.insert_entries(connection)?;
        let Some(events) = &self.write.events else {
            return Ok(());
        };
        connection
            .prepare_cached(
                "INSERT INTO events (run, first, last, meta, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                key(self.run),
                events.first,
                events.last,
                events.meta,
                events.sum
            ])?;
        Ok(())
    }

    fn insert_blobs(&self, connection: &Connection) -> rusqlite::Result<()> {
        for blob in &self.write.blobs {
            let hash = blob.hash.as_bytes();
            // Asked first, since handing the bytes over copies them.
            let known = connection
                .prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?
                .exists([hash])?;
            if !known {
                connection
                    .prepare_cached("INSERT INTO blobs (hash, bytes) VALUES (?1, ?2)")?
                    .execute(params![hash, &*blob.bytes])?;
            }
            connection
                .prepare_cached(
                    "INSERT INTO blob_refs (run, hash) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                )?
                .execute(params![key(self.run), hash])?;
        }
        // A fork may need whatever its origin does, and may outlive it.
        if let Some(origin) = self.origin {
            connection
                .prepare_cached(
                    "INSERT INTO blob_refs (run, hash)
                     SELECT ?1, hash FROM blob_refs WHERE run = ?2 ON CONFLICT DO NOTHING",
                )?
                .execute(params![key(self.run), key(origin)])?;
        }
        Ok(())
    }

    fn insert_step(&self, connection: &Connection) -> rusqlite::Result<()> {
        let run = key(self.run);
        if let Some((step, Row { meta, body, sum })) = &self.write.step {
            connection
                .prepare_cached(
                    "INSERT INTO steps (run, step, base, meta, body, blob, sum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    run,
                    step,
                    self.base,
                    meta,
                    body.inline(),
                    body.apart(),
                    sum
                ])?;
        }
        if let Some((step, Row { meta, body, sum })) = &self.write.snapshot {
            connection
                .prepare_cached(
                    "INSERT INTO snapshots (run, step, meta, body, blob, sum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![run, step, meta, body.inline(), body.apart(), sum])?;
        }
        Ok(())
    }

    fn insert_entries(&self, connection: &Connection) -> rusqlite::Result<()> {
        for entry in &self.write.entries {
            let Row { meta, body, sum } = &entry.row;
            connection
                .prepare_cached(
                    "INSERT INTO entries (run, step, key, part, meta, body, blob, sum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    key(self.run),
                    entry.step,
                    entry.key,
                    entry.part,
                    meta,
                    body.inline(),
                    body.apart(),
                    sum
                ])?;
        }
        Ok(())
    }
}
