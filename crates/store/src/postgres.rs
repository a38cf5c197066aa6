//! The log in PostgreSQL (13 or newer): many processes on one database, fenced by its clock.
//!
//! Every call takes a connection from the pool, and bears with a database that is away for a while
//! (`pool.rs`). What a run's records look like is for `row.rs`, and what they mean for the engine.

mod address;
mod append;
mod connection;
mod failure;
mod format;
mod header;
mod history;
mod lease;
mod load;
mod pool;
mod removal;
mod tls;

use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use fathom_workflow::event::Event;
use fathom_workflow::journal::{Appended, Purged, RunFilter, RunPage, Store};
use fathom_workflow::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use fathom_workflow::{BlobHash, Error, Owner, RunId};
use jiff::Timestamp;
use uuid::Uuid;

use self::address::DatabaseAddress;
use self::connection::PooledConnection;
use self::failure::PostgresFailure;
use self::pool::ConnectionPool;

/// A server that says nothing at the first connection is more likely misnamed than restarting.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

/// What is read over a connection.
type SnapshotRead<'c, T> = Pin<Box<dyn Future<Output = Result<T, PostgresFailure>> + Send + 'c>>;

/// A store in a PostgreSQL database.
pub struct Postgres {
    pool: ConnectionPool,
    /// How many headers were missing when the database was opened. The other runs go on.
    missing_headers: i64,
}

/// How a store uses its database.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The most connections to keep, one at least.
    pub connections: usize,
    /// How long to go on trying while the database is away.
    pub retry_for: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 8,
            retry_for: Duration::from_secs(30),
        }
    }
}

impl Postgres {
    /// Opens the database at `url` (`postgres://user:password@host:port/database`), whose tables
    /// are made or brought up to date. They lie in the first schema of the search path, which
    /// `?options=-csearch_path%3Dname` sets.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        Self::connect_with(url, PostgresOptions::default()).await
    }

    /// As [`Postgres::connect`], with another number of connections or another patience.
    pub async fn connect_with(url: &str, options: PostgresOptions) -> Result<Self, Error> {
        let PostgresOptions {
            connections,
            retry_for,
        } = options;
        let address = DatabaseAddress::parse(url)?;
        let pool = ConnectionPool::new(address, connections.max(1), retry_for)?;
        pool.run_for(retry_for.min(FIRST_ANSWER), |connection, _| async move {
            format::bring_up_to_date(&connection).await
        })
        .await?;
        let missing_headers = pool
            .run(|connection, _| async move { header::missing_headers(&connection).await })
            .await?;
        if missing_headers > 0 {
            tracing::error!(missing_headers, "the list of runs is damaged");
        }
        Ok(Self {
            missing_headers,
            pool,
        })
    }

    /// Reads a run as of one moment.
    async fn read<T: Send>(
        &self,
        run: RunId,
        read: impl Fn(&PooledConnection) -> SnapshotRead<'_, T> + Sync,
    ) -> Result<T, Error> {
        let read = &read;
        let in_snapshot = |connection: PooledConnection, _| async move {
            connection.in_snapshot(read(&connection)).await
        };
        self.found(run, self.pool.run(in_snapshot).await).await
    }

    /// Tells a run that is gone from one that has lost its header.
    async fn found<T>(&self, run: RunId, found: Result<T, Error>) -> Result<T, Error> {
        match found {
            Err(Error::NoSuchRun { .. }) => Err(self
                .pool
                .run(|connection, _| async move { header::not_found(&connection, run).await })
                .await?),
            found => found,
        }
    }
}

#[async_trait]
impl Store for Postgres {
    fn describe(&self) -> String {
        "postgres".into()
    }

    fn is_durable(&self) -> bool {
        true
    }

    async fn create(
        &self,
        creation: Creation,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Token, Error> {
        let (_, nonce) = Uuid::now_v7().as_u64_pair();
        let creation = &creation;
        self.pool
            .run(|connection, _| async move {
                append::create(&connection, creation, owner, lease, nonce).await
            })
            .await
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        self.pool
            .run(|connection, in_doubt| async move {
                lease::claim(&connection, run, owner, lease, in_doubt).await
            })
            .await
    }

    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error> {
        self.pool
            .run(|connection, _| async move { lease::renew(&connection, owner, runs, lease).await })
            .await
    }

    async fn release(&self, run: RunId, token: Token) -> Result<(), Error> {
        self.pool
            .run(|connection, _| async move { lease::release(&connection, run, token).await })
            .await
    }

    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
        let append = &append;
        self.pool
            .run(|connection, _| async move { append::append(&connection, append, lease).await })
            .await
    }

    async fn mark_cancel(&self, run: RunId, wanted: bool) -> Result<(), Error> {
        self.pool
            .run(|connection, _| async move { lease::mark_cancel(&connection, run, wanted).await })
            .await
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        self.pool
            .run(|connection, _| async move { lease::cancels(&connection, owner).await })
            .await
    }

    async fn head(&self, run: RunId) -> Result<(RunHeader, Token), Error> {
        let found = self
            .pool
            .run(|connection, _| async move { header::head(&connection, run).await })
            .await;
        self.found(run, found).await
    }

    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error> {
        self.read(run, |it| Box::pin(load::load(it, run, at))).await
    }

    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error> {
        self.read(run, |it| Box::pin(load::steps(it, run, from, limit)))
            .await
    }

    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error> {
        self.read(run, |it| Box::pin(history::entries(it, run, step)))
            .await
    }

    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        self.read(run, |it| Box::pin(history::events(it, run, after, limit)))
            .await
    }

    async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error> {
        let mut page = self
            .pool
            .run(|connection, _| async move { header::list(&connection, filter).await })
            .await?;
        if self.missing_headers > 0 {
            let missing = self.missing_headers;
            page.damaged
                .push(format!("the list of runs: {missing} headers are missing"));
        }
        Ok(page)
    }

    async fn due(
        &self,
        workflow: &str,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error> {
        self.pool
            .run(|connection, _| async move {
                header::due(&connection, workflow, now, unheld, limit).await
            })
            .await
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        self.pool
            .run(|connection, _| async move { load::blob(&connection, hash).await })
            .await
    }

    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        self.pool
            .run(|connection, _| async move { lease::mark_kept(&connection, run, keep).await })
            .await
    }

    async fn delete(&self, run: RunId) -> Result<(), Error> {
        self.pool
            .run(|connection, in_doubt| async move {
                connection
                    .in_transaction(removal::delete(&connection, run, in_doubt))
                    .await
            })
            .await
    }

    async fn purge(&self, before: Timestamp) -> Result<Purged, Error> {
        let before_us = before.as_microsecond();
        let mut purged = Purged::default();
        let mut after = Uuid::nil();
        // Goes through the ids once; what finishes meanwhile finishes too late to expire.
        loop {
            let (some, last) = self
                .pool
                .run(|connection, _| async move {
                    connection
                        .in_transaction(removal::purge_some(&connection, before_us, after))
                        .await
                })
                .await?;
            purged.runs += some.runs;
            purged.blobs += some.blobs;
            match last {
                Some(last) => after = last,
                None => return Ok(purged),
            }
        }
    }
}
