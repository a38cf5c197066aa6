//! A world on loopback to test against: a language model, a search engine and pages, all scripted.
//!
//! Every call is noted in a ledger as it arrives and again when it is answered: that ledger is the judge of what a run
//! did, whatever the run says of itself. It measures and tests, and never ships.

#![warn(unreachable_pub)]

mod ledger;
mod model;
mod pages;
mod prompt;
mod script;

pub use ledger::{Call, Ledger};
pub use prompt::{Judgement, Prompt};
pub use script::{Page, Reply, Script};

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running world. It ends when it is dropped.
pub struct Stage {
    address: SocketAddr,
    ledger: Arc<Ledger>,
    serving: JoinHandle<()>,
}

struct World {
    script: Script,
    ledger: Arc<Ledger>,
    address: SocketAddr,
}

impl Stage {
    pub async fn open(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let ledger = Arc::new(Ledger::default());
        let world = Arc::new(World {
            script,
            ledger: Arc::clone(&ledger),
            address,
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(model::complete))
            .route("/searxng/search", get(pages::search))
            .route("/pages/{number}", get(pages::page))
            .with_state(world);
        let serving = tokio::spawn(async move {
            // It serves until it is aborted; a listener that fails shows in the test that uses it.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            address,
            ledger,
            serving,
        })
    }

    /// What `OPENAI_BASE_URL` is set to.
    pub fn model_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What `FATHOM_SEARXNG_URL` is set to.
    pub fn search_url(&self) -> String {
        format!("http://{}/searxng", self.address)
    }

    /// What `FATHOM_FETCH_ALLOW` is set to, so that the pages here may be read.
    pub fn fetch_allow(&self) -> String {
        self.address.to_string()
    }

    pub fn calls(&self) -> Vec<Call> {
        self.ledger.calls()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
