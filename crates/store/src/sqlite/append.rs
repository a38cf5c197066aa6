//! The two writes that make a run: its creation, and the appends to its log.

use fathom_workflow::journal::Appended;
use fathom_workflow::record::{Append, Creation, RunHeader, Token};
use fathom_workflow::{Error, Owner, RunId};
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::failure::SqliteFailure;
use super::header::key;
use super::lease::{self, LeaseTime};
use crate::row::{RecordRow, RunRows, about_row, is_wanted, keep_word, signed};

/// The fence of a run that has not changed hands.
const FIRST_FENCE: u64 = 1;

/// A creation, ready to be written.
pub(super) struct CreateRequest {
    run: RunHeader,
    owner: Owner,
    about: (Vec<u8>, Vec<u8>),
    rows: RunRows,
}

impl CreateRequest {
    pub(super) fn new(creation: Creation, owner: &Owner) -> Result<Self, Error> {
        Ok(Self {
            about: about_row(&creation.run.about)?,
            rows: RunRows::from_creation(&creation)?,
            run: creation.run,
            owner: owner.clone(),
        })
    }
}

pub(super) fn create(
    connection: &Connection,
    request: &CreateRequest,
    lease: LeaseTime,
) -> Result<Token, SqliteFailure> {
    let CreateRequest { run, rows, .. } = request;
    let (about, head) = (&run.about, &rows.head);
    let token = Token {
        fence: FIRST_FENCE,
        rev: run.head.rev,
    };
    let made = connection
        .prepare_cached(
            "INSERT INTO runs (id, about, about_sum, head, head_sum, rev, status, ended, workflow,
                               title, created_at, updated_at, wake_at, keep, fence, owner,
                               lease_until)
             VALUES (:id, :about, :about_sum, :head, :head_sum, :rev, :status, :ended, :workflow,
                     :title, :created_at, :updated_at, :wake_at, :keep, :fence, :owner, :until)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(named_params! {
            ":id": key(about.id),
            ":about": request.about.0,
            ":about_sum": request.about.1,
            ":head": head.meta,
            ":head_sum": head.sum,
            ":rev": signed(token.rev),
            ":status": head.status,
            ":ended": head.ended,
            ":workflow": about.workflow,
            ":title": about.title,
            ":created_at": about.created_at.as_microsecond(),
            ":updated_at": head.updated_at,
            ":wake_at": head.wake_at,
            ":keep": keep_word(run.keep),
            ":fence": signed(token.fence),
            ":owner": request.owner.as_str(),
            ":until": lease.until,
        })?;
    if made == 0 {
        return Err(Error::RunExists { run: about.id }.into());
    }
    insert_rows(connection, rows)?;
    // A fork may need whatever its origin does, and may outlive it.
    if let Some(origin) = &about.forked_from {
        connection
            .prepare_cached(
                "INSERT INTO blob_refs (run, hash)
                 SELECT ?1, hash FROM blob_refs WHERE run = ?2 ON CONFLICT DO NOTHING",
            )?
            .execute(params![key(about.id), key(origin.run)])?;
    }
    Ok(token)
}

/// An append, ready to be written.
pub(super) struct AppendRequest {
    token: Token,
    nonce: u64,
    release: bool,
    rows: RunRows,
}

impl AppendRequest {
    pub(super) fn new(append: &Append) -> Result<Self, Error> {
        Ok(Self {
            token: append.token,
            nonce: append.nonce,
            release: append.release,
            rows: RunRows::from_append(append)?,
        })
    }

    fn appended(&self, cancel: &str) -> Result<Appended, SqliteFailure> {
        Ok(Appended {
            cancel_requested: is_wanted(self.rows.run, cancel)?,
            bytes: self.rows.bytes(),
        })
    }
}

pub(super) fn append(
    connection: &Connection,
    request: &AppendRequest,
    lease: LeaseTime,
) -> Result<Appended, SqliteFailure> {
    let (run, head) = (request.rows.run, &request.rows.head);
    // `ended` and `owner` are in indexes: they are set apart, and only when they change.
    let taken = connection
        .prepare_cached(
            "UPDATE runs
                SET head = :head, head_sum = :head_sum, rev = :rev + 1, status = :status,
                    updated_at = :updated_at, wake_at = :wake_at, nonce = :nonce,
                    lease_until = CASE WHEN owner IS NULL THEN NULL ELSE :until END
              WHERE id = :id AND fence = :fence AND rev = :rev
              RETURNING cancel, ended",
        )?
        .query_row(
            named_params! {
                ":head": head.meta,
                ":head_sum": head.sum,
                ":status": head.status,
                ":updated_at": head.updated_at,
                ":wake_at": head.wake_at,
                ":nonce": request.nonce.cast_signed(),
                ":until": lease.until,
                ":id": key(run),
                ":fence": signed(request.token.fence),
                ":rev": signed(request.token.rev),
            },
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)),
        )
        .optional()?;
    let Some((cancel, ended)) = taken else {
        return taken_before(connection, run, request);
    };
    if ended != head.ended {
        connection
            .prepare_cached("UPDATE runs SET ended = ?2 WHERE id = ?1")?
            .execute(params![key(run), head.ended])?;
    }
    if request.release {
        lease::release(connection, run, request.token)?;
    }
    insert_rows(connection, &request.rows)?;
    request.appended(&cancel)
}

/// Why an append was not taken: a writer whose reply was lost asks again, and its write is there.
fn taken_before(
    connection: &Connection,
    run: RunId,
    request: &AppendRequest,
) -> Result<Appended, SqliteFailure> {
    let stored = connection
        .prepare_cached("SELECT rev, nonce, cancel FROM runs WHERE id = ?1")?
        .query_row([key(run)], |row| {
            let (rev, nonce): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
            Ok((rev, nonce, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((rev, nonce, cancel)) = stored else {
        return Err(Error::NoSuchRun { run }.into());
    };
    let is_ours = rev == signed(request.token.rev).saturating_add(1)
        && nonce == Some(request.nonce.cast_signed());
    if !is_ours {
        return Err(Error::Superseded { run }.into());
    }
    request.appended(&cancel)
}

/// Puts all but the header in place.
fn insert_rows(connection: &Connection, rows: &RunRows) -> rusqlite::Result<()> {
    let prepare = |sql: &str| connection.prepare_cached(sql);
    let run = key(rows.run);
    insert_blobs(connection, rows)?;
    if let Some((step, RecordRow { meta, body, sum })) = &rows.step {
        // The first step always holds a whole state, and is found without the index of those that do.
        let is_base = rows.is_base && *step > 0;
        prepare(
            "INSERT INTO steps (run, step, base, meta, body, blob, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            run,
            step,
            is_base,
            meta,
            body.inline(),
            body.apart(),
            sum
        ])?;
    }
    if let Some((step, RecordRow { meta, body, sum })) = &rows.snapshot {
        prepare(
            "INSERT INTO snapshots (run, step, meta, body, blob, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![run, step, meta, body.inline(), body.apart(), sum])?;
    }
    for entry in &rows.entries {
        let RecordRow { meta, body, sum } = &entry.row;
        let (inline, apart) = (body.inline(), body.apart());
        prepare(
            "INSERT INTO entries (run, step, key, part, meta, body, blob, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            run, entry.step, entry.key, entry.part, meta, inline, apart, sum
        ])?;
    }
    if let Some(events) = &rows.events {
        prepare("INSERT INTO events (run, first, last, meta, sum) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![
                run,
                events.first,
                events.last,
                events.meta,
                events.sum
            ])?;
    }
    Ok(())
}

fn insert_blobs(connection: &Connection, rows: &RunRows) -> rusqlite::Result<()> {
    for blob in &rows.blobs {
        let hash = blob.hash.as_bytes();
        // Asked first, since handing the bytes over copies them.
        let mut known = connection.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?;
        if !known.exists([hash])? {
            connection
                .prepare_cached("INSERT INTO blobs (hash, bytes) VALUES (?1, ?2)")?
                .execute(params![hash, &*blob.bytes])?;
        }
        connection
            .prepare_cached(
                "INSERT INTO blob_refs (run, hash) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            )?
            .execute(params![key(rows.run), hash])?;
    }
    Ok(())
}
