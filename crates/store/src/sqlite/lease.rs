//! Who holds a run, and the marks that others leave on it.

use std::time::Duration;

use fathom_workflow::record::Token;
use fathom_workflow::{Error, Owner, RunId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, params};

use super::failure::SqliteFailure;
use super::header::{key, run_id};
use super::micros;
use crate::row::{WANTED, cancel_word, keep_word, signed, unsigned};

/// When a lease begins and ends, in microseconds by the store's clock.
#[derive(Clone, Copy)]
pub(super) struct LeaseTime {
    now: i64,
    pub(super) until: i64,
}

impl LeaseTime {
    pub(super) fn new(now: Timestamp, lasts: Duration) -> Self {
        let now = micros(now);
        let lasts = i64::try_from(lasts.as_micros()).unwrap_or(i64::MAX);
        Self {
            now,
            until: now.saturating_add(lasts).min(micros(Timestamp::MAX)),
        }
    }
}

/// Gives the run to `owner`, unless somebody holds it.
pub(super) fn claim(
    connection: &Connection,
    run: RunId,
    owner: &Owner,
    lease: LeaseTime,
) -> Result<Token, SqliteFailure> {
    if let Some(held) = holder(connection, run, lease.now)? {
        return Err(held.into());
    }
    let token = connection
        .prepare_cached(
            "UPDATE runs SET owner = ?2, lease_until = ?3, fence = fence + 1
              WHERE id = ?1 RETURNING fence, rev",
        )?
        .query_row(params![key(run), owner.as_str(), lease.until], |row| {
            Ok(Token {
                fence: unsigned(row.get(0)?),
                rev: unsigned(row.get(1)?),
            })
        })?;
    Ok(token)
}

/// The refusal that names who holds the run at the moment `now`, if anybody does.
pub(super) fn holder(
    connection: &Connection,
    run: RunId,
    now: i64,
) -> Result<Option<Error>, SqliteFailure> {
    let held: Option<(Option<String>, Option<i64>)> = connection
        .prepare_cached("SELECT owner, lease_until FROM runs WHERE id = ?1")?
        .query_row([key(run)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match held {
        None => Err(Error::NoSuchRun { run }.into()),
        Some((Some(owner), Some(until))) if until > now => Ok(Some(Error::Held {
            run,
            owner: Owner::named(owner),
            until: Timestamp::from_microsecond(until).unwrap_or(Timestamp::MAX),
        })),
        Some(_) => Ok(None),
    }
}

pub(super) fn renew(
    connection: &Connection,
    owner: &Owner,
    runs: &[RunId],
    lease: LeaseTime,
) -> Result<(), SqliteFailure> {
    let mut prolong = connection
        .prepare_cached("UPDATE runs SET lease_until = ?3 WHERE id = ?1 AND owner = ?2")?;
    for run in runs {
        prolong.execute(params![key(*run), owner.as_str(), lease.until])?;
    }
    Ok(())
}

/// Gives the run up if the token's holder still has it.
pub(super) fn release(
    connection: &Connection,
    run: RunId,
    token: Token,
) -> Result<(), SqliteFailure> {
    connection
        .prepare_cached(
            "UPDATE runs SET owner = NULL, lease_until = NULL WHERE id = ?1 AND fence = ?2",
        )?
        .execute(params![key(run), signed(token.fence)])?;
    Ok(())
}

pub(super) fn mark_cancel(
    connection: &Connection,
    run: RunId,
    wanted: bool,
) -> Result<(), SqliteFailure> {
    let mark = cancel_word(wanted);
    let sql = "UPDATE runs SET cancel = ?2 WHERE id = ?1";
    mark_run(connection, run, sql, params![key(run), mark])
}

pub(super) fn mark_keep(
    connection: &Connection,
    run: RunId,
    keep: bool,
) -> Result<(), SqliteFailure> {
    let mark = keep_word(keep);
    let sql = "UPDATE runs SET keep = ?2 WHERE id = ?1";
    mark_run(connection, run, sql, params![key(run), mark])
}

fn mark_run(
    connection: &Connection,
    run: RunId,
    sql: &str,
    params: impl Params,
) -> Result<(), SqliteFailure> {
    match connection.prepare_cached(sql)?.execute(params)? {
        0 => Err(Error::NoSuchRun { run }.into()),
        _ => Ok(()),
    }
}

/// The runs of `owner` that are marked to stop.
pub(super) fn cancels(connection: &Connection, owner: &Owner) -> Result<Vec<RunId>, SqliteFailure> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM runs WHERE owner = ?1 AND cancel = ?2")?;
    let ids = statement.query_map([owner.as_str(), WANTED], |row| Ok(run_id(row.get(0)?)))?;
    Ok(ids.collect::<Result<_, _>>()?)
}
