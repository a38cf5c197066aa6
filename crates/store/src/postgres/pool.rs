//! Connections for everything but appends: lent for one attempt, taken back if they are clean.
//!
//! Holds the retrying: whoever asks is answered, or told after `retry_for` that nobody answers.

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::Error;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::address::Address;
use super::fault::Fault;
use super::link::Link;
use super::links::Links;
use super::patience::{ANSWER_LIMIT, Patience};

pub(super) struct Pool {
    links: Links,
    retry_for: Duration,
    /// One for each connection that may be open.
    permits: Semaphore,
}

impl Pool {
    pub(super) fn new(address: Arc<Address>, size: usize, retry_for: Duration) -> Self {
        Self {
            links: Links::to(address),
            retry_for,
            permits: Semaphore::new(size),
        }
    }

    /// Does `work` on some connection, again on another while the database is away or asks for it.
    /// `work` is told whether an earlier attempt may have succeeded without our hearing of it.
    pub(super) async fn run<T, W>(&self, work: impl Fn(Arc<Link>, bool) -> W) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Fault>>,
    {
        self.run_for(self.retry_for, work).await
    }

    pub(super) async fn run_for<T, W>(
        &self,
        retry_for: Duration,
        work: impl Fn(Arc<Link>, bool) -> W,
    ) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Fault>>,
    {
        let mut patience = Patience::new(retry_for);
        let mut in_doubt = false;
        loop {
            match self.attempt(|link| work(link, in_doubt)).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => {
                    in_doubt |= fault.leaves_doubt();
                    patience.bear(fault).await?;
                }
            }
        }
    }

    async fn attempt<T, W>(&self, work: impl Fn(Arc<Link>) -> W) -> Result<T, Fault>
    where
        W: Future<Output = Result<T, Fault>>,
    {
        let Ok(answer) = timeout(ANSWER_LIMIT, self.ask(work)).await else {
            return Err(Fault::no_answer(ANSWER_LIMIT));
        };
        answer
    }

    async fn ask<T, W>(&self, work: impl Fn(Arc<Link>) -> W) -> Result<T, Fault>
    where
        W: Future<Output = Result<T, Fault>>,
    {
        let _permit = self.permits.acquire().await.map_err(|_| Fault::Gone {
            why: "the store is closed".into(),
        })?;
        let link = self.links.take().await?;
        let answer = work(Arc::clone(&link)).await;
        self.links.put_back(link, &answer);
        answer
    }
}
