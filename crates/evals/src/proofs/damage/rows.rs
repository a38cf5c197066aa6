//! Harm done to rows: a value changed, a row deleted. One list of harms for both databases, which
//! differ in how they list columns and write a changed value.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use fathom_workflow::RunId;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rusqlite::Connection;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use super::judge::{Difference, GoodStore, Harmed};
use super::{count_trials, specimen};
use crate::stores::{Backend, Disk, Site};

/// One kind of harm to one table.
#[derive(Clone)]
pub(super) struct RowHarm {
    table: String,
    /// The column to change; without one a row is deleted.
    column: Option<String>,
    /// The columns that tell a row from all others.
    place: String,
    /// The type of the column in PostgreSQL; in SQLite, whether it is part of the key.
    kind: String,
}

impl fmt::Display for RowHarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{}.{column} changed", self.table),
            None => write!(f, "a row of {} deleted", self.table),
        }
    }
}

impl RowHarm {
    /// Every harm to the columns given as table, column, place and kind, in the order of tables.
    fn all(columns: Vec<[String; 4]>) -> Vec<Self> {
        let mut harms: Vec<Self> = Vec::new();
        for [table, column, place, kind] in columns {
            let harm = |column: Option<String>| Self {
                table: table.clone(),
                column,
                place: place.clone(),
                kind: kind.clone(),
            };
            if harms.last().is_none_or(|last| last.table != table) {
                harms.push(harm(None));
            }
            harms.push(harm(Some(column)));
        }
        harms
    }

    /// The rows that can be harmed so.
    fn rows(&self) -> String {
        let filled = self.column.as_ref();
        let filled = filled.map_or("true".into(), |column| format!("{column} IS NOT NULL"));
        format!("FROM {} WHERE {filled}", self.table)
    }

    fn count(&self) -> String {
        format!("SELECT count(*) {}", self.rows())
    }

    /// Whose the row is.
    fn owner(&self, nth: i64) -> String {
        let run = match self.table.as_str() {
            "runs" => "id",
            "blobs" => "(SELECT run FROM blob_refs WHERE blob_refs.hash = blobs.hash LIMIT 1)",
            _ => "run",
        };
        let (rows, place) = (self.rows(), &self.place);
        format!("SELECT {run} {rows} ORDER BY {place} LIMIT 1 OFFSET {nth}")
    }

    /// Does it to one row.
    fn statement(&self, nth: i64, changed: impl Fn(&str) -> String) -> String {
        let (table, place, rows) = (&self.table, &self.place, self.rows());
        let act = match &self.column {
            None => format!("DELETE FROM {table}"),
            Some(column) => format!("UPDATE {table} SET {column} = {}", changed(column)),
        };
        format!(
            "{act} WHERE ({place}) = (SELECT {place} {rows} ORDER BY {place} LIMIT 1 OFFSET {nth})"
        )
    }
}

/// So many rounds of all harms, a few in each trial, each trial with a seed of its own.
pub(super) fn trials(
    harms: &[RowHarm],
    rounds: u64,
    at_once: usize,
    seed: u64,
) -> Vec<(Vec<RowHarm>, u64)> {
    let rounds = (0..rounds).flat_map(|_| harms.chunks(at_once).map(<[RowHarm]>::to_vec));
    rounds
        .zip(0..)
        .map(|(harms, nth)| (harms, seed.wrapping_add(nth)))
        .collect()
}

/// What was done, for people.
pub(super) fn told(harms: &[RowHarm], seed: u64) -> String {
    let harms: Vec<String> = harms.iter().map(RowHarm::to_string).collect();
    format!("seed {seed}, {}", harms.join(" and "))
}

/// Every harm that can be done to the tables of a SQLite file.
pub(super) fn harms_of_file(path: &Path) -> Result<Vec<RowHarm>> {
    let connection = Connection::open(path)?;
    let columns = "SELECT m.name, c.name,
            (SELECT group_concat(name) FROM pragma_table_info(m.name) WHERE pk > 0),
            CASE WHEN c.pk > 0 THEN 'key' ELSE '' END
        FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
        WHERE m.type = 'table' ORDER BY 1, c.cid";
    let columns = connection
        .prepare(columns)?
        .query_map([], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
        })?
        .collect::<Result<_, _>>()?;
    Ok(RowHarm::all(columns))
}

/// Harms rows of a SQLite file, and says whose they were. A column that is empty in every row is left.
pub(super) fn harm_file(path: &Path, harms: &[RowHarm], seed: u64) -> Result<Harmed> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")?;
    let mut runs = BTreeSet::new();
    for harm in harms {
        let count: i64 = connection.query_row(&harm.count(), [], |row| row.get(0))?;
        if count == 0 {
            continue;
        }
        let (nth, draw) = (rng.random_range(0..count), rng.random_range(0..1 << 20));
        let owner = connection.query_row(&harm.owner(nth), [], |row| row.get(0))?;
        // What nobody refers to any more since the harm before this one is left.
        let owner: Option<Vec<u8>> = owner;
        let Some(owner) = owner else { continue };
        runs.insert(RunId::from_uuid(Uuid::from_slice(&owner)?));
        let sql = harm.statement(nth, |column| changed_in_sqlite(column, &harm.kind, draw));
        connection.execute(&sql, []).with_context(|| sql.clone())?;
    }
    Ok(Harmed::Runs(runs))
}

/// An expression for the value with one byte, letter or bit changed.
fn changed_in_sqlite(column: &str, kind: &str, draw: u32) -> String {
    // A key's bit is one that no other key has set.
    let bit = if kind == "key" { 20 } else { draw % 20 };
    let at = format!("{draw} % max(length({column}), 1)");
    let replaced = |old: &str, new: &str| {
        format!(
            "substr({column}, 1, {at}) || CASE substr({column}, 1 + {at}, 1) WHEN {old} THEN {new} \
             ELSE {old} END || substr({column}, 2 + {at})"
        )
    };
    format!(
        "CASE typeof({column}) WHEN 'blob' THEN CAST({} AS BLOB) WHEN 'text' THEN {} \
         ELSE ({column} | {bit}) - ({column} & {bit}) END",
        replaced("x'07'", "x'08'"),
        replaced("'x'", "'y'"),
        bit = 1 << bit
    )
}

/// In an order in which rows can be put back: those referred to first.
const TABLES: [&str; 7] = [
    "runs",
    "blobs",
    "blob_refs",
    "steps",
    "snapshots",
    "entries",
    "events",
];

/// A specimen in PostgreSQL, restored from a copy after each trial.
pub(super) struct SpecimenTables {
    site: Site,
    client: Client,
    good: GoodStore,
}

impl SpecimenTables {
    pub(super) async fn make() -> Result<Self> {
        let site = Site::new(Backend::Postgres, Disk::Fast).await?;
        let store = site.open().await?;
        let specimen = specimen::fill(Arc::clone(&store)).await?;
        let (client, connection) = tokio_postgres::connect(&site.address()?, NoTls).await?;
        tokio::spawn(connection);
        for table in TABLES {
            let copy = format!("CREATE TABLE good_{table} AS TABLE {table}");
            client.batch_execute(&copy).await?;
        }
        let good = GoodStore::read(&store, specimen).await?;
        Ok(Self { site, client, good })
    }

    pub(super) async fn change_rows(
        &self,
        rounds: u64,
        at_once: usize,
        seed: u64,
    ) -> Result<String> {
        let columns = "SELECT table_name::text, column_name::text, 'ctid', data_type::text
            FROM information_schema.columns
            WHERE table_schema = current_schema() AND table_name = ANY($1)
            ORDER BY table_name, ordinal_position";
        let columns = self.client.query(columns, &[&TABLES.as_slice()]).await?;
        let columns = columns.iter();
        let columns = columns.map(|row| [row.get(0), row.get(1), row.get(2), row.get(3)]);
        let harms = RowHarm::all(columns.collect());
        // One at a time: they share the tables.
        let trials = trials(&harms, rounds, at_once, seed);
        count_trials(1, trials, |(harms, seed)| async move {
            let difference = self.trial(&harms, seed).await;
            let told = told(&harms, seed);
            Ok((told.clone(), Some(difference.context(told)?)))
        })
        .await
    }

    async fn trial(&self, harms: &[RowHarm], seed: u64) -> Result<Difference> {
        self.mend().await?;
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut runs = BTreeSet::new();
        for harm in harms {
            let count: i64 = self.client.query_one(&harm.count(), &[]).await?.get(0);
            if count == 0 {
                continue;
            }
            let (nth, draw) = (rng.random_range(0..count), rng.random_range(0..1 << 20));
            let owner = self.client.query_one(&harm.owner(nth), &[]).await?;
            let Some(owner) = owner.get::<_, Option<Uuid>>(0) else {
                continue;
            };
            runs.insert(RunId::from_uuid(owner));
            let sql = harm.statement(nth, |column| changed_in_postgres(column, &harm.kind, draw));
            // As a replica, so that no foreign key mends or refuses what a damaged disk would not.
            let sql = format!("SET session_replication_role = replica; {sql}");
            let done = self.client.batch_execute(&sql).await;
            done.with_context(|| sql.clone())?;
        }
        let store = self.site.open().await?;
        self.good.judge(&store, &Harmed::Runs(runs)).await
    }

    async fn mend(&self) -> Result<()> {
        let tables = TABLES.map(|table| format!("INSERT INTO {table} TABLE good_{table};"));
        let truncate = format!("TRUNCATE {};", TABLES.join(", "));
        let sql = format!("BEGIN; {truncate} {} COMMIT;", tables.concat());
        Ok(self.client.batch_execute(&sql).await?)
    }
}

/// An expression for the value with one byte, letter or bit changed.
fn changed_in_postgres(column: &str, kind: &str, draw: u32) -> String {
    match kind {
        "bytea" => format!(
            "CASE length({column}) WHEN 0 THEN '\\x07'::bytea ELSE set_byte({column}, \
             {draw} % length({column}), get_byte({column}, {draw} % length({column})) # {}) END",
            1 + draw % 255
        ),
        "text" => format!(
            "overlay({column} PLACING CASE substr({column}, 1 + {draw} % length({column}), 1) \
             WHEN 'x' THEN 'y' ELSE 'x' END FROM 1 + {draw} % length({column}) FOR 1)"
        ),
        "uuid" => format!(
            "overlay({column}::text PLACING translate(right({column}::text, 1), \
             '0123456789abcdef', '123456789abcdef0') FROM 36 FOR 1)::uuid"
        ),
        "boolean" => format!("NOT {column}"),
        "timestamp with time zone" => format!("{column} + interval '1 year'"),
        // Keys get a bit that no other key has set.
        "smallint" => format!("({column} # 4)::smallint"),
        _ if matches!(column, "step" | "first") => format!("{column} # {}", 1 << 20),
        _ => format!("{column} # {}", 1 << (draw % 12)),
    }
}
