//! The floor: what the bare databases do with rows of the same size, and nothing around them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, NoTls};

use crate::figure::rate;
use crate::stores::{Backend, Disk, Site};

/// About what the engine writes for a small step.
pub(super) const ROW: [u8; 700] = [b'x'; 700];

/// Rows that share one commit at most, as in the store.
const GROUP: usize = 1_024;

pub(super) struct BareSqlite {
    connection: Connection,
    run: i64,
    /// Where its file lies; removed with it.
    _folder: TempDir,
}

impl BareSqlite {
    pub(super) fn open() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let connection = Connection::open(folder.path().join("floor.db"))?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE IF NOT EXISTS floor
                 (run INTEGER, step INTEGER, body BLOB, PRIMARY KEY (run, step)) WITHOUT ROWID;",
        )?;
        Ok(Self {
            connection,
            run: 0,
            _folder: folder,
        })
    }

    /// Synced commits a second, one row each, with the `bodies` in turn.
    pub(super) fn commits_per_second(&mut self, rows: usize, bodies: &[&[u8]]) -> Result<f64> {
        self.run += 1;
        let begun = Instant::now();
        for (step, body) in (0..rows).zip(bodies.iter().cycle()) {
            insert(&self.connection, self.run, step, body)?;
        }
        Ok(rate(rows, begun.elapsed()))
    }

    /// Rows a second when `callers` wait for theirs at once and a writer shares its commits.
    pub(super) async fn grouped_rows_per_second(self, callers: usize, each: usize) -> Result<f64> {
        let (jobs, queue) = mpsc::channel(GROUP);
        let writer = std::thread::spawn(move || write_grouped(&self.connection, queue));
        let begun = Instant::now();
        let mut tasks = tokio::task::JoinSet::new();
        for caller in 0..callers {
            let jobs = jobs.clone();
            tasks.spawn(async move {
                for step in 0..each {
                    let (reply, answer) = oneshot::channel();
                    let row = (1_000_000 + caller as i64, step);
                    jobs.send((row, reply))
                        .await
                        .context("the writer has stopped")?;
                    answer.await.context("the writer has stopped")?;
                }
                anyhow::Ok(())
            });
        }
        drop(jobs);
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let took = begun.elapsed();
        writer
            .join()
            .map_err(|_| anyhow::anyhow!("the writer panicked"))??;
        Ok(rate(callers * each, took))
    }
}

type Job = ((i64, usize), oneshot::Sender<()>);

fn write_grouped(connection: &Connection, mut queue: mpsc::Receiver<Job>) -> Result<()> {
    let mut group = Vec::with_capacity(GROUP);
    while queue.blocking_recv_many(&mut group, GROUP) > 0 {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for ((run, step), _) in &group {
            insert(connection, *run, *step, &ROW)?;
        }
        connection.execute_batch("COMMIT")?;
        for (_, reply) in group.drain(..) {
            // A caller that gave up needs no answer.
            let _ = reply.send(());
        }
    }
    Ok(())
}

fn insert(connection: &Connection, run: i64, step: usize, body: &[u8]) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO floor (run, step, body) VALUES (?, ?, ?)")?
        .execute((run, step as i64, body))?;
    Ok(())
}

pub(super) struct BarePostgres {
    clients: Vec<Client>,
    run: i64,
    /// The schema that its table lies in; dropped with it.
    _site: Site,
}

impl BarePostgres {
    pub(super) async fn connect(connections: usize) -> Result<Self> {
        let site = Site::new(Backend::Postgres, Disk::Real).await?;
        let url = site.address()?;
        let mut clients = Vec::new();
        for _ in 0..connections {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            // It ends when its client is dropped.
            tokio::spawn(connection);
            clients.push(client);
        }
        clients[0]
            .batch_execute(
                "CREATE TABLE IF NOT EXISTS floor
                     (run bigint, step bigint, body bytea, PRIMARY KEY (run, step))",
            )
            .await?;
        Ok(Self {
            clients,
            run: 0,
            _site: site,
        })
    }

    /// Synced inserts a second over all connections, one row a commit, with the `bodies` in turn.
    pub(super) async fn commits_per_second(
        &mut self,
        rows: usize,
        bodies: &[&[u8]],
    ) -> Result<f64> {
        let each = rows / self.clients.len();
        let first = self.run;
        self.run += self.clients.len() as i64;
        let begun = Instant::now();
        let inserting = self
            .clients
            .iter()
            .zip(first..)
            .map(|(client, run)| async move {
                let statement = client
                    .prepare("INSERT INTO floor (run, step, body) VALUES ($1, $2, $3)")
                    .await?;
                for (step, body) in (0..each as i64).zip(bodies.iter().cycle()) {
                    client.execute(&statement, &[&run, &step, body]).await?;
                }
                anyhow::Ok(())
            });
        futures::future::try_join_all(inserting).await?;
        Ok(rate(each * self.clients.len(), begun.elapsed()))
    }
}

/// What an ideal engine would reach: every run takes its waits and nothing else.
pub(super) fn ideal_runs_per_second(runs: usize, steps: usize, wait: Duration) -> f64 {
    runs as f64 / (wait * steps as u32).as_secs_f64()
}
