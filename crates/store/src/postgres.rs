//! The log in PostgreSQL (13 or newer): many processes on one database, fenced by its clock.
//!
//! Appends and creations go through `writers.rs`, which commits many of them at once; everything
//! else goes over `pool.rs`. Both bear with a database that is away for a while. What a run's
//! records look like is for `row.rs`, and what they mean for the engine.

mod address;
mod batch;
mod driver;
mod fate;
mod fault;
mod format;
mod given;
mod header;
mod journal;
mod lease;
mod link;
mod links;
mod load;
mod order;
mod patience;
mod pool;
mod removal;
mod tls;
mod writers;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fathom_workflow::event::Event;
use fathom_workflow::journal::{Appended, Page, Purged, RunFilter, Store};
use fathom_workflow::record::{Append, Creation, Entry, Loaded, Run, StepRecord, Token};
use fathom_workflow::{BlobHash, Error, Owner, RunId};
use jiff::Timestamp;
use uuid::Uuid;

use self::address::Address;
use self::fate::Fate;
use self::order::Order;
use self::pool::Pool;
use self::writers::Writers;
use crate::row::unsigned;

/// A server that says nothing at the first connection is more likely misnamed than restarting.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

/// A store in a PostgreSQL database.
pub struct Postgres {
    pool: Pool,
    writers: Writers,
    /// How many headers were missing when the database was opened. The other runs go on.
    missing_headers: i64,
}

#[derive(Clone, Debug)]
pub struct Options {
    /// The most connections to keep, two at least. Half of them write.
    pub connections: usize,
    /// How long to go on trying while the database is away.
    pub retry_for: Duration,
}

impl Default for Options {
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
        Self::connect_with(url, Options::default()).await
    }

    pub async fn connect_with(url: &str, options: Options) -> Result<Self, Error> {
        let Options {
            connections,
            retry_for,
        } = options;
        let address = Arc::new(Address::parse(url)?);
        let writing = (connections / 2).max(1);
        let others = connections.saturating_sub(writing).max(1);
        let pool = Pool::new(Arc::clone(&address), others, retry_for);
        pool.run_for(retry_for.min(FIRST_ANSWER), |link, _| async move {
            format::bring_up_to_date(&link).await
        })
        .await?;
        let missing_headers = pool
            .run(|link, _| async move { header::missing_headers(&link).await })
            .await?;
        if missing_headers > 0 {
            tracing::error!(missing_headers, "the list of runs is damaged");
        }
        Ok(Self {
            missing_headers,
            pool,
            writers: Writers::start(&address, writing, retry_for),
        })
    }

    /// How many commits the appends and creations so far have taken: fewer than there were, if many
    /// came at once.
    pub fn commits(&self) -> u64 {
        self.writers.commits()
    }

    /// Tells a run that is gone from one that has lost its header.
    async fn found<T>(&self, run: RunId, found: Result<T, Error>) -> Result<T, Error> {
        match found {
            Err(Error::NoSuchRun { .. }) => Err(self
                .pool
                .run(|link, _| async move { header::not_found(&link, run).await })
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
        let run = creation.run.id();
        let order = || Order::create(&creation, owner, lease);
        match self.writers.write(order).await? {
            Fate::Taken { fence, rev, .. } => Ok(Token {
                fence: unsigned(fence),
                rev: unsigned(rev),
            }),
            // Missing: it was there when we came, and is deleted by now.
            Fate::Refused | Fate::Missing => Err(Error::RunExists { run }),
        }
    }

    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error> {
        self.pool
            .run(|link, in_doubt| async move { lease::claim(&link, run, owner, lease, in_doubt).await })
            .await
    }

    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error> {
        self.pool
            .run(|link, _| async move { lease::renew(&link, owner, runs, lease).await })
            .await
    }

    async fn release(&self, run: RunId, token: Token) -> Result<(), Error> {
        self.pool
            .run(|link, _| async move { lease::release(&link, run, token).await })
            .await
    }

    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error> {
        let run = append.run;
        let mut bytes = 0;
        let order = || {
            let order = Order::append(&append, lease)?;
            bytes = order.bytes;
            Ok(order)
        };
        match self.writers.write(order).await? {
            Fate::Taken { cancel, .. } => Ok(Appended {
                cancel_requested: cancel,
                bytes,
            }),
            Fate::Missing => Err(Error::NoSuchRun { run }),
            Fate::Refused => Err(Error::Superseded { run }),
        }
    }

    async fn request_cancel(&self, run: RunId) -> Result<(), Error> {
        self.pool
            .run(|link, _| async move { lease::mark_cancel(&link, run, true).await })
            .await
    }

    async fn clear_cancel(&self, run: RunId) -> Result<(), Error> {
        self.pool
            .run(|link, _| async move { lease::mark_cancel(&link, run, false).await })
            .await
    }

    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error> {
        self.pool
            .run(|link, _| async move { lease::cancels(&link, owner).await })
            .await
    }

    async fn head(&self, run: RunId) -> Result<(Run, Token), Error> {
        let found = self
            .pool
            .run(|link, _| async move { header::head(&link, run).await })
            .await;
        self.found(run, found).await
    }

    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error> {
        let found = self
            .pool
            .run(|link, _| async move { load::load(&link, run, at).await })
            .await;
        self.found(run, found).await
    }

    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error> {
        let found = self
            .pool
            .run(|link, _| async move { load::steps(&link, run, from, limit).await })
            .await;
        self.found(run, found).await
    }

    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error> {
        let found = self
            .pool
            .run(|link, _| async move { journal::entries(&link, run, step).await })
            .await;
        self.found(run, found).await
    }

    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let found = self
            .pool
            .run(|link, _| async move { journal::events(&link, run, after, limit).await })
            .await;
        self.found(run, found).await
    }

    async fn list(&self, filter: &RunFilter) -> Result<Page, Error> {
        let mut page = self
            .pool
            .run(|link, _| async move { header::list(&link, filter).await })
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
            .run(|link, _| async move { header::due(&link, workflow, now, unheld, limit).await })
            .await
    }

    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error> {
        self.pool
            .run(|link, _| async move { load::blob(&link, hash).await })
            .await
    }

    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        self.pool
            .run(|link, _| async move { lease::mark_kept(&link, run, keep).await })
            .await
    }

    async fn delete(&self, run: RunId) -> Result<(), Error> {
        self.pool
            .run(|link, in_doubt| async move { removal::delete(&link, run, in_doubt).await })
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
                .run(|link, _| async move { removal::purge_some(&link, before_us, after).await })
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
