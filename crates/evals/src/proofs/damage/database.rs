//! A specimen in a database of its own: harmed behind the store's back, and mended for the next trial.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::{Error, RunId, SystemClock};
use rand::Rng;
use rand::rngs::SmallRng;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use uuid::Uuid;

use super::Harm;
use super::judge::{DamageVerdict, GoodStore};
use crate::stores::{self, Backend, Disk, Site};

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

/// A SQLite file, and the endings of what lies beside it: its log and the log's index.
const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// The size of a page in a SQLite file.
const PAGE: usize = 4096;

pub(super) struct SpecimenDatabase {
    site: Site,
    good: GoodStore,
    access: Access,
    trials: u64,
}

/// How the database is reached behind the store's back, and where the good copy lies. Every trial has
/// a file of its own: whoever used the last one may not have closed it yet.
enum Access {
    File {
        path: PathBuf,
        copy: Vec<u8>,
        /// The file and what lies beside it, as a crash would leave them.
        crashed: [Vec<u8>; 3],
    },
    Server(Client),
}

impl SpecimenDatabase {
    pub(super) async fn make(backend: Backend) -> Result<Self> {
        let site = Site::new(backend, Disk::Fast).await?;
        let store = site.open().await?;
        let specimen = super::specimen::fill(Arc::clone(&store)).await?;
        let access = match site.path() {
            Some(path) => {
                let [file, log, index] = ENDINGS.map(|ending| fs::read(beside(&path, ending)));
                let crashed = [file?, log?, index?];
                Connection::open(&path)?.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
                let copy = fs::read(&path)?;
                ensure!(copy.len() > PAGE, "the specimen is too small");
                Access::File {
                    path,
                    copy,
                    crashed,
                }
            }
            None => {
                let (client, connection) = tokio_postgres::connect(&site.address()?, NoTls).await?;
                tokio::spawn(connection);
                let copies = TABLES.map(|it| format!("CREATE TABLE good_{it} AS TABLE {it};"));
                client.batch_execute(&copies.concat()).await?;
                // As a replica, so that no foreign key mends or refuses what a damaged disk would not.
                let replica = "SET session_replication_role = replica";
                client.batch_execute(replica).await?;
                Access::Server(client)
            }
        };
        // To know how they go on, the unfinished runs are let go on here.
        let good = GoodStore::read(&store, specimen).await?;
        Ok(Self {
            site,
            good,
            access,
            trials: 0,
        })
    }

    /// Harms a good copy. Says what it did, and the runs whose records it harmed, unless that may be any.
    pub(super) async fn harm(
        &mut self,
        harm: &Harm<'_>,
        rng: &mut SmallRng,
    ) -> Result<(String, Option<BTreeSet<RunId>>)> {
        self.mend().await?;
        match harm {
            Harm::Rows(harms) => {
                let mut harmed = BTreeSet::new();
                for row in *harms {
                    harmed.extend(row.harm(self, rng).await?);
                }
                Ok((format!("{harms:?}"), Some(harmed)))
            }
            Harm::File => Ok((self.flip(rng)?, None)),
            Harm::Log => Ok((self.flip_log(rng)?, None)),
        }
    }

    /// Opens the harmed database as a program that starts would, and judges what it says.
    pub(super) async fn judge(&self, harmed: Option<&BTreeSet<RunId>>) -> Result<DamageVerdict> {
        let opened = match &self.access {
            Access::File { path, .. } => stores::sqlite(path, Arc::new(SystemClock)),
            Access::Server(_) => self.site.open().await,
        };
        let error = match opened {
            Ok(store) => return self.good.judge(&store, harmed).await,
            Err(error) => error,
        };
        // A store may refuse to open if its file is damaged, but not because of a row.
        match (error.downcast_ref(), harmed) {
            (
                Some(
                    Error::StoreDamaged { .. }
                    | Error::StoreGone { .. }
                    | Error::NewerFormat { .. }
                    | Error::Store { .. },
                ),
                None,
            ) => Ok(DamageVerdict::RefusedWhole),
            _ => Err(error).context("it did not open"),
        }
    }

    /// Makes the database good again.
    async fn mend(&mut self) -> Result<()> {
        self.trials += 1;
        match &mut self.access {
            Access::File { path, copy, .. } => {
                for ending in ENDINGS {
                    // Most have no log.
                    let _ = fs::remove_file(beside(path, ending));
                }
                path.set_file_name(format!("trial-{}.db", self.trials));
                Ok(fs::write(path, copy)?)
            }
            Access::Server(client) => {
                let tables = TABLES.map(|table| format!("INSERT INTO {table} TABLE good_{table};"));
                let truncate = format!("TRUNCATE {};", TABLES.join(", "));
                let sql = format!("BEGIN; {truncate} {} COMMIT;", tables.concat());
                Ok(client.batch_execute(&sql).await?)
            }
        }
    }

    /// Asks for every column of every table: the table, the column, what tells a row from all others,
    /// and the column's type in PostgreSQL; in SQLite, whether it is part of the key.
    pub(super) fn columns_sql(&self) -> String {
        if self.is_server() {
            format!(
                "SELECT table_name, column_name, 'ctid', data_type FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name IN ('{}')
                ORDER BY table_name, ordinal_position",
                TABLES.join("', '")
            )
        } else {
            "SELECT m.name, c.name,
                (SELECT group_concat(name) FROM pragma_table_info(m.name) WHERE pk > 0),
                CASE WHEN c.pk > 0 THEN 'key' ELSE '' END
            FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' ORDER BY 1, c.cid"
                .into()
        }
    }

    /// The rows of a statement, as text; nothing is an empty text.
    pub(super) async fn query(&self, sql: String) -> Result<Vec<Vec<String>>> {
        let rows = match &self.access {
            Access::File { path, .. } => query_file(path, &sql),
            Access::Server(client) => match client.simple_query(&sql).await {
                Ok(messages) => Ok(messages.iter().filter_map(row_of).collect()),
                Err(error) => Err(error.into()),
            },
        };
        rows.with_context(|| sql)
    }

    /// The one value of a statement.
    pub(super) async fn value(&self, sql: String) -> Result<String> {
        let rows = self.query(sql).await?;
        rows.concat().pop().context("a statement gave no value")
    }

    /// Whether changed values are written as PostgreSQL does.
    pub(super) fn is_server(&self) -> bool {
        matches!(self.access, Access::Server(_))
    }

    /// Flips bytes of the file, or cuts its end off; says what it did.
    fn flip(&self, rng: &mut SmallRng) -> Result<String> {
        let Access::File { path, copy, .. } = &self.access else {
            bail!("only a file has bytes to flip");
        };
        let mut bytes = copy.clone();
        if rng.random_bool(0.2) {
            bytes.truncate(rng.random_range(0..copy.len()));
            fs::write(path, &bytes)?;
            return Ok(format!("cut from {} to {} bytes", copy.len(), bytes.len()));
        }
        // Large bodies must not draw all the harm: most of it goes to pages of tables and indexes, and
        // there to the start, which says where the cells are.
        let is_tree = |page: &usize| matches!(copy[page * PAGE], 2 | 5 | 10 | 13);
        let trees: Vec<usize> = (1..copy.len() / PAGE).filter(is_tree).collect();
        let mut hits = Vec::new();
        for _ in 0..rng.random_range(1..=8) {
            let tree = PAGE * trees[rng.random_range(0..trees.len())];
            let offset = match rng.random_range(0..20) {
                0 => rng.random_range(0..100),
                1 | 2 => rng.random_range(0..copy.len()),
                3..=7 => tree + rng.random_range(0..64),
                _ => tree + rng.random_range(0..PAGE),
            };
            bytes[offset] ^= rng.random_range(1..=255_u8);
            hits.push(offset);
        }
        fs::write(path, &bytes)?;
        Ok(format!("flipped at {hits:?}"))
    }

    /// Flips a byte of the log that a crash left beside the file, or cuts its end off, or leaves it whole;
    /// says what it did.
    fn flip_log(&self, rng: &mut SmallRng) -> Result<String> {
        let Access::File { path, crashed, .. } = &self.access else {
            bail!("only a file has a log");
        };
        let mut files = crashed.clone();
        let log = &mut files[1];
        ensure!(!log.is_empty(), "the log holds nothing");
        let told = match self.trials % 10 {
            // Nothing that was committed is missing from it.
            0 => "the log as the crash left it".to_owned(),
            1 | 2 => {
                log.truncate(rng.random_range(0..log.len()));
                format!("the log cut to {} bytes", log.len())
            }
            _ => {
                let at = rng.random_range(0..log.len());
                log[at] ^= rng.random_range(1..=255_u8);
                format!("the log flipped at {at}")
            }
        };
        for (ending, bytes) in ENDINGS.into_iter().zip(files) {
            fs::write(beside(path, ending), bytes)?;
        }
        Ok(told)
    }
}

fn query_file(path: &Path, sql: &str) -> Result<Vec<Vec<String>>> {
    let connection = Connection::open(path)?;
    let unchecked = "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;";
    connection.execute_batch(unchecked)?;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let (mut rows, mut found) = (statement.query([])?, Vec::new());
    while let Some(row) = rows.next()? {
        let text = |column| match row.get_ref(column)? {
            ValueRef::Null => Ok(String::new()),
            ValueRef::Integer(number) => Ok(number.to_string()),
            // The id of a run.
            ValueRef::Blob(bytes) => Ok(Uuid::from_slice(bytes)?.to_string()),
            other => Ok(other.as_str()?.to_owned()),
        };
        found.push((0..columns).map(text).collect::<Result<_>>()?);
    }
    Ok(found)
}

fn row_of(message: &SimpleQueryMessage) -> Option<Vec<String>> {
    let SimpleQueryMessage::Row(row) = message else {
        return None;
    };
    let values = (0..row.len()).map(|column| row.get(column));
    Some(values.map(|it| it.unwrap_or_default().to_owned()).collect())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
