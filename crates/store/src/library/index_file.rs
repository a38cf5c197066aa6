//! The file that holds a library's index: an SQLite database, one writer and many readers.
//!
//! Everything in it is derived from the documents. So a file of an older form is emptied and filled again, and one of a newer
//! form is refused: a newer program is using it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};

use super::LibraryError;

/// The form of the tables, of the packed lists in them, and of what the readers of documents give. One more makes every
/// index be filled again.
const FORM: u32 = 5;

/// Most rows are packed blocks of some kilobytes; in SQLite's usual pages of 4 KiB half of the file would be empty.
const PAGE_BYTES: u32 = 32 << 10;

const FILE: &str = "index.sqlite";
const LOCK: &str = "writer.lock";

/// Pages that a connection holds in memory, in KiB: those of one query.
const CACHE_KIB: i32 = 16 << 10;

/// A reader waits so long where a writer closes the log of changes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

const TABLES: &str = "
    CREATE TABLE files (
        path BLOB PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER NOT NULL, changed_ns INTEGER NOT NULL,
        read_ns INTEGER NOT NULL, text INTEGER, why TEXT
    );
    CREATE INDEX files_by_text ON files (text);
    CREATE INDEX files_by_name ON files (name);
    CREATE TABLE texts (
        id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, title TEXT, words INTEGER NOT NULL,
        bytes INTEGER NOT NULL, passages INTEGER NOT NULL
    );
    CREATE TABLE blocks (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE segments (
        id INTEGER PRIMARY KEY, passages INTEGER NOT NULL, texts BLOB NOT NULL, lengths BLOB NOT NULL,
        languages TEXT NOT NULL
    );
    CREATE TABLE dictionaries (
        segment INTEGER NOT NULL, kind INTEGER NOT NULL, first BLOB NOT NULL, body BLOB NOT NULL
    );
    CREATE UNIQUE INDEX dictionaries_by_first ON dictionaries (segment, kind, first);
    CREATE TABLE gone (text INTEGER PRIMARY KEY);
    CREATE TABLE left_out (name TEXT NOT NULL, why TEXT NOT NULL, files INTEGER NOT NULL);
    CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE vectors (
        model TEXT NOT NULL, block INTEGER NOT NULL, passages INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (model, block)
    );
";

/// What the table `facts` holds.
#[derive(Clone, Copy)]
pub(super) enum Fact {
    /// Rises with every change, so that readers see that there was one.
    Generation,
    /// 1 once all documents have been read.
    Complete,
    /// The highest number that a text has got.
    LastText,
    /// The highest number that a segment has got.
    LastSegment,
}

impl Fact {
    fn name(self) -> &'static str {
        match self {
            Self::Generation => "generation",
            Self::Complete => "complete",
            Self::LastText => "last_text",
            Self::LastSegment => "last_segment",
        }
    }

    pub(super) fn get(self, connection: &Connection) -> rusqlite::Result<i64> {
        let mut fact = connection
            .prepare_cached("SELECT coalesce((SELECT value FROM facts WHERE name = ?1), 0)")?;
        fact.query_row([self.name()], |row| row.get(0))
    }

    pub(super) fn set(self, connection: &Connection, value: i64) -> rusqlite::Result<()> {
        let set = "INSERT OR REPLACE INTO facts (name, value) VALUES (?1, ?2)";
        connection
            .prepare_cached(set)?
            .execute((self.name(), value))
            .map(drop)
    }

    /// One more than it was.
    pub(super) fn raise(self, connection: &Connection) -> rusqlite::Result<i64> {
        let next = self.get(connection)? + 1;
        self.set(connection, next)?;
        Ok(next)
    }
}

/// Where an index lies.
#[derive(Clone, Debug)]
pub(super) struct IndexFile {
    folder: PathBuf,
}

/// Held by the one process that writes.
pub(super) struct WriterLock {
    _file: File,
}

impl IndexFile {
    /// The index in this folder, made where there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, LibraryError> {
        let unusable = |why: String| LibraryError::Index {
            path: folder.to_owned(),
            why,
        };
        crate::create_private_folder(folder).map_err(|error| unusable(error.to_string()))?;
        let file = Self {
            folder: folder.to_owned(),
        };
        let mut connection = file.connect()?;
        let form = file.told(connection.pragma_query_value(None, "user_version", |row| row.get(0)));
        match form? {
            FORM => {}
            newer @ FORM.. => {
                return Err(LibraryError::Newer {
                    path: file.path(),
                    form: newer,
                });
            }
            _ => file.told(fill_anew(&mut connection))?,
        }
        Ok(file)
    }

    /// Deletes the folder of an index; false while another process writes to it.
    pub(super) fn delete(folder: &Path) -> Result<bool, LibraryError> {
        let file = Self {
            folder: folder.to_owned(),
        };
        let Some(_lock) = file.lock()? else {
            return Ok(false);
        };
        match std::fs::remove_dir_all(folder) {
            Ok(()) => Ok(true),
            Err(error) => Err(LibraryError::Index {
                path: folder.to_owned(),
                why: format!("it cannot be deleted: {error}"),
            }),
        }
    }

    /// The database itself.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    pub(super) fn connect(&self) -> Result<Connection, LibraryError> {
        let opened = Connection::open(self.path()).and_then(|connection| {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            if pages == 0 {
                connection.pragma_update(None, "page_size", PAGE_BYTES)?;
                // Of a file that is there it would ask for the right to write.
                connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
            }
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
            // A crash of the program loses nothing that was committed; one of the machine may lose the last commits, which
            // are made again from the documents.
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            // Else every statement with a bound in it would be parsed anew each time it is used.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            connection.set_prepared_statement_cache_capacity(64);
            Ok(connection)
        });
        self.told(opened)
    }

    /// The right to write; nothing while another process has it. The system takes it back from a process that ends.
    pub(super) fn lock(&self) -> Result<Option<WriterLock>, LibraryError> {
        let path = self.folder.join(LOCK);
        let unusable = |error: std::io::Error| LibraryError::Index {
            path: path.clone(),
            why: error.to_string(),
        };
        let file = File::create(&path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(WriterLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// A failure of the database with what can be done about it.
    pub(super) fn told<T>(&self, done: rusqlite::Result<T>) -> Result<T, LibraryError> {
        done.map_err(|error| {
            let damaged = matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            );
            let why = if damaged {
                format!("it is damaged ({error}); delete it, and it is made again from your files")
            } else {
                error.to_string()
            };
            LibraryError::Index {
                path: self.path(),
                why,
            }
        })
    }
}

/// Makes the tables, and drops those of an older form.
fn fill_anew(connection: &mut Connection) -> rusqlite::Result<()> {
    let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let form: u32 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // Another process may have been first.
    if form != FORM {
        let tables: Vec<String> = {
            let wanted =
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
            let mut tables = change.prepare(wanted)?;
            let names = tables.query_map([], |row| row.get(0))?;
            names.collect::<rusqlite::Result<_>>()?
        };
        for table in tables {
            change.execute_batch(&format!("DROP TABLE \"{table}\""))?;
        }
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "user_version", FORM)?;
    }
    change.commit()
}
