//! One connection: made ready, with its prepared statements, and what is asked over it.
//!
//! A link that saw trouble in the middle of a transaction is thrown away, never mended: closing it
//! makes the server forget whatever was half done.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::future::{join_all, join3};
use tokio::time::timeout;
use tokio_postgres::types::{BorrowToSql, ToSql};
use tokio_postgres::{Client, Row, Statement};

use super::address::Address;
use super::driver::Driver;
use super::fault::Fault;

/// Every statement is written for one plan, by index, so it gets that plan from the first row on:
/// the planner's guesses about young tables would scan them, lock rows in another order than the
/// batches rely on, and stay cached. And what is acknowledged is on disk, whatever the server's
/// default is. Where the server knows lz4 it is taken for large values: the server's own way to compress
/// costs it several times as much for text.
const MAKE_READY: &str = "
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_bitmapscan = off;
    SET jit = off;
    SET client_min_messages = warning;
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') = 'off';
    SELECT set_config(name, 'lz4', false) FROM pg_catalog.pg_settings
        WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals);
";

const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A connection is ready within this time, or counts as lost.
const DIAL_LIMIT: Duration = Duration::from_secs(10);

pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

pub(super) struct Link {
    client: Client,
    /// Moves the bytes for whoever asks. It ends with the link, also while the server owes an answer.
    driver: Driver,
    /// By their text. The store has a fixed set of texts, so this needs no bound.
    statements: Mutex<HashMap<String, Statement>>,
    in_transaction: AtomicBool,
}

impl Link {
    pub(super) async fn dial(address: &Address) -> Result<Self, Fault> {
        // The driver bounds only the first part of it; a server can hang in any.
        match timeout(DIAL_LIMIT, Self::make(address)).await {
            Ok(link) => link,
            Err(_) => Err(address.no_answer(DIAL_LIMIT)),
        }
    }

    async fn make(address: &Address) -> Result<Self, Fault> {
        let (client, moving) = address.connect().await?;
        let link = Self {
            client,
            driver: Driver::of(moving),
            statements: Mutex::default(),
            in_transaction: AtomicBool::new(false),
        };
        link.script(MAKE_READY).await?;
        Ok(link)
    }

    /// Whether it can be used for something new.
    pub(super) fn is_clean(&self) -> bool {
        !self.in_transaction.load(Ordering::Relaxed) && !self.driver.has_ended()
    }

    pub(super) async fn rows(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        let statement = self.prepared(sql).await?;
        Ok(self
            .driver
            .answer(self.client.query(&statement, values))
            .await?)
    }

    pub(super) async fn row(&self, sql: &str, values: Values<'_>) -> Result<Option<Row>, Fault> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// Like [`Link::rows`], for values gathered one by one.
    pub(super) async fn rows_of<V: BorrowToSql>(
        &self,
        sql: &str,
        values: Vec<V>,
    ) -> Result<Vec<Row>, Fault> {
        use futures::TryStreamExt;
        let statement = self.prepared(sql).await?;
        let asked = async {
            let rows = self.client.query_raw(&statement, values).await?;
            rows.try_collect().await
        };
        Ok(self.driver.answer(asked).await?)
    }

    /// How many rows it changed.
    pub(super) async fn change(&self, sql: &str, values: Values<'_>) -> Result<u64, Fault> {
        let statement = self.prepared(sql).await?;
        Ok(self
            .driver
            .answer(self.client.execute(&statement, values))
            .await?)
    }

    /// Answers to several questions, all as of one moment, in one round trip: requests travel in
    /// the order in which their futures are first polled.
    pub(super) async fn snapshot<const N: usize>(
        &self,
        questions: [(&str, Values<'_>); N],
    ) -> Result<[Vec<Row>; N], Fault> {
        let mut prepared = Vec::with_capacity(N);
        for (sql, values) in questions {
            prepared.push((self.prepared(sql).await?, values));
        }
        let asked = prepared
            .iter()
            .map(|(statement, values)| self.client.query(statement, values));
        self.in_transaction.store(true, Ordering::Relaxed);
        let all = join3(
            self.client.batch_execute(BEGIN_READING),
            join_all(asked),
            self.client.batch_execute("COMMIT"),
        );
        let (begun, answers, ended) = self.driver.answer(all).await;
        begun?;
        let mut found = [const { Vec::new() }; N];
        for (found, answer) in found.iter_mut().zip(answers) {
            *found = answer?;
        }
        ended?;
        self.in_transaction.store(false, Ordering::Relaxed);
        Ok(found)
    }

    /// From here to [`Link::end`] all reads are as of one moment.
    pub(super) async fn begin_reading(&self) -> Result<(), Fault> {
        self.begin(BEGIN_READING).await
    }

    /// From here to [`Link::end`] all changes are one.
    pub(super) async fn begin_writing(&self) -> Result<(), Fault> {
        self.begin("BEGIN").await
    }

    pub(super) async fn end(&self) -> Result<(), Fault> {
        self.script("COMMIT").await?;
        self.in_transaction.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a script as it stands.
    pub(super) async fn script(&self, sql: &str) -> Result<(), Fault> {
        Ok(self.driver.answer(self.client.batch_execute(sql)).await?)
    }

    async fn begin(&self, how: &str) -> Result<(), Fault> {
        self.in_transaction.store(true, Ordering::Relaxed);
        self.script(how).await
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, Fault> {
        let known = self.lock().get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.driver.answer(self.client.prepare(sql)).await?;
        self.lock().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Statement>> {
        // A map of finished statements is whole even if a holder of the lock panicked.
        self.statements
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
