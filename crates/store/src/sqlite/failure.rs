//! What SQLite's errors mean to a run: the one place where they are told apart.

use fathom_workflow::Error;
use rusqlite::ErrorCode;

/// How work on a connection fails: SQLite said so, or we did.
#[derive(Debug)]
pub(super) enum SqliteFailure {
    Sql(rusqlite::Error),
    Refused(Error),
}

impl SqliteFailure {
    /// What it would mean if the whole commit had failed so.
    pub(super) fn of_commit(&self) -> CommitFailure {
        match self {
            Self::Sql(error) => CommitFailure::from_sql(error),
            Self::Refused(error) => CommitFailure::Refused(error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for SqliteFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Error> for SqliteFailure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<SqliteFailure> for Error {
    fn from(failure: SqliteFailure) -> Self {
        match failure {
            SqliteFailure::Sql(error) => CommitFailure::from_sql(&error).into(),
            SqliteFailure::Refused(error) => error,
        }
    }
}

/// The failure of a commit. It can be told to several callers, as one commit serves many.
#[derive(Clone, Debug)]
pub(super) enum CommitFailure {
    Full,
    Damaged(String),
    Gone(String),
    Refused(String),
}

impl CommitFailure {
    pub(super) fn from_sql(error: &rusqlite::Error) -> Self {
        if let Some(why) = damage(error) {
            return Self::Damaged(why);
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Gone(format!(
                "another process keeps the database locked: {error}"
            )),
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Gone(format!("the database file cannot be used: {error}")),
            _ => Self::Refused(error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for CommitFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::from_sql(&error)
    }
}

impl From<CommitFailure> for Error {
    fn from(failure: CommitFailure) -> Self {
        match failure {
            CommitFailure::Full => Self::DiskFull,
            CommitFailure::Damaged(why) => Self::StoreDamaged {
                what: "the database file".into(),
                why,
            },
            CommitFailure::Gone(why) => Self::StoreGone { why },
            CommitFailure::Refused(why) => Self::Store { why },
        }
    }
}

/// What was read, or why it cannot be: damaged bytes are told apart from a store that fails.
pub(super) fn readable<T>(read: rusqlite::Result<T>) -> rusqlite::Result<Result<T, String>> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(error) => match damage(&error) {
            Some(why) => Ok(Err(why)),
            None => Err(error),
        },
    }
}

/// Why the error means damaged bytes, if it does. A flipped byte can make a page unreadable, but
/// also give a value another type, length or encoding.
fn damage(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, why) => Some(why.to_string()),
        rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => Some(error.to_string()),
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Some(error.to_string()),
            _ => None,
        },
    }
}
