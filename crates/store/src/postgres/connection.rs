//! One connection on loan from the pool, and what is asked over it.
//!
//! A connection that is let go in the middle of something, by a loss, a timeout or a caller that went
//! away, is thrown away and never repaired: closing it makes the server forget whatever was half done.

use std::sync::atomic::{AtomicBool, Ordering};

use deadpool_postgres::Object;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::failure::PostgresFailure;

/// Every statement is written for one plan, by index, so it gets that plan from the first row on:
/// the planner's guesses about young tables would scan them, and stay cached. And what is acknowledged
/// is on disk, whatever the server's default is. Where the server knows lz4 it is taken for large
/// values: the server's own way to compress costs it several times as much for text.
pub(super) const MAKE_READY: &str = "
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

pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

pub(super) struct PooledConnection {
    /// `None` only while it is dropped.
    client: Option<Object>,
    in_transaction: AtomicBool,
    /// Whether the server owes an answer or a transaction is open.
    is_unsettled: AtomicBool,
}

impl PooledConnection {
    pub(super) fn new(client: Object) -> Self {
        Self {
            client: Some(client),
            in_transaction: AtomicBool::new(false),
            is_unsettled: AtomicBool::new(false),
        }
    }

    pub(super) async fn rows(
        &self,
        sql: &str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, PostgresFailure> {
        let client = self.client()?;
        let answer = async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, values).await
        };
        self.settle(answer).await
    }

    pub(super) async fn row(
        &self,
        sql: &str,
        values: Values<'_>,
    ) -> Result<Option<Row>, PostgresFailure> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// How many rows it changed.
    pub(super) async fn change(
        &self,
        sql: &str,
        values: Values<'_>,
    ) -> Result<u64, PostgresFailure> {
        let client = self.client()?;
        let answer = async {
            let statement = client.prepare_cached(sql).await?;
            client.execute(&statement, values).await
        };
        self.settle(answer).await
    }

    /// Runs a script as it stands.
    pub(super) async fn script(&self, sql: &str) -> Result<(), PostgresFailure> {
        let client = self.client()?;
        self.settle(client.batch_execute(sql)).await
    }

    /// Does all reads of `read` as of one moment.
    pub(super) async fn in_snapshot<T>(
        &self,
        read: impl Future<Output = Result<T, PostgresFailure>>,
    ) -> Result<T, PostgresFailure> {
        self.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", read)
            .await
    }

    /// Makes all changes of `write` one. They are kept unless a statement fails: a refusal that `write`
    /// itself gives must come before its first change.
    pub(super) async fn in_transaction<T>(
        &self,
        write: impl Future<Output = Result<T, PostgresFailure>>,
    ) -> Result<T, PostgresFailure> {
        self.transaction("BEGIN", write).await
    }

    async fn transaction<T>(
        &self,
        begin: &str,
        work: impl Future<Output = Result<T, PostgresFailure>>,
    ) -> Result<T, PostgresFailure> {
        self.in_transaction.store(true, Ordering::Relaxed);
        self.script(begin).await?;
        let answer = work.await;
        if let Err(PostgresFailure::Gone { .. } | PostgresFailure::Conflict { .. }) = &answer {
            return answer;
        }
        self.script("COMMIT").await?;
        self.in_transaction.store(false, Ordering::Relaxed);
        self.is_unsettled.store(false, Ordering::Relaxed);
        answer
    }

    /// Waits for an answer. As long as there is none, the connection is unsettled.
    async fn settle<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, PostgresFailure> {
        self.is_unsettled.store(true, Ordering::Relaxed);
        let answer = answer.await.map_err(PostgresFailure::from);
        let is_lost = matches!(answer, Err(PostgresFailure::Gone { .. }));
        let stays_unsettled = is_lost || self.in_transaction.load(Ordering::Relaxed);
        self.is_unsettled.store(stays_unsettled, Ordering::Relaxed);
        answer
    }

    fn client(&self) -> Result<&Object, PostgresFailure> {
        self.client.as_ref().ok_or_else(PostgresFailure::closed)
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(client) = self.client.take()
            && self.is_unsettled.load(Ordering::Relaxed)
        {
            drop(Object::take(client));
        }
    }
}
