//! Fathom's memory: the log, the journal, the blobs and the run list, in SQLite and PostgreSQL.
//!
//! Of the crates that ship, the only one with SQL, and the one that reads a person's own documents ([`library`]). It
//! decides nothing: [`fathom_workflow::Store`] says what is kept and under which guard, `row.rs` says in which form, and
//! the two back ends say it in their dialects.

#![warn(missing_docs)]

pub mod library;
mod postgres;
mod private_folder;
mod row;
mod sqlite;

pub use postgres::{Postgres, PostgresOptions};
pub use private_folder::create_private_folder;
pub use sqlite::{Sqlite, SqliteOptions};
