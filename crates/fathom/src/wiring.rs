//! Turns settings into a store, the services of this process, and its host. The stores, clients and
//! libraries that a run works with are made only here, in `outside` and in `own_library`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fathom_research::reasoner::Reasoners;
use fathom_research::workflows::answer::AnswerWorkflow;
use fathom_research::workflows::appraise::AppraiseWorkflow;
use fathom_research::workflows::ask::AskWorkflow;
use fathom_research::workflows::report::ReportWorkflow;
use fathom_research::workflows::search::SearchWorkflow;
use fathom_research::{DocumentCache, ServiceFaults, Services};
use fathom_store::{Postgres, Sqlite};
use fathom_workflow::{Error, Host, MemoryStore, Runtime, RuntimeSettings, Store, SystemClock};

use crate::Register;
use crate::exit::{Problem, Result};
use crate::outside::Outside;
use crate::own_library::{OwnLibraries, OwnLibrary};
use crate::settings::{Settings, StoreLocation};
use fathom_store::library::PdfSubprocess;

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
        take_up_after: lease.saturating_mul(2),
        ..RuntimeSettings::default()
    };
    let runtime = Runtime::with(store, Arc::new(SystemClock), settings);
    let services = Arc::new(services);
    let host = Host::builder(runtime)
        .register(ReportWorkflow, Arc::clone(&services))?
        .register(AskWorkflow, Arc::clone(&services))?
        .register(AnswerWorkflow, Arc::clone(&services))?
        .register(AppraiseWorkflow, Arc::clone(&services))?
        .register(SearchWorkflow, services)?;
    Ok(register(host)?.build())
}

/// What all runs of this process share. What cannot be set up is kept as a sentence for the runs that need it, so that a
/// slip in a setting keeps nobody from listing runs, or from working on their own documents.
pub fn services(settings: &Settings, libraries: Arc<OwnLibraries>) -> Services {
    let sentence = |problem: Problem| problem.to_string().replace('\n', " ");
    let (model, encoder, web) = match Outside::open(settings) {
        Ok(outside) => (
            outside.model(settings).map_err(sentence),
            outside.encoder(settings).map_err(sentence),
            outside.web(settings).map_err(sentence),
        ),
        Err(problem) => {
            let why = sentence(problem);
            (Err(why.clone()), Err(why.clone()), Err(why))
        }
    };
    let unpriced = model.as_ref().ok().and_then(Option::as_ref);
    let encoder = encoder.map(|encoder| encoder.map(Arc::new));
    if let Ok(Some(encoder)) = &encoder {
        libraries.use_encoder(Arc::clone(encoder));
    }
    let faults = ServiceFaults {
        cost: unpriced.and_then(|model| model.unpriced.clone()),
        reasoning: model.as_ref().err().or(encoder.as_ref().err()).cloned(),
        web: web.as_ref().err().cloned(),
    };
    Services {
        reasoners: Reasoners::new(model.ok().flatten().map(|model| model.reasoner)),
        libraries,
        web: web.ok(),
        reader: Arc::new(PdfSubprocess::default()),
        encoder: encoder.ok().flatten(),
        documents: DocumentCache::default(),
        faults,
    }
}

/// The folders as a library; none for no folders.
pub fn library(home: &Path, roots: Vec<PathBuf>) -> Option<Arc<OwnLibrary>> {
    (!roots.is_empty()).then(|| Arc::new(OwnLibrary::new(home, roots)))
}
