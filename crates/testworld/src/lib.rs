//! A world on loopback to test against: a language model, a search engine and pages, all scripted; a store that
//! fails when it is told to; and the suite that every store passes.
//!
//! Every call is noted in a ledger as it arrives and again when it is answered: that ledger is the judge of what a run
//! did, whatever the run says of itself. It measures and tests, and never ships.

#![warn(unreachable_pub)]

pub mod conformance;
mod faulty_store;
mod ledger;
mod model;
mod pages;
mod prompt;
mod script;

pub use faulty_store::{FaultyStore, StoreFaults, StoreOp, store_gone};
pub use ledger::{Call, Ledger};
pub use prompt::{Judgement, Prompt};
pub use script::{Page, Reply, Script, street_tree_pages};

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running world. It ends when it is dropped.
pub struct Stage {
    /// The first also has the model and the search engine; all have the pages.
    hosts: Vec<SocketAddr>,
    ledger: Arc<Ledger>,
    serving: Vec<JoinHandle<()>>,
}

struct World {
    script: Script,
    ledger: Arc<Ledger>,
    hosts: Vec<SocketAddr>,
}

impl Stage {
    pub async fn open(script: Script) -> io::Result<Self> {
        let mut listeners = Vec::new();
        // Hosts differ in their address, not only in their port: who asks a host gently must tell them apart.
        for last in (1..=u8::MAX).take(script.hosts) {
            listeners.push(TcpListener::bind((Ipv4Addr::new(127, 0, 0, last), 0)).await?);
        }
        let hosts: io::Result<Vec<SocketAddr>> =
            listeners.iter().map(TcpListener::local_addr).collect();
        let hosts = hosts?;
        let ledger = Arc::new(Ledger::default());
        let world = Arc::new(World {
            script,
            ledger: Arc::clone(&ledger),
            hosts: hosts.clone(),
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(model::complete))
            .route("/searxng/search", get(pages::search))
            .route("/openalex/works", get(pages::works))
            .route("/pages/{number}", get(pages::page))
            .route("/crossref/works/{doi}", get(pages::work))
            .fallback(pages::stray)
            .with_state(world);
        let serve = |listener| {
            let router = router.clone();
            tokio::spawn(async move {
                // It serves until it is aborted; a listener that fails shows in the test that uses it.
                let _ = axum::serve(listener, router).await;
            })
        };
        Ok(Self {
            hosts,
            ledger,
            serving: listeners.into_iter().map(serve).collect(),
        })
    }

    /// What `OPENAI_BASE_URL` is set to.
    pub fn model_url(&self) -> String {
        format!("http://{}/v1", self.hosts[0])
    }

    /// What `FATHOM_SEARXNG_URL` is set to.
    pub fn search_url(&self) -> String {
        format!("http://{}/searxng", self.hosts[0])
    }

    /// What `FATHOM_OPENALEX_URL` is set to: the same pages as works.
    pub fn openalex_url(&self) -> String {
        format!("http://{}/openalex", self.hosts[0])
    }

    /// What `FATHOM_CROSSREF_URL` is set to.
    pub fn crossref_url(&self) -> String {
        format!("http://{}/crossref", self.hosts[0])
    }

    /// What `FATHOM_DATACITE_URL` is set to: a register that has no work.
    pub fn datacite_url(&self) -> String {
        format!("http://{}/datacite", self.hosts[0])
    }

    /// What `FATHOM_FETCH_ALLOW` is set to, so that the pages here may be read.
    pub fn fetch_allow(&self) -> String {
        let hosts: Vec<String> = self.hosts.iter().map(SocketAddr::to_string).collect();
        hosts.join(",")
    }

    /// The settings by which the program has this world for its own.
    pub fn environment(&self) -> [(&'static str, String); 6] {
        [
            ("OPENAI_BASE_URL", self.model_url()),
            ("FATHOM_SEARXNG_URL", self.search_url()),
            ("FATHOM_SEARCH_WEB", "searxng".to_owned()),
            ("FATHOM_CROSSREF_URL", self.crossref_url()),
            ("FATHOM_DATACITE_URL", self.datacite_url()),
            ("FATHOM_FETCH_ALLOW", self.fetch_allow()),
        ]
    }

    pub fn calls(&self) -> Vec<Call> {
        self.ledger.calls()
    }

    /// How much has happened: every call counts when it arrives and again when it is answered.
    pub fn moments(&self) -> usize {
        self.ledger.moments()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.serving.iter().for_each(JoinHandle::abort);
    }
}
