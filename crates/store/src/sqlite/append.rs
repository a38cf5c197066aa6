//! The two writes that make a run: its creation, and the appends to its log.

use fathom_workflow::journal::Appended;
use fathom_workflow::record::{Append, Creation, Run, Token};
use fathom_workflow::{Error, Owner, RunId};
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::fault::Failure;
use super::header::key;
use super::hold::{self, Lease};
use super::rows::Rows;
use crate::row::{about_row, is_wanted, keep_word, signed};

/// The fence of a run that has not changed hands.
const FIRST_FENCE: u64 = 1;

/// A creation, ready to be written.
pub(super) struct NewRun {
    run: Run,
    owner: Owner,
    about: (Vec<u8>, Vec<u8>),
    rows: Rows,
}

impl NewRun {
    pub(super) fn of(creation: Creation, owner: &Owner) -> Result<Self, Error> {
        Ok(Self {
            about: about_row(&creation.run.about)?,
            rows: Rows::of_creation(&creation)?,
            run: creation.run,
            owner: owner.clone(),
        })
    }
}

pub(super) fn create(
    connection: &Connection,
    new: &NewRun,
    lease: Lease,
) -> Result<Token, Failure> {
    let about = &new.run.about;
    let head = new.rows.head();
    let token = Token {
        fence: FIRST_FENCE,
        rev: new.run.head.rev,
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
            ":about": new.about.0,
            ":about_sum": new.about.1,
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
            ":keep": keep_word(new.run.keep),
            ":fence": signed(token.fence),
            ":owner": new.owner.as_str(),
            ":until": lease.until,
        })?;
    if made == 0 {
        return Err(Error::RunExists { run: about.id }.into());
    }
    new.rows.insert(connection)?;
    Ok(token)
}

/// An append, ready to be written.
pub(super) struct NewAppend {
    token: Token,
    nonce: u64,
    release: bool,
    rows: Rows,
    bytes: u64,
}

impl NewAppend {
    pub(super) fn of(append: &Append) -> Result<Self, Error> {
        let rows = Rows::of_append(append)?;
        Ok(Self {
            token: append.token,
            nonce: append.nonce,
            release: append.release,
            bytes: rows.size(append.blobs.len()),
            rows,
        })
    }

    fn appended(&self, cancel: &str) -> Result<Appended, Failure> {
        Ok(Appended {
            cancel_requested: is_wanted(self.rows.run(), cancel)?,
            bytes: self.bytes,
        })
    }
}

pub(super) fn append(
    connection: &Connection,
    new: &NewAppend,
    lease: Lease,
) -> Result<Appended, Failure> {
    let run = new.rows.run();
    let head = new.rows.head();
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
                ":nonce": new.nonce.cast_signed(),
                ":until": lease.until,
                ":id": key(run),
                ":fence": signed(new.token.fence),
                ":rev": signed(new.token.rev),
            },
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)),
        )
        .optional()?;
    let Some((cancel, ended)) = taken else {
        return taken_before(connection, run, new);
    };
    if ended != head.ended {
        connection
            .prepare_cached("UPDATE runs SET ended = ?2 WHERE id = ?1")?
            .execute(params![key(run), head.ended])?;
    }
    if new.release {
        hold::let_go(connection, run)?;
    }
    new.rows.insert(connection)?;
    new.appended(&cancel)
}

/// Why an append was not taken: a writer whose reply was lost asks again, and its write is there.
fn taken_before(connection: &Connection, run: RunId, new: &NewAppend) -> Result<Appended, Failure> {
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
    let ours =
        rev == signed(new.token.rev).saturating_add(1) && nonce == Some(new.nonce.cast_signed());
    if !ours {
        return Err(Error::Superseded { run }.into());
    }
    new.appended(&cancel)
}
