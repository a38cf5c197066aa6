//! What a workflow may call. The program's wiring fills it in; nodes reach the world through nothing else.

use std::sync::Arc;

use crate::library::Library;
use crate::plan::Kind;
use crate::reasoner::Reasoner;
use crate::shelf::Shelf;

pub struct Deps {
    /// The first that is able judges; the last needs no network.
    pub reasoners: Vec<Arc<dyn Reasoner>>,
    pub library: Option<Arc<dyn Library>>,
    pub shelf: Shelf,
}

impl Deps {
    pub fn reasoners(&self) -> impl Iterator<Item = &dyn Reasoner> {
        self.reasoners.iter().map(|reasoner| &**reasoner)
    }

    /// The kinds of sources that can be searched.
    pub fn kinds(&self) -> Vec<Kind> {
        self.library.iter().map(|_| Kind::Local).collect()
    }
}
