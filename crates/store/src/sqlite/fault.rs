//! What SQLite's errors mean to a run: the one place where they are told apart.

use fathom_workflow::Error;
use fathom_workflow::record::Damage;
use rusqlite::ErrorCode;

/// How work on a connection fails: SQLite said so, or we did.
#[derive(Debug)]
pub(super) enum Failure {
    Sql(rusqlite::Error),
    Told(Error),
}

impl Failure {
    /// What it would mean if the whole store had failed so.
    pub(super) fn fault(&self) -> Fault {
        match self {
            Self::Sql(error) => Fault::of(error),
            Self::Told(error) => Fault::Refused(error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Sql(error) => Fault::of(&error).into(),
            Failure::Told(error) => error,
        }
    }
}

/// A failure of the whole store. It can be told to several callers, as one commit serves many.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Full,
    Damaged(String),
    Gone(String),
    Refused(String),
}

impl Fault {
    pub(super) fn of(error: &rusqlite::Error) -> Self {
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

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::of(&error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Full => Self::DiskFull,
            Fault::Damaged(why) => Self::StoreDamaged {
                what: "the database file".into(),
                why,
            },
            Fault::Gone(why) => Self::StoreGone { why },
            Fault::Refused(why) => Self::Store { why },
        }
    }
}

/// Why the error means damaged bytes, if it does. A flipped byte can make a page unreadable, but
/// also give a value another type, length or encoding.
pub(super) fn damage(error: &rusqlite::Error) -> Option<String> {
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

/// What was read, or how it is damaged: damaged bytes are told apart from a store that fails.
pub(super) fn seen<T>(
    what: impl FnOnce() -> String,
    read: rusqlite::Result<T>,
) -> rusqlite::Result<Result<T, Damage>> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(error) => match damage(&error) {
            Some(why) => Ok(Err(Damage { what: what(), why })),
            None => Err(error),
        },
    }
}
