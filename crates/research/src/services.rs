//! What all runs of a process share: models, search, pages, works, the reader of documents, and the way to libraries.
//!
//! The program's wiring fills it in once; skills reach the world through nothing else. What belongs to one run alone
//! (its folders, whether it may use the web, its caps) is in the run's own settings.

use std::path::PathBuf;
use std::sync::Arc;

use fathom_evidence::extract::DocumentReader;
use fathom_providers::Clock;
use fathom_providers::pages::Pages;
use fathom_providers::search::SearchChains;
use fathom_providers::works::Works;
use fathom_workflow::InvalidInput;

use crate::documents::DocumentCache;
use crate::encoder::Encoder;
use crate::library::{Libraries, Library};
use crate::plan::SourceKind;
use crate::reasoner::Reasoners;
use crate::settings::Caps;
use crate::skills::search::kinds;

/// One per process: breakers, limiters and caches mean nothing otherwise.
pub struct Services {
    /// Who judges. The first that is able does; the last needs no network.
    pub reasoners: Reasoners,
    /// Opens the folders that a run names.
    pub libraries: Arc<dyn Libraries>,
    /// The way out of this machine; nothing where no run may leave it.
    pub web: Option<WebServices>,
    /// Takes the text out of what was fetched.
    pub reader: Arc<dyn DocumentReader>,
    /// Judges passages by their meaning; nothing where none is installed or configured.
    pub encoder: Option<Arc<Encoder>>,
    /// Documents that were read lately.
    pub documents: DocumentCache,
    /// What could not be set up here, in sentences. A run that needs it is refused with the sentence.
    pub faults: ServiceFaults,
}

/// Said of a run that has neither a library nor a provider.
pub(crate) const NOTHING_TO_SEARCH: &str =
    "there is nothing to search: name a library, or configure a search provider";

/// Settings that cannot be used.
#[derive(Clone, Debug, Default)]
pub struct ServiceFaults {
    /// Of the language model or the encoder. Every run is refused: without them it would be another run than was asked for.
    pub reasoning: Option<String>,
    /// Of the price of a model. Runs without a cap on money need not mind.
    pub cost: Option<String>,
    /// Of the web. Runs that keep to a library need not mind.
    pub web: Option<String>,
}

/// Search, pages and registers of works of the outside world.
pub struct WebServices {
    /// Every kind's providers, in the order in which they are asked.
    pub search: Arc<SearchChains>,
    /// Pages, each fetched once for all runs.
    pub pages: Arc<Pages>,
    /// Who wrote a work with a DOI, and whether it was retracted.
    pub works: Arc<Works>,
    /// The same as theirs.
    pub clock: Arc<dyn Clock>,
}

/// Where one run may look.
#[derive(Clone, Copy, Debug)]
pub struct SourceScope<'a> {
    /// Folders of the asker's own documents; none for no library.
    pub library: &'a [PathBuf],
    /// Whether the run may leave this machine to search and read.
    pub web: bool,
}

impl Services {
    /// The run's library; nothing where it has none.
    pub fn library(&self, scope: SourceScope<'_>) -> Option<Arc<dyn Library>> {
        (!scope.library.is_empty()).then(|| self.libraries.open(scope.library))
    }

    /// The web, where the run may use it.
    pub fn web(&self, scope: SourceScope<'_>) -> Option<&WebServices> {
        self.web.as_ref().filter(|_| scope.web)
    }

    /// Whether a run with this scope can be worked on here; else a sentence that says what is wrong.
    pub fn check(&self, scope: SourceScope<'_>, caps: &Caps) -> Result<(), String> {
        let web = self.faults.web.as_ref().filter(|_| scope.web);
        let cost = self.faults.cost.as_ref();
        let cost = cost.filter(|_| caps.cost_micros.is_some());
        match self.faults.reasoning.as_ref().or(cost).or(web) {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }

    /// As [`Self::check`], for a run that still has to search.
    pub(crate) fn check_search(&self, scope: SourceScope<'_>, caps: &Caps) -> Result<(), String> {
        self.check(scope, caps)?;
        if self.kinds(scope).is_empty() {
            return Err(NOTHING_TO_SEARCH.to_owned());
        }
        Ok(())
    }

    /// Makes the folders of a run's library absolute: it may be resumed from another folder.
    pub(crate) fn make_absolute(&self, library: &mut [PathBuf]) -> Result<(), InvalidInput> {
        for root in library {
            let absolute = self.libraries.absolute(root);
            *root = absolute.map_err(|error| InvalidInput::at("settings.library", error))?;
        }
        Ok(())
    }

    /// The kinds of sources that a run can search, a person's own first.
    pub fn kinds(&self, scope: SourceScope<'_>) -> Vec<SourceKind> {
        let own = (!scope.library.is_empty()).then_some(SourceKind::Local);
        let outside = self.web(scope).into_iter().flat_map(kinds);
        own.into_iter().chain(outside).collect()
    }
}
