//! The database's format: which version it has, and the way to the one this program knows.
//!
//! Migrations go forward only, each once, all in one transaction. Programs that start together take
//! turns by an advisory lock, and the later ones find the work done.

use fathom_workflow::Error;

use super::connection::PooledConnection;
use super::failure::PostgresFailure;

const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_initial.sql"),
    include_str!("../../migrations/postgres/0002_due.sql"),
];

/// Taken while migrating. Any number would do; this one spells "fathom".
const LOCK: i64 = 0x6661_7468_6f6d;

pub(super) async fn bring_up_to_date(connection: &PooledConnection) -> Result<(), PostgresFailure> {
    refuse_other_encodings(connection).await?;
    if is_current(version(connection).await?)? {
        return Ok(());
    }
    connection.in_transaction(take_turn(connection)).await
}

async fn take_turn(connection: &PooledConnection) -> Result<(), PostgresFailure> {
    connection
        .rows("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
        .await?;
    let found = version(connection).await?;
    if !is_current(found)? {
        migrate(connection, found.unwrap_or(0)).await?;
    }
    Ok(())
}

async fn migrate(connection: &PooledConnection, found: u32) -> Result<(), PostgresFailure> {
    if found == 0 {
        connection
            .script(
                "CREATE TABLE IF NOT EXISTS fathom_format (version bigint NOT NULL);
             INSERT INTO fathom_format VALUES (0);",
            )
            .await?;
    }
    for migration in MIGRATIONS.iter().skip(found as usize) {
        connection.script(migration).await?;
    }
    let known = i64::from(known());
    connection
        .change("UPDATE fathom_format SET version = $1", &[&known])
        .await?;
    tracing::info!(from = found, to = known, "the database was migrated");
    Ok(())
}

/// The newest format this program can read.
fn known() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

fn is_current(found: Option<u32>) -> Result<bool, Error> {
    let known = known();
    match found {
        Some(found) if found > known => Err(Error::NewerFormat { found, known }),
        found => Ok(found == Some(known)),
    }
}

/// Read from the catalogue itself: `to_regclass` would answer from what the session remembers, which
/// another program's migration may have overtaken.
const IS_THERE: &str = "SELECT 1 FROM pg_catalog.pg_class
    WHERE relname = 'fathom_format' AND pg_catalog.pg_table_is_visible(oid)";

/// `None` where there is nothing of ours yet.
async fn version(connection: &PooledConnection) -> Result<Option<u32>, PostgresFailure> {
    let there = connection.row(IS_THERE, &[]).await?;
    if there.is_none() {
        return Ok(None);
    }
    let row = connection
        .row("SELECT version FROM fathom_format", &[])
        .await?;
    let version: Option<i64> = match row {
        Some(row) => Some(row.try_get(0)?),
        None => None,
    };
    match version.and_then(|version| u32::try_from(version).ok()) {
        Some(version) => Ok(Some(version)),
        None => Err(PostgresFailure::Final(Error::StoreDamaged {
            what: "the table fathom_format".into(),
            why: "it does not say which format the database has".into(),
        })),
    }
}

/// Titles and names can hold any character, which only one encoding can.
async fn refuse_other_encodings(connection: &PooledConnection) -> Result<(), PostgresFailure> {
    let row = connection
        .row("SELECT current_setting('server_encoding')", &[])
        .await?;
    let encoding: String = match row {
        Some(row) => row.try_get(0)?,
        None => return Ok(()),
    };
    if encoding == "UTF8" {
        return Ok(());
    }
    Err(PostgresFailure::Final(Error::Store {
        why: format!(
            "the database's encoding is {encoding}; create one with `createdb --encoding=UTF8 \
             --template=template0`"
        ),
    }))
}
