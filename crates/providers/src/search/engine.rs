//! The providers by name: what they find, where they are, and what they need.

use serde::{Deserialize, Serialize};

use super::SearchKind;

/// A search provider.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
pub enum SearchEngine {
    /// Google's results, with a key.
    Serper,
    /// Web results with longer extracts, with a key.
    Tavily,
    /// An index of its own, with a key.
    Brave,
    /// One's own server, by its address.
    Searxng,
    /// Papers with abstracts; a key raises its limits.
    SemanticScholar,
    /// Works of all fields, free.
    Openalex,
    /// Works with a DOI, free.
    Crossref,
    /// Medicine and the life sciences, free.
    Pubmed,
    /// Preprints, free, one call at a time.
    Arxiv,
    /// News, with a key.
    Newsapi,
    /// News of the world, free, one call at a time.
    Gdelt,
    /// Code, with a token.
    Github,
    /// Articles of an encyclopaedia, free.
    Wikipedia,
}

impl SearchEngine {
    /// Every engine once.
    pub const ALL: [Self; 13] = [
        Self::Serper,
        Self::Tavily,
        Self::Brave,
        Self::Searxng,
        Self::SemanticScholar,
        Self::Openalex,
        Self::Crossref,
        Self::Pubmed,
        Self::Arxiv,
        Self::Newsapi,
        Self::Gdelt,
        Self::Github,
        Self::Wikipedia,
    ];

    /// The name in settings, events and hits.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What its hits are.
    pub fn kind(self) -> SearchKind {
        match self {
            Self::Serper | Self::Tavily | Self::Brave | Self::Searxng => SearchKind::Web,
            Self::SemanticScholar
            | Self::Openalex
            | Self::Crossref
            | Self::Pubmed
            | Self::Arxiv => SearchKind::Academic,
            Self::Newsapi | Self::Gdelt => SearchKind::News,
            Self::Github => SearchKind::Code,
            Self::Wikipedia => SearchKind::Encyclopaedia,
        }
    }

    /// Where it is reached unless set otherwise. SearXNG is everybody's own.
    pub(crate) fn public_address(self) -> Option<&'static str> {
        match self {
            Self::Serper => Some("https://google.serper.dev"),
            Self::Tavily => Some("https://api.tavily.com"),
            Self::Brave => Some("https://api.search.brave.com/res/v1"),
            Self::Searxng => None,
            Self::SemanticScholar => Some("https://api.semanticscholar.org/graph/v1"),
            Self::Openalex => Some("https://api.openalex.org"),
            Self::Crossref => Some("https://api.crossref.org"),
            Self::Pubmed => Some("https://eutils.ncbi.nlm.nih.gov/entrez/eutils"),
            Self::Arxiv => Some("https://export.arxiv.org/api"),
            Self::Newsapi => Some("https://newsapi.org/v2"),
            Self::Gdelt => Some("https://api.gdeltproject.org/api/v2"),
            Self::Github => Some("https://api.github.com"),
            Self::Wikipedia => Some("https://en.wikipedia.org"),
        }
    }

    /// The setting that holds its address.
    pub(crate) fn address_setting(self) -> String {
        format!("FATHOM_{}_URL", self.as_str().to_ascii_uppercase())
    }

    /// The setting that holds its key, if it takes one.
    pub fn key_setting(self) -> Option<&'static str> {
        match self {
            Self::Serper => Some("SERPER_API_KEY"),
            Self::Tavily => Some("TAVILY_API_KEY"),
            Self::Brave => Some("BRAVE_API_KEY"),
            Self::SemanticScholar => Some("SEMANTIC_SCHOLAR_API_KEY"),
            Self::Openalex => Some("OPENALEX_API_KEY"),
            Self::Pubmed => Some("NCBI_API_KEY"),
            Self::Newsapi => Some("NEWS_API_KEY"),
            Self::Github => Some("GITHUB_TOKEN"),
            Self::Searxng | Self::Crossref | Self::Arxiv | Self::Gdelt | Self::Wikipedia => None,
        }
    }

    /// Whether it answers nobody without a key.
    pub(crate) fn needs_key(self) -> bool {
        match self {
            Self::Serper | Self::Tavily | Self::Brave | Self::Newsapi | Self::Github => true,
            Self::Searxng
            | Self::SemanticScholar
            | Self::Openalex
            | Self::Crossref
            | Self::Pubmed
            | Self::Arxiv
            | Self::Gdelt
            | Self::Wikipedia => false,
        }
    }
}
