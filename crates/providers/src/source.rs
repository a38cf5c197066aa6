//! Sources: what searches found, each work or page once, with every query and provider that found it.
//!
//! [`merge`] takes findings in any order and gives the same sources: hits of one DOI, of one address in its
//! normalised form, or of nearly the same text are one source; two DOIs never are. Of each fact the source keeps the
//! best that was told, by the rule at [`Source`]. [`quality_prior`] is the score that needs no question; the score
//! that does is [`Relevance`], which whoever has the text and the question fills in.

mod address;
mod alike;
mod merge;
mod score;

pub use merge::{FINDINGS_MAX, merge};
pub use score::{Relevance, quality_prior};

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::call::ProviderName;
use crate::search::{SearchHit, SearchKind, authors_short};
use crate::{Doi, PublicationDate};

/// A hit, and the query that found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The query's id or text; sources remember it is.
    pub query: String,
    /// What was found.
    pub hit: SearchHit,
}

/// What makes two hits one source: the DOI, or else the address in its normalised form.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A work with a DOI, wherever it is found.
    Doi(Doi),
    /// The address in its normal form.
    Address(String),
}

impl Key {
    /// The key of one hit, by what it says of itself.
    pub fn of(hit: &SearchHit) -> Self {
        let named = hit.doi.clone().or_else(|| Doi::from_url(&hit.url));
        named.map_or_else(|| Self::Address(address::normalised(&hit.url)), Self::Doi)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doi(doi) => write!(f, "doi:{doi}"),
            Self::Address(address) => f.write_str(address),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A work or page that was found, perhaps several times.
///
/// Its hits are put in order: registers of works first (Crossref, PubMed, OpenAlex, Semantic Scholar, arXiv), then news,
/// encyclopaedia and code, then web search; the better rank first among equals. A fact is the first that is told in
/// this order, with these exceptions: texts are the longest told, the date is the most precise of the first year told, citations
/// are the highest count, and a work is retracted if anybody says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// What makes it one source.
    pub key: Key,
    /// Where to read it, without tracking parameters and fragment.
    pub url: String,
    /// The best that was told.
    pub title: String,
    /// The longest that was told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// What was searched when it was first found.
    pub kind: SearchKind,
    /// In the order of the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The most exact date that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublicationDate>,
    /// Journal, site or publisher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// The highest count that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<u64>,
    /// Where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<Doi>,
    /// The longest that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstract_text: Option<String>,
    /// The longest that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_text: Option<String>,
    /// A free copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
    /// As an engine told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether any engine says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retracted: bool,
    /// Every time it was found, by query, provider and rank.
    pub sightings: Vec<Sighting>,
    /// How well its text answers its query. Merging leaves it open: this crate has no retrieval of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<Relevance>,
}

impl Source {
    /// Three authors, then "et al.".
    pub fn authors_short(&self) -> String {
        authors_short(&self.authors)
    }

    /// The queries that found it, each once.
    pub fn queries(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        let queries = self
            .sightings
            .iter()
            .map(|sighting| sighting.query.as_str());
        queries.filter(move |query| last.replace(*query) != Some(*query))
    }
}

/// One time that the source was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sighting {
    /// The words that found it.
    pub query: String,
    /// The engine that found it.
    pub provider: ProviderName,
    /// Its place in the engine's answer, from one.
    pub rank: u32,
    /// As this provider gave it.
    pub url: String,
}
