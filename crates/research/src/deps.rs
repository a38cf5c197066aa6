//! What a workflow may call. The program's wiring fills it in; nodes reach the world through nothing else.

use std::sync::Arc;

use fathom_evidence::extract::DocumentReader;
use fathom_providers::Clock;
use fathom_providers::pages::Pages;
use fathom_providers::search::SearchChains;

use crate::library::Library;
use crate::nodes;
use crate::plan::SourceKind;
use crate::reasoner::Reasoner;
use crate::shelf::Shelf;

pub struct Deps {
    /// The first that is able judges; the last needs no network.
    pub reasoners: Vec<Arc<dyn Reasoner>>,
    pub library: Option<Arc<dyn Library>>,
    /// The way out of this machine; nothing where a run is to stay on it.
    pub net: Option<Net>,
    /// Takes the text out of what was fetched.
    pub reader: Arc<dyn DocumentReader>,
    pub shelf: Shelf,
}

/// Search and pages of the outside world.
pub struct Net {
    pub search: Arc<SearchChains>,
    pub pages: Arc<Pages>,
    /// The same as theirs.
    pub clock: Arc<dyn Clock>,
}

impl Deps {
    pub fn reasoners(&self) -> impl Iterator<Item = &dyn Reasoner> {
        self.reasoners.iter().map(|reasoner| &**reasoner)
    }

    /// The kinds of sources that can be searched, a person's own first.
    pub fn kinds(&self) -> Vec<SourceKind> {
        let own = self.library.iter().map(|_| SourceKind::Local);
        let outside = self.net.iter().flat_map(nodes::kinds);
        own.chain(outside).collect()
    }
}
