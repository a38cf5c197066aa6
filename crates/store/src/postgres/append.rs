//! The two writes that make a run: its creation, and the appends to its log.
//!
//! Each is one statement, and so one round trip and one commit. It first moves the run's header, under
//! its guard, and adds the other rows only if the header moved: a refused write is no error to the
//! database. A write may be sent again after a loss, because its nonce tells whether it was taken.

use std::time::Duration;

use fathom_workflow::journal::Appended;
use fathom_workflow::record::{Append, Creation, Token};
use fathom_workflow::{Error, Owner, RunId};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::connection::PooledConnection;
use super::failure::PostgresFailure;
use super::header::{column_text, searched_text};
use super::lease::microseconds;
use crate::row::{RecordRow, RunRows, about_row, is_wanted, keep_word, signed, unsigned};

/// What both statements add once the header is `taken`. [`RowParams`] numbers the values.
macro_rules! added_rows {
    () => {
        ", step AS (
            INSERT INTO steps (run, step, base, meta, body, blob, sum)
            SELECT id, $11::bigint, $12::boolean, $13::bytea, $14::bytea, $15::bytea, $16::bytea
            FROM taken WHERE $11 IS NOT NULL),
        snapshot AS (
            INSERT INTO snapshots (run, step, meta, body, blob, sum)
            SELECT id, $17::bigint, $18::bytea, $19::bytea, $20::bytea, $21::bytea
            FROM taken WHERE $17 IS NOT NULL),
        journal AS (
            INSERT INTO entries (run, step, key, part, meta, body, blob, sum)
            SELECT taken.id, entry.* FROM taken, unnest($22::bigint[], $23::bytea[],
                $24::smallint[], $25::bytea[], $26::bytea[], $27::bytea[], $28::bytea[]) AS entry),
        batch AS (
            INSERT INTO events (run, first, last, meta, sum)
            SELECT id, $29::bigint, $30::bigint, $31::bytea, $32::bytea
            FROM taken WHERE $29 IS NOT NULL),
        stored AS (
            INSERT INTO blobs (hash, bytes)
            SELECT blob.* FROM taken, unnest($33::bytea[], $34::bytea[]) AS blob
            ON CONFLICT DO NOTHING),
        referred AS (
            INSERT INTO blob_refs (run, hash)
            SELECT taken.id, blob.* FROM taken, unnest($33::bytea[]) AS blob
            ON CONFLICT DO NOTHING)"
    };
}

const APPEND: &str = concat!(
    "WITH taken AS (
        UPDATE runs SET
            rev = $2, nonce = $3, head = $5, head_sum = $6, status = $7, ended = $8,
            updated_at = $9, wake_at = $10,
            owner = CASE WHEN NOT $37::boolean THEN owner END,
            lease_until = CASE WHEN NOT $37 AND owner IS NOT NULL
                THEN clock_timestamp() + $4::bigint * interval '1 microsecond' END
        WHERE id = $1 AND fence = $35 AND rev = $36
        RETURNING id, fence, rev, cancel)",
    added_rows!(),
    " SELECT fence, rev, cancel FROM taken"
);

/// A fork's state names the blobs of its origin, so it needs them too.
const CREATE: &str = concat!(
    "WITH taken AS (
        INSERT INTO runs (id, fence, rev, nonce, head, head_sum, status, ended, updated_at,
            wake_at, about, about_sum, created_at, workflow, title, keep, owner, lease_until)
        VALUES ($1, 1, $2, $3, $5, $6, $7, $8, $9, $10, $35, $36, $37, $38, $39, $40, $41,
            clock_timestamp() + $4::bigint * interval '1 microsecond')
        ON CONFLICT (id) DO NOTHING
        RETURNING id, fence, rev, cancel)",
    added_rows!(),
    ", shared AS (
        INSERT INTO blob_refs (run, hash)
        SELECT taken.id, origin.hash FROM taken, blob_refs AS origin WHERE origin.run = $42
        ON CONFLICT DO NOTHING)
    SELECT fence, rev, cancel FROM taken"
);

const STANDING: &str = "SELECT fence, rev, cancel, nonce FROM runs WHERE id = $1";

/// What became of a write.
enum WriteOutcome {
    Taken {
        token: Token,
        cancel: bool,
    },
    /// There is no such run.
    Missing,
    /// The run is not as the write expects it.
    Refused,
}

/// `nonce` tells this creation from any other of the same run.
pub(super) async fn create(
    connection: &PooledConnection,
    creation: &Creation,
    owner: &Owner,
    lease: Duration,
    nonce: u64,
) -> Result<Token, PostgresFailure> {
    let about = &creation.run.about;
    let rows = RunRows::from_creation(creation)?;
    let (meta, sum) = about_row(about)?;
    let mut params = RowParams::new(&rows, creation.run.head.rev, nonce, lease);
    params.add(meta);
    params.add(sum);
    params.add(about.created_at.as_microsecond());
    params.add(column_text(&about.workflow));
    params.add(searched_text(&about.title));
    params.add(keep_word(creation.run.keep));
    params.add(column_text(owner.as_str()));
    params.add(about.forked_from.as_ref().map(|from| *from.run.as_uuid()));
    match params.write(connection, CREATE).await? {
        WriteOutcome::Taken { token, .. } => Ok(token),
        // Missing: it was there when we came, and is deleted by now.
        WriteOutcome::Refused | WriteOutcome::Missing => {
            Err(Error::RunExists { run: about.id }.into())
        }
    }
}

pub(super) async fn append(
    connection: &PooledConnection,
    append: &Append,
    lease: Duration,
) -> Result<Appended, PostgresFailure> {
    let run = append.run;
    let rows = RunRows::from_append(append)?;
    let mut params = RowParams::new(&rows, append.head.rev, append.nonce, lease);
    params.add(signed(append.token.fence));
    params.add(signed(append.token.rev));
    params.add(append.release);
    match params.write(connection, APPEND).await? {
        WriteOutcome::Taken { cancel, .. } => Ok(Appended {
            cancel_requested: cancel,
            bytes: rows.bytes(),
        }),
        WriteOutcome::Missing => Err(Error::NoSuchRun { run }.into()),
        WriteOutcome::Refused => Err(Error::Superseded { run }.into()),
    }
}

/// The values of a write, in the order of their numbers: first those that both statements have.
struct RowParams<'a> {
    run: RunId,
    rev: i64,
    nonce: i64,
    values: Vec<Box<dyn ToSql + Sync + Send + 'a>>,
}

impl<'a> RowParams<'a> {
    fn new(rows: &'a RunRows, rev: u64, nonce: u64, lease: Duration) -> Self {
        let mut params = Self {
            run: rows.run,
            rev: signed(rev),
            nonce: nonce.cast_signed(),
            values: Vec::new(),
        };
        params.add(*rows.run.as_uuid());
        params.add(params.rev);
        params.add(params.nonce);
        params.add(microseconds(lease));
        let head = &rows.head;
        params.add(head.meta.as_slice());
        params.add(head.sum.as_slice());
        params.add(head.status.as_str());
        params.add(head.ended);
        params.add(head.updated_at);
        params.add(head.wake_at);
        params.add(rows.step.as_ref().map(|(step, _)| *step));
        params.add(rows.is_base);
        params.add_record(rows.step.as_ref());
        params.add(rows.snapshot.as_ref().map(|(step, _)| *step));
        params.add_record(rows.snapshot.as_ref());
        params.add_journal(rows);
        let events = rows.events.as_ref();
        params.add(events.map(|events| events.first));
        params.add(events.map(|events| events.last));
        params.add(events.map(|events| events.meta.as_slice()));
        params.add(events.map(|events| events.sum.as_slice()));
        // In order, so that two writes that bring the same blobs wait for each other and not both ways.
        let mut blobs: Vec<_> = rows.blobs.iter().collect();
        blobs.sort_by_key(|blob| blob.hash);
        params.add_column(&blobs, |blob| &blob.hash.as_bytes()[..]);
        params.add_column(&blobs, |blob| &*blob.bytes);
        params
    }

    fn add(&mut self, value: impl ToSql + Sync + Send + 'a) {
        self.values.push(Box::new(value));
    }

    /// Adds one value of each row, as an array.
    fn add_column<T, V: ToSql + Sync + Send + 'a>(&mut self, rows: &[T], value: impl Fn(&T) -> V) {
        self.add(rows.iter().map(value).collect::<Vec<V>>());
    }

    fn add_record(&mut self, record: Option<&'a (i64, RecordRow)>) {
        let row = record.map(|(_, row)| row);
        self.add(row.map(|row| row.meta.as_slice()));
        self.add(row.and_then(|row| row.body.inline()));
        self.add(row.and_then(|row| row.body.apart()));
        self.add(row.map(|row| row.sum.as_slice()));
    }

    fn add_journal(&mut self, rows: &'a RunRows) {
        let entries: Vec<_> = rows.entries.iter().collect();
        self.add_column(&entries, |entry| entry.step);
        self.add_column(&entries, |entry| entry.key.as_bytes());
        self.add_column(&entries, |entry| entry.part);
        self.add_column(&entries, |entry| entry.row.meta.as_slice());
        self.add_column(&entries, |entry| entry.row.body.inline());
        self.add_column(&entries, |entry| entry.row.body.apart());
        self.add_column(&entries, |entry| entry.row.sum.as_slice());
    }

    async fn write(
        self,
        connection: &PooledConnection,
        sql: &str,
    ) -> Result<WriteOutcome, PostgresFailure> {
        let values: Vec<&(dyn ToSql + Sync)> = self
            .values
            .iter()
            .map(|value| &**value as &(dyn ToSql + Sync))
            .collect();
        if let Some(row) = connection.row(sql, &values).await? {
            return taken(self.run, &row);
        }
        // Most often because it had been taken, and the reply was lost.
        let Some(row) = connection.row(STANDING, &[self.run.as_uuid()]).await? else {
            return Ok(WriteOutcome::Missing);
        };
        let (rev, nonce): (i64, i64) = (row.try_get(1)?, row.try_get(3)?);
        if rev == self.rev && nonce == self.nonce {
            return taken(self.run, &row);
        }
        Ok(WriteOutcome::Refused)
    }
}

/// From the columns fence, rev and cancel.
fn taken(run: RunId, row: &Row) -> Result<WriteOutcome, PostgresFailure> {
    let token = Token {
        fence: unsigned(row.try_get(0)?),
        rev: unsigned(row.try_get(1)?),
    };
    let cancel = is_wanted(run, row.try_get(2)?)?;
    Ok(WriteOutcome::Taken { token, cancel })
}
