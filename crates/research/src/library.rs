//! A person's own documents, as a workflow sees them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use fathom_evidence::passage::PassageId;
use serde::{Deserialize, Serialize};

/// The way from folders to a library, and to single files that a person names.
#[async_trait]
pub trait Libraries: Send + Sync {
    /// The library of these folders: the same one whenever the same folders are named, so that runs share its index.
    /// Nothing is read before the first search.
    fn open(&self, roots: &[PathBuf]) -> Arc<dyn Library>;

    /// The path of a folder by which it is found again from wherever a run is resumed.
    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf>;

    /// The bytes of one file.
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, LibraryFault>;
}

/// Documents that can be searched and read.
#[async_trait]
pub trait Library: Send + Sync {
    /// The passages that fit the query best, best first, each text once. `terms` are words that documents may have for those of
    /// the query; they count less.
    async fn search(
        &self,
        query: &str,
        terms: &str,
        limit: usize,
    ) -> Result<Vec<LocalPassage>, LibraryFault>;

    /// How often each of these words occurs in the documents, in any of its forms.
    async fn mentions(&self, words: &[String]) -> Result<Vec<WordMention>, LibraryFault>;

    /// How much of it could be read.
    async fn stock(&self) -> Result<LibraryStock, LibraryFault>;

    /// A document's bytes, by the name under which it was found.
    async fn read(&self, name: &str) -> Result<Vec<u8>, LibraryFault>;
}

/// How much of a library could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryStock {
    /// Files that are searched.
    pub documents: usize,
    /// Files that could not be read and are left out.
    pub skipped: usize,
}

/// A passage that fits a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalPassage {
    /// The path of its document inside the library.
    pub name: String,
    /// The document's title, or the name of its file where it has none.
    pub title: String,
    /// The headings above it, outermost first.
    pub sections: Vec<String>,
    /// Which passage of the document it is.
    pub passage: PassageId,
    /// Its words.
    pub text: String,
    /// The page it begins on, where its document has pages.
    pub page: Option<u32>,
    /// How well its words fit the query; comparable within one search.
    pub score: f32,
    /// How near it is to the query in meaning: a cosine. Nothing where the library has no vector of it.
    pub similarity: Option<f32>,
}

/// Where a word occurs in the documents that were searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordMention {
    /// As it was asked for.
    pub word: String,
    /// Passages that have it in some form.
    pub passages: usize,
    /// Passages in all.
    pub of: usize,
    /// Whether it stands somewhere with just these large and small letters.
    pub as_written: bool,
    /// For a word that does not occur and is probably misspelled: the one that does and is spelled most like it.
    pub nearest: Option<String>,
}

/// Why a library gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LibraryFault {
    /// No document has the name.
    #[error("\"{name}\" is not in the library")]
    Missing {
        /// The name that was asked for.
        name: String,
    },
    /// The document, or the library as a whole, cannot be opened.
    #[error("\"{name}\" cannot be read: {why}")]
    Unreadable {
        /// The document or folder.
        name: String,
        /// The reason, as the system gives it.
        why: String,
    },
}
