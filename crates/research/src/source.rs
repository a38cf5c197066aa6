//! A source: a document that was retrieved, with where its stored text lies.

use fathom_evidence::document::DocumentMetadata;
use fathom_evidence::passage::PassageId;
pub use fathom_render::{SourceId, SourceKind};
use fathom_workflow::BlobHash;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::plan::QueryId;

/// A document that a search found, numbered within its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Its number, from 1; citations in drafts use it.
    pub id: SourceId,
    /// Where it was found.
    pub kind: SourceKind,
    /// A web address, or a path inside a library.
    pub location: String,
    /// The same for all places where this work is found: its DOI, or its address in one form.
    pub key: String,
    /// Who wrote it, when and where it appeared.
    pub about: Work,
    /// Every query that found it.
    pub found_by: Vec<QueryId>,
    /// How well its text fits the query that found it, 0 to 1.
    pub relevance: f64,
    /// What speaks for it whatever is asked, 0 to 1.
    pub quality: f64,
    /// Its text, where it was read; else only its snippet is known.
    pub snapshot: Option<Snapshot>,
    /// What a search said of it.
    pub snippet: String,
    /// Why its page could not be read, in a sentence.
    pub unread: Option<String>,
    /// Its passages that a search found, where the search looks into documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<FoundPassage>,
}

/// A passage that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPassage {
    /// The query that found it.
    pub query: QueryId,
    /// Its rank over all documents, from 0.
    pub rank: u32,
    /// Which passage of the document it is.
    pub passage: PassageId,
}

/// What is known about a source as a work, for its reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// Empty where it is not known.
    pub title: String,
    /// In the order of the work; empty where they are not known.
    pub authors: Vec<String>,
    /// `2024`, `2024-05` or `2024-05-17`.
    pub published: Option<String>,
    /// The journal, outlet or site.
    pub venue: Option<String>,
    /// Such as `10.1000/182`.
    pub doi: Option<String>,
    /// How often other works cite it, by the search that found it.
    pub citations: Option<u64>,
    /// Whether it was withdrawn by its publisher.
    pub retracted: bool,
}

/// The stored text of a source. Spans of quotes refer to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The text, as it was read out of the document.
    pub text: BlobHash,
    /// Paragraphs, sections and pages of that text.
    pub shape: BlobHash,
    /// Words of the text.
    pub words: u64,
    /// A code such as `en`.
    pub language: String,
    /// When it was read.
    pub taken_at: Timestamp,
    /// What could not be read, in sentences.
    pub lost: Vec<String>,
}

impl Work {
    /// Takes in what a document says about itself, where nothing was known.
    pub fn learn(&mut self, about: &DocumentMetadata) {
        self.take_in(Self {
            title: about.title.clone().unwrap_or_default(),
            authors: about.authors.clone(),
            published: about.published.clone(),
            doi: about.doi.clone(),
            ..Self::default()
        });
    }

    /// Takes in what somebody else says about the same work, where nothing was known. The highest count of citations is
    /// kept, and a work is retracted if anybody says so.
    pub(crate) fn take_in(&mut self, other: Self) {
        if self.title.is_empty() {
            self.title = other.title;
        }
        if self.authors.is_empty() {
            self.authors = other.authors;
        }
        self.published = self.published.take().or(other.published);
        self.venue = self.venue.take().or(other.venue);
        self.doi = self.doi.take().or(other.doi);
        self.citations = self.citations.max(other.citations);
        self.retracted |= other.retracted;
    }

    /// The year it appeared in, where its date begins with one.
    pub fn year(&self) -> Option<i16> {
        self.published.as_deref()?.get(..4)?.parse().ok()
    }
}

impl Source {
    /// A title to show; the location where there is none.
    pub fn name(&self) -> &str {
        match self.about.title.trim() {
            "" => &self.location,
            title => title,
        }
    }
}
