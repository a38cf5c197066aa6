//! How much a store holds on disk, and what a step adds to it.

use anyhow::Result;
use rusqlite::{Connection, OpenFlags};
use tokio_postgres::NoTls;

use super::research::STEPS;
use crate::stores::{Backend, Site};

pub(super) struct StoreSize {
    /// What the database takes on disk.
    pub(super) database: i64,
    /// The bytes in its rows, by what a step of a run adds: records, events, journal.
    pub(super) rows: f64,
    /// The record of the seventh step, a review that brings next to nothing.
    pub(super) small_step: f64,
}

const ROWS: &str = "SELECT
    (SELECT coalesce(sum(length(meta) + coalesce(length(body), 0) + coalesce(length(blob), 0) + length(sum)), 0)
        FROM steps WHERE step > 0)
    + (SELECT coalesce(sum(length(meta) + length(sum)), 0) FROM events)
    + (SELECT coalesce(sum(length(meta) + coalesce(length(body), 0)), 0) FROM entries)
    + (SELECT coalesce(sum(length(meta) + coalesce(length(body), 0)), 0) FROM snapshots)";

const SMALL_STEP: &str =
    "SELECT avg(length(meta) + coalesce(length(body), 0) + length(sum)) FROM steps WHERE step = 7";

impl StoreSize {
    pub(super) async fn measure(
        backend: Backend,
        site: &Site,
        runs: usize,
    ) -> Result<Option<Self>> {
        let steps = (runs * STEPS) as f64;
        match (backend, site.path()) {
            (Backend::Sqlite, Some(path)) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
                let connection = Connection::open_with_flags(path, flags)?;
                let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
                let small = connection.query_row(SMALL_STEP, [], |row| row.get(0))?;
                Ok(Some(Self {
                    database: one("PRAGMA page_count")? * one("PRAGMA page_size")?,
                    rows: one(ROWS)? as f64 / steps,
                    small_step: small,
                }))
            }
            (Backend::Postgres, _) => {
                let (client, connection) = tokio_postgres::connect(&site.address()?, NoTls).await?;
                // It ends when the client is dropped.
                tokio::spawn(connection);
                let total = "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
                    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace";
                let database = client.query_one(total, &[]).await?.get(0);
                let rows = client
                    .query_one(&format!("SELECT ({ROWS})::float8"), &[])
                    .await?;
                let small = format!("SELECT ({SMALL_STEP})::float8");
                Ok(Some(Self {
                    database,
                    rows: rows.get::<_, f64>(0) / steps,
                    small_step: client.query_one(&small, &[]).await?.get(0),
                }))
            }
            _ => Ok(None),
        }
    }
}
