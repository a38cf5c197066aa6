//! What all requests share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use fathom_research::workflows::{answer, appraise, ask, report, search};
use fathom_workflow::Host;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use super::access::Caller;
use super::run_bounds::Bounds;
use super::shown::RunReplies;
use super::spending::KnownSpending;
use crate::exit::Result;
use crate::library_list::LibraryList;
use crate::own_library::OwnLibraries;
use crate::settings::Settings;
use crate::tokens::{OwnerCaps, TokenBook};

/// The folder of libraries in the data folder.
const LIBRARIES: &str = "owners";

/// The bounds of the service, each a setting.
#[derive(Clone, Debug, Deserialize)]
pub struct ServeLimits {
    /// Runs that are worked on at a time.
    pub workers: usize,
    /// Runs that may wait for a worker; more are refused.
    pub max_queue: usize,
    /// Bytes of a request's body.
    pub max_body_bytes: usize,
    /// Bytes of the documents of one upload.
    pub max_upload_bytes: usize,
    /// Documents of a library that is filled by uploads.
    pub max_library_documents: usize,
    /// Libraries of one owner that are made by uploads.
    pub max_libraries: usize,
    /// Bytes of all documents of one owner that were uploaded.
    pub max_owner_bytes: u64,
    /// Uploads at a time; more are refused.
    pub max_uploads: usize,
    /// Connections at a time; more wait.
    pub max_connections: usize,
    /// Seconds between two signs of life on a stream of events.
    pub heartbeat_s: u64,
    /// Seconds that a client may leave its bytes unread, or its request unsent.
    pub client_timeout_s: u64,
    /// Names that the service is reached by, besides its own address.
    pub hosts: Vec<String>,
    /// Runs of one owner that are under way at a time, where their tokens say nothing.
    pub owner_max_runs: Option<usize>,
    /// Tokens that an owner's runs of 24 hours spend together, likewise.
    pub owner_max_tokens: Option<u64>,
    /// What an owner's runs of 24 hours cost together in millionths of a dollar, likewise.
    pub owner_max_cost_micros: Option<u64>,
    /// Tokens that a run without a budget of its own may spend, where its owner's are capped.
    pub owner_run_tokens: u64,
    /// What such a run may cost in millionths of a dollar, likewise.
    pub owner_run_cost_micros: u64,
}

impl ServeLimits {
    /// How often a stream of events gives a sign of life.
    pub fn heartbeat(&self) -> Duration {
        Duration::from_secs(self.heartbeat_s.max(1))
    }

    /// What every owner may use whose tokens do not say otherwise.
    pub fn owner_caps(&self) -> OwnerCaps {
        OwnerCaps {
            max_runs: self.owner_max_runs,
            max_tokens: self.owner_max_tokens,
            max_cost_micros: self.owner_max_cost_micros,
        }
    }

    /// What a run of a capped owner may spend that has no budget of its own.
    pub(super) fn usual_bounds(&self) -> Bounds {
        Bounds {
            tokens: Some(self.owner_run_tokens),
            cost_micros: Some(self.owner_run_cost_micros),
        }
    }

    /// How long a client may do nothing while something is expected of it.
    pub fn client_timeout(&self) -> Duration {
        Duration::from_secs(self.client_timeout_s.max(1))
    }
}

/// The host with what the door needs to know.
pub struct Service {
    /// All workflows and runs.
    pub host: Host,
    /// The bounds.
    pub limits: ServeLimits,
    /// Who may come in. Nobody is asked on a loopback address while there is no token.
    pub tokens: TokenBook,
    /// Whether the service listens where only this machine reaches it.
    pub is_loopback: bool,
    /// The operator's settings, with which inputs begin.
    pub settings: Settings,
    /// Where libraries lie that requests name, a folder for each owner.
    pub libraries: PathBuf,
    /// The libraries that runs search; one that gets a document is looked at anew.
    pub(super) open_libraries: Arc<OwnLibraries>,
    /// What was told of runs that have ended.
    pub(super) shown: RunReplies,
    /// What is counted.
    pub(super) figures: PrometheusHandle,
    /// Set when the service ends.
    pub stop: CancellationToken,
    /// Starts that are being committed.
    pub(super) admitting: AtomicUsize,
    /// Held while a start with a key is committed: two with one key must not be under way at once.
    pub(super) keyed: Mutex<()>,
    /// Places for uploads under way.
    pub(super) uploading: Arc<Semaphore>,
    /// Held while the documents of an upload are kept, or a library changes otherwise.
    pub(super) keeping: Arc<Mutex<()>>,
    /// What runs have spent. Held while a run of a capped owner is committed, so that two do not take the same room.
    pub(super) spending: Mutex<KnownSpending>,
}

impl Service {
    /// The service on a host. `stop` ends its streams.
    pub fn new(
        host: Host,
        settings: Settings,
        open_libraries: Arc<OwnLibraries>,
        tokens: TokenBook,
        is_loopback: bool,
        figures: PrometheusHandle,
        stop: CancellationToken,
    ) -> Self {
        Self {
            host,
            uploading: Arc::new(Semaphore::new(settings.serve.max_uploads.max(1))),
            keeping: Arc::default(),
            limits: settings.serve.clone(),
            tokens,
            is_loopback,
            libraries: settings.home.join(LIBRARIES),
            settings,
            open_libraries,
            shown: RunReplies::default(),
            figures,
            stop,
            admitting: AtomicUsize::new(0),
            keyed: Mutex::default(),
            spending: Mutex::default(),
        }
    }

    /// What an input begins with: the operator's settings, which a request overlays.
    pub fn input_defaults(&self, workflow: &str, caller: &Caller) -> Result<Value> {
        let settings = &self.settings;
        let library = |set: &[PathBuf]| match (set, caller) {
            ([], Caller::Owner(_)) => Ok(Vec::new()),
            // As on the command line, the folders that were added are searched where none is named.
            _ => LibraryList::load(&settings.home).map(|list| list.resolve(set)),
        };
        let mut input = match workflow {
            answer::NAME => json!({ "settings": settings.answer }),
            ask::NAME => json!({ "settings": settings.ask }),
            report::NAME => json!({
                "depth": settings.depth,
                "style": settings.style,
                "settings": settings.report,
            }),
            search::NAME => return Ok(json!({ "library": library(&settings.answer.library)? })),
            appraise::NAME => return Ok(json!({ "caps": settings.appraise_caps })),
            _ => return Ok(json!({})),
        };
        let set = match workflow {
            answer::NAME => library(&settings.answer.library)?,
            ask::NAME => library(&settings.ask.library)?,
            _ => library(&settings.report.library)?,
        };
        input["settings"]["library"] = json!(set);
        Ok(input)
    }
}

/// How handlers get it.
pub(super) type Shared = Arc<Service>;
