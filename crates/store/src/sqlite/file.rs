//! The database file: how it is opened, which format it has, how it gets to the newest one.

use std::path::Path;
use std::time::{Duration, Instant};

use fathom_workflow::Error;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::failure::{CommitFailure, SqliteFailure};
use super::wal;

/// Before it, two connections that wrote and checkpointed at the same moment could corrupt the
/// file (<https://sqlite.org/wal.html#walresetbug>).
const OLDEST_SQLITE: i32 = 3_051_003;

/// Marks the file as Fathom's ("Fthm"), so that no other program's database is taken for ours.
const APPLICATION_ID: i32 = 0x4674_686d;

/// Each brings the file to the next format. The file remembers how many it has had.
const MIGRATIONS: [&str; 2] = [
    include_str!("../../migrations/sqlite/0001_initial.sql"),
    include_str!("../../migrations/sqlite/0002_due.sql"),
];

/// How long a write waits for another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Between attempts to open a file that others are opening or closing.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// More than there are statements, so that each is prepared once per connection.
const STATEMENTS_KEPT: usize = 64;

/// A commit is on disk before it is answered. SQLite copies the log into the file after 4,096 pages,
/// so that a thousand busy runs do not wait for a copy with every other commit, and cuts it back to 64 MiB
/// after a burst. The cache, 4 MiB, holds the pages that those runs share.
const WRITER_SETTINGS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA wal_autocheckpoint = 4096;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -4096;
";

/// `cell_size_check` finds damaged pages early. No memory map: a damaged disk would then end the
/// process with a signal, not give an error.
const COMMON_SETTINGS: &str = "
    PRAGMA cell_size_check = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA mmap_size = 0;
    PRAGMA trusted_schema = OFF;
";

/// Opens the file for writing. Makes it, with its folder, if it is not there; brings it to this
/// program's format if it is older. Changes nothing in a file that it refuses.
pub(super) fn open(path: &Path, page_limit: Option<u32>) -> Result<Connection, Error> {
    check_version(rusqlite::version_number())?;
    if let Some(folder) = path.parent()
        && let Err(error) = crate::create_private_folder(folder)
    {
        return Err(Error::StoreGone {
            why: format!("the folder {} cannot be made: {error}", folder.display()),
        });
    }
    wal::check(path)?;
    match prepare_patiently(path, page_limit) {
        Ok(connection) => Ok(connection),
        Err(SqliteFailure::Refused(error)) => Err(error),
        Err(SqliteFailure::Sql(error)) => Err(match CommitFailure::from_sql(&error) {
            CommitFailure::Damaged(why) => Error::StoreDamaged {
                what: path.display().to_string(),
                why,
            },
            failure => failure.into(),
        }),
    }
}

/// Opens another connection to a file that [`open`] has opened.
pub(super) fn open_for_reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    settle(&connection)?;
    Ok(connection)
}

fn check_version(number: i32) -> Result<(), Error> {
    if number >= OLDEST_SQLITE {
        return Ok(());
    }
    Err(Error::Store {
        why: format!(
            "this program was built with SQLite {}, but versions before 3.51.3 can corrupt a \
             database that two connections write at once; build it with a newer one",
            rusqlite::version()
        ),
    })
}

/// SQLite waits by itself for another process that writes, but not for one that turns the log on
/// or, closing the file, off at this moment.
fn prepare_patiently(path: &Path, page_limit: Option<u32>) -> Result<Connection, SqliteFailure> {
    let patience = Instant::now() + BUSY_TIMEOUT;
    loop {
        match prepare(path, page_limit) {
            Err(SqliteFailure::Sql(error)) if is_busy(&error) && Instant::now() < patience => {
                std::thread::sleep(BUSY_PAUSE);
            }
            outcome => return outcome,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn prepare(path: &Path, page_limit: Option<u32>) -> Result<Connection, SqliteFailure> {
    // No URI flag: a path is a path, whatever it looks like.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    settle(&connection)?;
    let look = connection.transaction()?;
    format(&look, path)?;
    look.finish()?;

    connection.pragma_update(None, "page_size", 4096)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let why = format!(
            "{} lies on a file system without shared memory (its journal mode stays {mode}); \
             move it to a local disk",
            path.display()
        );
        return Err(Error::Store { why }.into());
    }
    connection.execute_batch(WRITER_SETTINGS)?;
    if let Some(limit) = page_limit {
        connection.pragma_update(None, "max_page_count", limit)?;
    }
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Finds runs whose other records have outlived their header, going from run to run by the key.
const WITHOUT_HEADER: &str = "
    WITH RECURSIVE known (run) AS (
        SELECT min(run) FROM steps
        UNION ALL
        SELECT (SELECT min(run) FROM steps WHERE run > known.run) FROM known
         WHERE known.run IS NOT NULL)
    SELECT count(*) FROM known
     WHERE run IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs WHERE id = known.run)";

/// How the headers, or the ways to find them, are damaged, if they are: a header that nobody finds
/// has no checksum that could fail. Takes a few microseconds for each run.
pub(super) fn damaged_headers(connection: &Connection) -> Option<String> {
    match find_damage(connection) {
        Ok(found) => found,
        Err(error) => Some(error.to_string()),
    }
}

fn find_damage(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare("PRAGMA integrity_check(runs)")?;
    let mut verdicts = statement.query([])?;
    while let Some(row) = verdicts.next()? {
        let verdict: String = row.get(0)?;
        // A header with a wrong value is found, and its checksum tells.
        let of_value = verdict.contains(" value in ") || verdict.starts_with("CHECK constraint");
        if verdict != "ok" && !of_value {
            return Ok(Some(verdict));
        }
    }
    let lost: i64 = connection.query_row(WITHOUT_HEADER, [], first)?;
    Ok((lost > 0).then(|| format!("{lost} headers are missing")))
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Else SQLite plans a statement anew whenever it is given another bound of a range or limit, which takes longer than
    // to run it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(COMMON_SETTINGS)
}

/// Another process may open the same new file at this moment: whoever comes second finds the
/// work done.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), SqliteFailure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = format(&transaction, path)?;
    for migration in &MIGRATIONS[found..] {
        transaction.execute_batch(migration)?;
    }
    if found < MIGRATIONS.len() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    }
    Ok(transaction.commit()?)
}

/// The file's format, 0 for an empty file. Refuses what this program must not touch.
fn format(transaction: &Transaction<'_>, path: &Path) -> Result<usize, SqliteFailure> {
    let application: i32 = transaction.pragma_query_value(None, "application_id", first)?;
    let format: i32 = transaction.pragma_query_value(None, "user_version", first)?;
    let empty: bool = transaction.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], first)?;
    let known = MIGRATIONS.len();
    match (application, usize::try_from(format)) {
        (0, Ok(0)) if empty => Ok(0),
        (APPLICATION_ID, Ok(format)) if (1..=known).contains(&format) => Ok(format),
        (APPLICATION_ID, Ok(format)) if format > known => Err(Error::NewerFormat {
            found: u32::try_from(format).unwrap_or(u32::MAX),
            known: u32::try_from(known).unwrap_or(u32::MAX),
        }
        .into()),
        (APPLICATION_ID, _) => Err(Error::StoreDamaged {
            what: path.display().to_string(),
            why: format!("its format number is {format}"),
        }
        .into()),
        _ => Err(Error::Store {
            why: format!("{} is the database of another program", path.display()),
        }
        .into()),
    }
}

fn first<T: rusqlite::types::FromSql>(row: &rusqlite::Row<'_>) -> rusqlite::Result<T> {
    row.get(0)
}

#[cfg(test)]
mod tests {
    use super::check_version;

    #[test]
    fn a_sqlite_that_can_corrupt_files_is_refused_with_the_reason() {
        let refused = check_version(3_051_002).unwrap_err().to_string();
        assert!(refused.contains("can corrupt a database"), "{refused}");
        check_version(3_051_003).unwrap();
        check_version(rusqlite::version_number()).unwrap();
    }
}
