//! What went wrong in the database, sorted by what to do about it.
//!
//! Takes the driver's errors; gives [`PostgresFailure`]s, whose words never hold a password or a
//! parameter. When and how long to try again is for `pool.rs`.

use std::io;

use fathom_workflow::Error;
use tokio_postgres::error::DbError;

#[derive(Debug)]
pub(super) enum PostgresFailure {
    /// The server or the way to it went away. What was asked for may have been done or not.
    Gone { why: String },
    /// The database undid it in favour of somebody else. Nothing was done; it may succeed now.
    Conflict { why: String },
    /// Trying again would not help.
    Final(Error),
}

impl PostgresFailure {
    /// The store had no answer for us within `limit`.
    pub(super) fn no_answer(limit: std::time::Duration) -> Self {
        Self::Gone {
            why: format!("no answer within {} s", limit.as_secs()),
        }
    }

    /// The pool gives no connections any more.
    pub(super) fn closed() -> Self {
        Self::Gone {
            why: "the store is closed".into(),
        }
    }

    /// What is left to tell the caller when nobody tries again.
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Gone { why } | Self::Conflict { why } => Error::StoreGone { why },
            Self::Final(error) => error,
        }
    }

    /// Whether what was asked for may have been done all the same.
    pub(super) fn leaves_doubt(&self) -> bool {
        matches!(self, Self::Gone { .. })
    }
}

impl From<Error> for PostgresFailure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl From<tokio_postgres::Error> for PostgresFailure {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(told) = error.as_db_error() {
            return Self::from_server(told);
        }
        let why = with_cause(&error);
        if error.is_closed() || lost_on_the_way(&error) {
            Self::Gone { why }
        } else {
            Self::Final(Error::Store { why })
        }
    }
}

impl PostgresFailure {
    fn from_server(told: &DbError) -> Self {
        let code = told.code().code();
        let why = format!("PostgreSQL says: {} ({code})", told.message());
        match code {
            // Shut down, crashed, starting up, recovering, cut off after idling.
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => Self::Gone { why },
            // No room for another connection just now.
            "53300" => Self::Gone { why },
            // A server that has become a standby; another connection may lead to the new primary.
            "25006" => Self::Gone { why },
            // Serialization failure, deadlock, lock not available.
            "40001" | "40P01" | "55P03" => Self::Conflict { why },
            // A blob was removed between the look and the reference: see `blob_refs` in the schema.
            "23503" => Self::Conflict { why },
            "53100" => Self::Final(Error::DiskFull),
            // Corrupted data, corrupted index.
            "XX001" | "XX002" => Self::Final(Error::StoreDamaged {
                what: "the database's files".into(),
                why,
            }),
            "3F000" => Self::refused(why, "create the schema that the URL's search_path names"),
            "42501" => Self::refused(
                why,
                "grant the user CREATE on the schema, or name another schema",
            ),
            _ if code.starts_with("08") => Self::Gone { why },
            _ => Self::Final(Error::Store {
                why: broken_rule(told).map_or(why, str::to_owned),
            }),
        }
    }

    fn refused(why: String, remedy: &str) -> Self {
        Self::Final(Error::Store {
            why: format!("{why}; {remedy}"),
        })
    }
}

/// What a caller did wrong, if it broke a rule of the log.
fn broken_rule(told: &DbError) -> Option<&'static str> {
    match told.constraint()? {
        "entries_once" => Some("the journal holds an entry of that name already"),
        "steps_pkey" => Some("a step of that number is recorded already"),
        "snapshots_pkey" => Some("there is a snapshot of that step already"),
        "events_pkey" => Some("an event of that number is recorded already"),
        _ => None,
    }
}

/// Whether the bytes did not get through. What could not be built or understood stays that way.
fn lost_on_the_way(error: &tokio_postgres::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput};
    let source = std::error::Error::source(error);
    match source.and_then(|source| source.downcast_ref::<io::Error>()) {
        Some(lost) => !matches!(lost.kind(), InvalidData | InvalidInput),
        None => false,
    }
}

/// The error with its cause; the driver's own words name only the kind.
pub(super) fn with_cause(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
