//! Turns settings into a store, the services of this process, and its host. The stores, clients and
//! libraries that a run works with are made only here, in `outside` and in `own_library`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fathom_research::reasoner::Reasoners;
use fathom_research::workflows::report::{self, ReportWorkflow};
use fathom_research::{self as research, DocumentCache, Services};
use fathom_store::{Postgres, Sqlite};
use fathom_workflow::{
    Error, Host, MemoryStore, RunId, Runtime, RuntimeSettings, Store, SystemClock,
};

use crate::Register;
use crate::exit::{Problem, Result};
use crate::outside::Outside;
use crate::own_library::{OwnLibraries, OwnLibrary};
use crate::pdf_subprocess::PdfSubprocess;
use crate::settings::{Settings, StoreLocation};

/// Opens the place where runs are kept.
pub async fn store(location: &StoreLocation) -> Result<Arc<dyn Store>> {
    match location {
        StoreLocation::Memory => Ok(Arc::new(MemoryStore::default())),
        StoreLocation::Sqlite(path) => {
            let path = path.clone();
            let opening = tokio::task::spawn_blocking(move || Sqlite::open(path)).await;
            let opened = opening.unwrap_or_else(|error| {
                let why = error.to_string();
                Err(Error::StoreGone { why })
            });
            Ok(Arc::new(opened.map_err(|error| unopened(location, error))?))
        }
        StoreLocation::Postgres(url) => {
            let opened = Postgres::connect(url).await;
            Ok(Arc::new(opened.map_err(|error| unopened(location, error))?))
        }
    }
}

/// Says where the store is that cannot be opened.
fn unopened(location: &StoreLocation, error: Error) -> Problem {
    match error {
        Error::StoreGone { why } => {
            Problem::failed(format!("the store {location} cannot be opened: {why}"))
                .advise("See what works with: fathom doctor")
        }
        other => Problem::from(other),
    }
}

/// The host of this process: the built-in workflows and those that are registered besides.
pub fn host(
    store: Arc<dyn Store>,
    services: Services,
    lease: Duration,
    register: Register,
) -> Result<Host> {
    let settings = RuntimeSettings {
        lease,
        ..RuntimeSettings::default()
    };
    let runtime = Runtime::with(store, Arc::new(SystemClock), settings);
    let host = Host::builder(runtime).register(ReportWorkflow, Arc::new(services))?;
    Ok(register(host)?.build())
}

/// A host to look at the workflows themselves.
pub fn storeless_host(register: Register) -> Result<Host> {
    let lease = RuntimeSettings::default().lease;
    host(
        Arc::new(MemoryStore::default()),
        no_services(),
        lease,
        register,
    )
}

/// What all runs of this process share. Where the way out cannot be opened, that is an error only if it is needed: a run
/// over one's own documents goes on without it.
pub fn services(
    settings: &Settings,
    libraries: Arc<OwnLibraries>,
    web_needed: bool,
) -> Result<Services> {
    let outside = Outside::open()?;
    let reasoners = Reasoners::new(outside.model(settings)?);
    let web = outside.web(settings);
    Ok(Services {
        reasoners,
        libraries,
        web: if web_needed { Some(web?) } else { web.ok() },
        reader: Arc::new(PdfSubprocess::default()),
        encoder: outside.encoder(settings)?.map(Arc::new),
        documents: DocumentCache::default(),
    })
}

/// For a host that looks at runs and never works on one: nothing to call.
pub fn no_services() -> Services {
    Services {
        reasoners: Reasoners::new(None),
        libraries: Arc::new(OwnLibraries::default()),
        web: None,
        reader: Arc::new(PdfSubprocess::default()),
        encoder: None,
        documents: DocumentCache::default(),
    }
}

/// Whether a run was started with leave to use the web.
pub async fn needs_web(host: &Host, run: RunId) -> Result<bool> {
    let first = host.view(run, Some(0)).await?;
    if first.run.about.workflow != report::NAME {
        return Ok(false);
    }
    let settings = first.state.get("settings").cloned().unwrap_or_default();
    let settings: research::Settings = serde_json::from_value(settings).map_err(Problem::failed)?;
    Ok(settings.scope().web)
}

/// The folders as a library; none for no folders.
pub fn library(roots: Vec<PathBuf>) -> Option<Arc<OwnLibrary>> {
    (!roots.is_empty()).then(|| Arc::new(OwnLibrary::new(roots)))
}
