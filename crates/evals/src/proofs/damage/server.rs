//! A specimen in PostgreSQL, harmed row by row and mended from a copy after each trial.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use fathom_workflow::RunId;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use super::judge::{Difference, GoodStore, Harmed};
use super::rows::RowChange;
use super::{DamageTally, Trial, TrialEnd, specimen};
use crate::stores::{Backend, Disk, Site};

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

pub(super) struct SpecimenServer {
    site: Site,
    client: Client,
    good: GoodStore,
}

impl SpecimenServer {
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

    /// Changes every column of every table in some row, and deletes some row of every table.
    pub(super) async fn change_rows(&self, times: u64, seed: u64) -> Result<DamageTally> {
        let mut trials = Vec::new();
        for time in 0..times {
            for (change, nth) in self.changes().await?.into_iter().zip(0..) {
                trials.push((change, seed.wrapping_add(time * 1_000 + nth)));
            }
        }
        // One at a time: they share the tables.
        DamageTally::count_all(1, trials, |((change, kind), seed)| async move {
            self.mend().await?;
            let mut rng = SmallRng::seed_from_u64(seed);
            let difference = match self.apply(&change, &kind, &mut rng).await? {
                Some(harmed) => self.good.judge(&self.site.open().await?, harmed).await?,
                // The column is empty in every row.
                None => Difference::default(),
            };
            Ok(Trial {
                harm: format!("seed {seed}, {change}"),
                end: TrialEnd::Read(difference),
            })
        })
        .await
    }

    /// Every change that can be made to the tables, with the type of the column.
    async fn changes(&self) -> Result<Vec<(RowChange, String)>> {
        let mut changes = Vec::new();
        for table in TABLES {
            let change = |column| RowChange {
                table: table.to_owned(),
                column,
            };
            changes.push((change(None), String::new()));
            let columns = "SELECT column_name::text, data_type::text FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position";
            for row in self.client.query(columns, &[&table]).await? {
                changes.push((change(Some(row.get(0))), row.get(1)));
            }
        }
        Ok(changes)
    }

    /// Makes a change to some row, and says whose it was. `None` if no row has that column filled.
    async fn apply(
        &self,
        change: &RowChange,
        kind: &str,
        rng: &mut SmallRng,
    ) -> Result<Option<Harmed>> {
        let RowChange { table, column } = change;
        let run = match table.as_str() {
            "runs" => "id",
            "blobs" => "(SELECT run FROM blob_refs WHERE blob_refs.hash = blobs.hash LIMIT 1)",
            _ => "run",
        };
        let filled = column
            .as_ref()
            .map_or("true".into(), |column| format!("{column} IS NOT NULL"));
        let rows = format!("SELECT ctid::text, {run} FROM {table} WHERE {filled} ORDER BY ctid");
        let rows = self.client.query(&rows, &[]).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let row = &rows[rng.random_range(0..rows.len())];
        let (place, run): (String, Uuid) = (row.get(0), row.get(1));
        let sql = match column {
            None => format!("DELETE FROM {table} WHERE ctid = '{place}'::tid"),
            Some(column) => {
                let other = changed(column, kind, rng.random_range(0..1 << 20));
                format!("UPDATE {table} SET {column} = {other} WHERE ctid = '{place}'::tid")
            }
        };
        // As a replica, so that no foreign key mends or refuses what a damaged disk would not.
        let sql = format!("SET session_replication_role = replica; {sql}");
        self.client
            .batch_execute(&sql)
            .await
            .with_context(|| sql.clone())?;
        Ok(Some(Harmed::Run(RunId::from_uuid(run))))
    }

    async fn mend(&self) -> Result<()> {
        let mut sql = String::from("BEGIN;");
        sql.push_str(&format!("TRUNCATE {};", TABLES.join(", ")));
        for table in TABLES {
            sql.push_str(&format!("INSERT INTO {table} TABLE good_{table};"));
        }
        sql.push_str("COMMIT;");
        Ok(self.client.batch_execute(&sql).await?)
    }
}

/// An expression for the column's value with one byte, letter or bit changed.
fn changed(column: &str, kind: &str, draw: u32) -> String {
    match kind {
        "bytea" => format!(
            "CASE length({column}) WHEN 0 THEN '\\x07'::bytea ELSE set_byte({column}, \
             {draw} % length({column}), get_byte({column}, {draw} % length({column})) # {}) END",
            1 + draw % 255
        ),
        "text" => format!(
            "overlay({column} PLACING translate(substr({column}, 1 + {draw} % length({column}), 1), \
             'xabcdefghijklmnopqrstuvwyz0123456789 -', 'yxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') \
             FROM 1 + {draw} % length({column}) FOR 1)"
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
