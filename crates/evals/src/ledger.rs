//! The outside world of a proof: a real HTTP server on loopback that writes down every call.
//!
//! What a run has recorded is in its store; what it has really done is in here. A proof compares the
//! two, so the ledger is the judge. Its answers depend on the key alone: a call that is made twice
//! gets the same answer twice, and only the ledger can tell.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use fathom_workflow::RunId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::loopback;

/// One call, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerCall {
    /// The run whose node called.
    pub run: RunId,
    /// The step that made it.
    pub step: u64,
    /// The effect's key, unique within its step.
    pub key: String,
    /// Which life of the run's process made it, counted from 1.
    pub attempt: u32,
}

/// A server that runs until it is dropped.
pub struct Ledger {
    url: String,
    book: Arc<Book>,
    serving: JoinHandle<()>,
}

struct Book {
    /// By run, in the order they arrived.
    calls: Mutex<HashMap<RunId, Vec<LedgerCall>>>,
    count: watch::Sender<u64>,
    longest_wait: Duration,
    chance: Mutex<StdRng>,
}

impl Ledger {
    /// A ledger that lets each caller wait for a random time up to `longest_wait`.
    pub async fn open(longest_wait: Duration, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .context("the ledger found no port on loopback")?;
        let url = format!("http://{}/call", listener.local_addr()?);
        let book = Arc::new(Book {
            calls: Mutex::default(),
            count: watch::Sender::new(0),
            longest_wait,
            chance: Mutex::new(StdRng::seed_from_u64(seed)),
        });
        let routes = Router::new()
            .route("/call", post(take))
            .with_state(Arc::clone(&book));
        let serving = tokio::spawn(async move {
            // It ends only by being aborted; a caller sees any other end as a refused call.
            let _ = axum::serve(listener, routes).await;
        });
        Ok(Self { url, book, serving })
    }

    /// Where a [`Caller`] calls.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every call of a run, in the order they arrived.
    pub fn calls(&self, run: RunId) -> Vec<LedgerCall> {
        self.book.calls().get(&run).cloned().unwrap_or_default()
    }

    /// How many calls were made by all runs.
    pub fn total(&self) -> u64 {
        *self.book.count.borrow()
    }

    /// Resolves once a run has made so many calls.
    pub async fn reached(&self, run: RunId, calls: usize) {
        let mut count = self.book.count.subscribe();
        while self.book.calls().get(&run).map_or(0, Vec::len) < calls {
            if count.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Book {
    fn calls(&self) -> MutexGuard<'_, HashMap<RunId, Vec<LedgerCall>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) -> Duration {
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        chance.random_range(Duration::ZERO..=self.longest_wait)
    }
}

async fn take(State(book): State<Arc<Book>>, Json(call): Json<LedgerCall>) -> String {
    let answer = answer(call.step, &call.key);
    book.calls().entry(call.run).or_default().push(call);
    book.count.send_modify(|count| *count += 1);
    let wait = book.wait();
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
    answer
}

/// What the world says to this effect of this step, whoever asks and however often.
pub fn answer(step: u64, key: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (step, key).hash(&mut hasher);
    format!("{step}, {key}: {:016x}", hasher.finish())
}

/// The side of the ledger that a run's effects use.
#[derive(Clone)]
pub struct Caller {
    client: reqwest::Client,
    url: String,
    attempt: u32,
}

impl Caller {
    /// Calls the ledger at that address, as this life of the run's process.
    pub fn new(url: impl Into<String>, attempt: u32) -> Result<Self> {
        let client = loopback::client()?;
        Ok(Self {
            client,
            url: url.into(),
            attempt,
        })
    }

    /// Makes a call and gives the ledger's answer, which depends on step and key alone.
    pub async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, reqwest::Error> {
        let call = LedgerCall {
            run,
            step,
            key: key.to_owned(),
            attempt: self.attempt,
        };
        let reply = self.client.post(&self.url).json(&call).send().await?;
        reply.error_for_status()?.text().await
    }
}
