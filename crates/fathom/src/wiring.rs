//! The one file that names concrete types: turns settings into a store, what a workflow may call, and an engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fathom_research::reasoner::Reasoner;
use fathom_research::reasoner::extractive::Extractive;
use fathom_research::workflows::report;
use fathom_research::{DocumentCache, Services, State};
use fathom_store::{Postgres, Sqlite};
use fathom_workflow::{Error, MemoryStore, RunId, Store, SystemClock};

use crate::exit::{Problem, Result};
use crate::outside::Outside;
use crate::own_library::{OwnLibraries, OwnLibrary};
use crate::pdf_subprocess::PdfSubprocess;
use crate::settings::{Settings, StoreLocation};

pub type Engine = fathom_workflow::Engine<State, Services>;

/// Opens the place where runs are kept.
pub async fn store(place: &StoreLocation) -> Result<Arc<dyn Store>> {
    match place {
        StoreLocation::Memory => Ok(Arc::new(MemoryStore::default())),
        StoreLocation::Sqlite(path) => {
            let path = path.clone();
            let opening = tokio::task::spawn_blocking(move || Sqlite::open(path)).await;
            let opened = opening.unwrap_or_else(|error| {
                let why = error.to_string();
                Err(Error::StoreGone { why })
            });
            Ok(Arc::new(opened.map_err(|error| at(place, error))?))
        }
        StoreLocation::Postgres(url) => {
            let opened = Postgres::connect(url).await;
            Ok(Arc::new(opened.map_err(|error| at(place, error))?))
        }
    }
}

/// Says where the store is that cannot be opened.
fn at(place: &StoreLocation, error: Error) -> Problem {
    match error {
        Error::StoreGone { why } => {
            Problem::failed(format!("the store {place} cannot be opened: {why}"))
                .advise("See what works with: fathom doctor")
        }
        other => Problem::from(other),
    }
}

/// What all runs of this process share. Where the way out cannot be opened, that is an error only if it is needed: a run
/// over one's own documents goes on without it.
pub fn services(
    settings: &Settings,
    libraries: Arc<OwnLibraries>,
    web_needed: bool,
) -> Result<Services> {
    let outside = Outside::open()?;
    let mut reasoners: Vec<Arc<dyn Reasoner>> = Vec::new();
    if let Some(model) = outside.model(settings)? {
        reasoners.push(Arc::new(model));
    }
    reasoners.push(Arc::new(Extractive));
    let web = outside.web(settings);
    Ok(Services {
        reasoners,
        libraries,
        web: if web_needed { Some(web?) } else { web.ok() },
        reader: Arc::new(PdfSubprocess::default()),
        documents: DocumentCache::default(),
    })
}

/// An engine for the report workflow.
pub fn engine(store: Arc<dyn Store>, services: Services, lease: Duration) -> Result<Engine> {
    let graph = report::graph().map_err(|error| Problem::from(Error::from(error)))?;
    let settings = fathom_workflow::RuntimeSettings {
        lease,
        ..fathom_workflow::RuntimeSettings::default()
    };
    Ok(Engine::with(
        graph,
        store,
        Arc::new(services),
        Arc::new(SystemClock),
        settings,
    ))
}

/// An engine that looks and never works: with nothing to call.
pub fn onlooker(store: Arc<dyn Store>) -> Result<Engine> {
    let nothing = Services {
        reasoners: vec![Arc::new(Extractive)],
        libraries: Arc::new(OwnLibraries::default()),
        web: None,
        reader: Arc::new(PdfSubprocess::default()),
        documents: DocumentCache::default(),
    };
    // It takes up no run, so no lease is ever its own.
    engine(
        store,
        nothing,
        fathom_workflow::RuntimeSettings::default().lease,
    )
}

/// An engine that goes on with a run. Which library it has and whether it may use the web is in the run itself.
pub async fn engine_for(settings: &Settings, store: Arc<dyn Store>, run: RunId) -> Result<Engine> {
    let looking = onlooker(Arc::clone(&store))?;
    let web_needed = looking.view(run, Some(0)).await?.state.settings.scope().web;
    let services = services(settings, Arc::default(), web_needed)?;
    engine(store, services, settings.lease)
}

/// The folders as a library; none for no folders.
pub fn library(roots: Vec<PathBuf>) -> Option<Arc<OwnLibrary>> {
    (!roots.is_empty()).then(|| Arc::new(OwnLibrary::new(roots)))
}
