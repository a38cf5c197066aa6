//! Weighs all that a store holds: rows and bytes of every table, read by SQL behind its back.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OpenFlags};
use tokio_postgres::{Client, NoTls};

use crate::stores::Site;

/// What a store holds at one moment.
#[derive(Default)]
pub(crate) struct Weight {
    pub(crate) rows: u64,
    /// Of the values in the rows.
    pub(crate) bytes: u64,
    /// What the database takes on disk, free pages and indexes included.
    pub(crate) disk: u64,
    /// Tables without rows.
    pub(crate) empty: Vec<String>,
}

/// Weighs one store, again and again.
pub(crate) enum Scale {
    File(PathBuf),
    Server(Client),
}

impl Scale {
    /// A memory store has no weight.
    pub(crate) async fn new(site: &Site) -> Result<Self> {
        if let Some(path) = site.path() {
            return Ok(Self::File(path));
        }
        let (client, connection) = tokio_postgres::connect(&site.address()?, NoTls).await?;
        // It ends when the client is dropped.
        tokio::spawn(connection);
        Ok(Self::Server(client))
    }

    pub(crate) async fn weigh(&self) -> Result<Weight> {
        match self {
            Self::File(path) => weigh_file(path),
            Self::Server(client) => weigh_tables(client).await,
        }
    }
}

impl Weight {
    fn add(&mut self, table: String, rows: i64, bytes: i64) -> Result<()> {
        self.rows += u64::try_from(rows)?;
        self.bytes += u64::try_from(bytes)?;
        if rows == 0 {
            self.empty.push(table);
        }
        Ok(())
    }
}

fn weigh_file(path: &Path) -> Result<Weight> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let disk = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
    let mut weight = Weight {
        disk: u64::try_from(disk)?,
        ..Weight::default()
    };
    let tables: Vec<(String, String)> = connection
        .prepare(
            "SELECT m.name, group_concat('coalesce(length(CAST(' || c.name || ' AS BLOB)), 0)', '+')
               FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
              WHERE m.type = 'table' GROUP BY m.name",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (table, length) in tables {
        let sql = format!("SELECT count(*), coalesce(sum({length}), 0) FROM {table}");
        let (rows, bytes) = connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        weight.add(table, rows, bytes)?;
    }
    Ok(weight)
}

/// The table that holds the format's number is no run's.
const COLUMNS: &str = "SELECT table_name::text, string_agg(
        CASE WHEN data_type IN ('bytea', 'text') THEN format('coalesce(octet_length(%I), 0)', column_name)
             ELSE format('coalesce(pg_column_size(%I), 0)', column_name) END, '+')
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name <> 'fathom_format' GROUP BY 1";

const DISK: &str = "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace";

async fn weigh_tables(client: &Client) -> Result<Weight> {
    let disk: i64 = client.query_one(DISK, &[]).await?.get(0);
    let mut weight = Weight {
        disk: u64::try_from(disk)?,
        ..Weight::default()
    };
    for columns in client.query(COLUMNS, &[]).await? {
        let (table, length): (String, String) = (columns.get(0), columns.get(1));
        let sql = format!("SELECT count(*), coalesce(sum({length}), 0)::bigint FROM {table}");
        let row = client
            .query_one(&sql, &[])
            .await
            .with_context(|| sql.clone())?;
        weight.add(table, row.get(0), row.get(1))?;
    }
    Ok(weight)
}
