//! The pool of connections, and the trying again: whoever asks is answered, or told after `retry_for`
//! that nobody answers.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Connect, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, QueueMode, Runtime,
    TimeoutType,
};
use fathom_workflow::Error;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, Config};

use super::address::DatabaseAddress;
use super::connection::PooledConnection;
use super::failure::PostgresFailure;

/// A connection is ready within this time, or counts as lost.
const DIAL_LIMIT: Duration = Duration::from_secs(10);

/// A question not answered for this long counts as lost, and its connection with it.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// Pauses between attempts double from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct ConnectionPool {
    pool: Pool,
    address: Arc<DatabaseAddress>,
    retry_for: Duration,
}

impl ConnectionPool {
    pub(super) fn new(
        address: DatabaseAddress,
        size: usize,
        retry_for: Duration,
    ) -> Result<Self, Error> {
        let address = Arc::new(address);
        let dialer = Dialer(Arc::clone(&address));
        let manager =
            Manager::from_connect(address.config.clone(), dialer, ManagerConfig::default());
        let pool = Pool::builder(manager)
            .max_size(size)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(DIAL_LIMIT))
            .wait_timeout(Some(ANSWER_LIMIT))
            // The server process that answered last is the one still warm.
            .queue_mode(QueueMode::Lifo)
            // Asked here first, because the pool itself would warn of each connection that was lost while idle.
            .pre_recycle(Hook::sync_fn(|client, _| {
                if client.is_closed() {
                    return Err(HookError::message("it was lost while idle"));
                }
                Ok(())
            }))
            .build()
            .map_err(|error| Error::Store {
                why: format!("no connections to the database can be made: {error}"),
            })?;
        Ok(Self {
            pool,
            address,
            retry_for,
        })
    }

    /// Does `work` on some connection, again on another while the database is away or asks for it.
    /// `work` is told whether an earlier attempt may have succeeded without our hearing of it.
    pub(super) async fn run<T, W>(
        &self,
        work: impl Fn(PooledConnection, bool) -> W,
    ) -> Result<T, Error>
    where
        W: Future<Output = Result<T, PostgresFailure>>,
    {
        self.run_for(self.retry_for, work).await
    }

    /// As [`ConnectionPool::run`], with another time to go on trying.
    pub(super) async fn run_for<T, W>(
        &self,
        retry_for: Duration,
        work: impl Fn(PooledConnection, bool) -> W,
    ) -> Result<T, Error>
    where
        W: Future<Output = Result<T, PostgresFailure>>,
    {
        let give_up_at = Instant::now() + retry_for;
        let mut pause = FIRST_PAUSE;
        let mut in_doubt = false;
        loop {
            let failure = match self.attempt(|connection| work(connection, in_doubt)).await {
                Ok(answer) => return Ok(answer),
                Err(PostgresFailure::Final(error)) => return Err(error),
                Err(failure) if Instant::now() >= give_up_at => return Err(failure.into_error()),
                Err(failure) => failure,
            };
            tracing::debug!(?failure, "the database is asked again");
            in_doubt |= failure.leaves_doubt();
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn attempt<T, W>(
        &self,
        work: impl Fn(PooledConnection) -> W,
    ) -> Result<T, PostgresFailure>
    where
        W: Future<Output = Result<T, PostgresFailure>>,
    {
        let client = self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => self.address.explain(error),
            PoolError::Timeout(TimeoutType::Create) => self.address.no_answer(DIAL_LIMIT),
            PoolError::Timeout(_) => PostgresFailure::no_answer(ANSWER_LIMIT),
            PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
                PostgresFailure::closed()
            }
        })?;
        match timeout(ANSWER_LIMIT, work(PooledConnection::new(client))).await {
            Ok(answer) => answer,
            Err(_) => Err(PostgresFailure::no_answer(ANSWER_LIMIT)),
        }
    }
}

/// Makes connections for the pool.
struct Dialer(Arc<DatabaseAddress>);

/// A connection, and the task that moves its bytes.
type Dialed = Result<(Client, JoinHandle<()>), tokio_postgres::Error>;

impl Connect for Dialer {
    fn connect(&self, _: &Config) -> Pin<Box<dyn Future<Output = Dialed> + Send + '_>> {
        Box::pin(self.0.connect())
    }
}
