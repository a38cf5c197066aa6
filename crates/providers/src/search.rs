//! Search: one normalised hit, a file for each provider, and chains of them for each kind of question.
//!
//! [`SearchChains::search`] takes a [`SearchQuery`] and gives the [`SearchAnswer`] of the first provider that answers. What providers
//! send is read leniently: numbers as strings, missing lists and dates in many forms are borne, markup becomes plain
//! text, and what has to be left out is counted in [`DroppedHits`]. Answers are kept for a while by `cache`. Retries, limits
//! and breakers are `call`; merging hits into sources, and how relevant a text is to its question, are left to the
//! research crate.

mod answer;
mod arxiv;
mod brave;
mod cache;
mod chains;
mod crossref;
mod endpoint;
mod engine;
mod gather;
mod gdelt;
mod github;
mod hit;
mod newsapi;
mod openalex;
mod pubmed;
mod query;
mod searxng;
mod semantic_scholar;
mod serper;
mod settings;
mod tavily;
mod wikipedia;
mod xml;

pub use cache::{CachedAnswer, FolderSearchCache, SearchCaching};
pub use chains::{LeftOutEngine, SearchChains};
pub use engine::SearchEngine;
pub use hit::{
    ABSTRACT_CHARS_MAX, AUTHORS_MAX, NAME_CHARS_MAX, SNIPPET_CHARS_MAX, SearchHit, TEXT_CHARS_MAX,
    TITLE_CHARS_MAX, URL_CHARS_MAX,
};
pub use query::{
    QUERY_CHARS_MAX, QueryError, RESULTS_DEFAULT, RESULTS_MAX, SearchKind, SearchQuery,
};
pub use settings::{EngineSettings, SearchSettings, SearchSettingsError};

use serde::{Deserialize, Serialize};

/// A provider's answer: its hits, best first, and what could not be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// Best first, each address once.
    pub hits: Vec<SearchHit>,
    /// What could not be used.
    #[serde(default, skip_serializing_if = "DroppedHits::is_nothing")]
    pub dropped: DroppedHits,
    /// It was kept from an earlier search, and nobody was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_cache: bool,
}

/// What was left out of an answer, counted by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DroppedHits {
    /// Hits without an address, or with one that is not `http` or `https`.
    #[serde(skip_serializing_if = "is_zero")]
    pub no_address: u32,
    /// Hits without a title.
    #[serde(skip_serializing_if = "is_zero")]
    pub no_title: u32,
    /// Hits that repeat the address of a better one.
    #[serde(skip_serializing_if = "is_zero")]
    pub repeated: u32,
    /// Hits beyond the number that was asked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub surplus: u32,
    /// Hits from outside the years or days that were asked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub out_of_range: u32,
    /// Dates in a form that is not understood; the hit is kept without one.
    #[serde(skip_serializing_if = "is_zero")]
    pub dates: u32,
    /// Scores that are no number from zero up; the hit is kept without one.
    #[serde(skip_serializing_if = "is_zero")]
    pub scores: u32,
    /// Engines behind the provider that did not answer.
    #[serde(skip_serializing_if = "is_zero")]
    pub engines: u32,
}

impl DroppedHits {
    /// Whether all of the answer could be used.
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
