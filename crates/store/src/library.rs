//! A person's own documents: folders that are read once and then searched in memory.
//!
//! Takes folders; gives a [`Folder`] whose documents are found by what they say and read by name. What cannot be read is
//! listed with a sentence and stops nothing. Everything here waits for the disk, so callers put it on a blocking thread.
//!
//! Where documents are parsed is up to the [`DocumentReader`] that is given; each is behind a guard against panics and has a
//! deep stack.

mod index;
mod read;
mod walk;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use fathom_evidence::extract::{self, DocumentReader};

use self::index::Index;
use self::walk::Root;

/// How much of a library is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Folders inside folders beyond this are left out.
    pub depth: usize,
    /// Files beyond this are left out.
    pub files: usize,
    /// Files are read until they have this many bytes together.
    pub bytes: u64,
    /// Files that are read at once.
    pub threads: usize,
    /// Of each document.
    pub document: extract::ExtractLimits,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            depth: 16,
            files: 20_000,
            bytes: 2 << 30,
            threads: cores.min(8),
            document: extract::ExtractLimits::default(),
        }
    }
}

/// Why a library cannot be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("there is no folder {}; check the path", path.display())]
    Missing { path: PathBuf },
    #[error("{} is not a folder; give the folder that holds it", path.display())]
    NotAFolder { path: PathBuf },
    #[error("the folder {} cannot be read: {source}; check who may read it", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

/// Why a document cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ReadFault {
    #[error("\"{name}\" is not in the library")]
    Missing { name: String },
    #[error("\"{name}\" cannot be read: {why}")]
    Unreadable { name: String, why: String },
}

/// A document of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its path inside the library, with the folder's name before it where there are several.
    pub name: String,
    pub title: String,
    pub words: usize,
}

/// A file that is not among the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub name: String,
    /// In a sentence that says what to do.
    pub why: String,
}

/// A document that fits a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub name: String,
    pub title: String,
    /// The beginning of the passage that fits best.
    pub snippet: String,
    /// Of the best in this search 1, of the others a share of it.
    pub relevance: f64,
}

/// Folders with their documents, read and indexed.
pub struct Folder {
    paths: BTreeMap<String, PathBuf>,
    documents: Vec<Document>,
    skipped: Vec<Skipped>,
    index: Index,
    limits: Limits,
}

impl Folder {
    /// Reads every document under the folders.
    pub fn open<P: AsRef<Path>>(roots: &[P], reader: &dyn DocumentReader) -> Result<Self, Fault> {
        Self::open_within(roots, Limits::default(), reader)
    }

    pub fn open_within<P: AsRef<Path>>(
        roots: &[P],
        limits: Limits,
        reader: &dyn DocumentReader,
    ) -> Result<Self, Fault> {
        let walked = walk::files(&Root::named(roots)?, &limits)?;
        let mut skipped = walked.skipped;
        let mut documents = Vec::new();
        let mut paths = BTreeMap::new();
        let mut texts = Vec::new();
        for (file, read) in read::all(walked.files, &limits, reader) {
            match read {
                Ok(text) => {
                    documents.push(Document {
                        name: file.name.clone(),
                        title: text.title.clone(),
                        words: text.words,
                    });
                    paths.insert(file.name.clone(), file.path);
                    texts.push((file.name, text));
                }
                Err(why) => skipped.push(Skipped {
                    name: file.name,
                    why,
                }),
            }
        }
        Ok(Self {
            paths,
            documents,
            skipped,
            index: Index::of(texts),
            limits,
        })
    }

    /// By name.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Files that were left out, and why.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The documents that fit the query best, best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found> {
        let hits = self.index.search(query, limit);
        let found = hits.into_iter().filter_map(|hit| {
            let document = self.documents.get(hit.document)?;
            Some(Found {
                name: document.name.clone(),
                title: document.title.clone(),
                snippet: hit.snippet,
                relevance: hit.relevance,
            })
        });
        found.collect()
    }

    /// A document's bytes as they are on the disk now.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ReadFault> {
        let missing = || ReadFault::Missing {
            name: name.to_owned(),
        };
        let path = self.paths.get(name).ok_or_else(missing)?;
        read::bytes(path, &self.limits).map_err(|why| ReadFault::Unreadable {
            name: name.to_owned(),
            why,
        })
    }
}

/// The files under a folder that may hold documents, without reading them.
pub fn count<P: AsRef<Path>>(root: P) -> Result<usize, Fault> {
    let walked = walk::files(&Root::named(&[root])?, &Limits::default())?;
    Ok(walked.files.len())
}

#[cfg(test)]
mod tests;
