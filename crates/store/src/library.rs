//! A person's own documents: folders and single files that are read once and then searched in memory.
//!
//! Takes their paths; gives a [`DocumentLibrary`] whose documents are found by what they say and read by name. What cannot be read is
//! listed with a sentence and stops nothing. Everything here waits for the disk, so callers put it on a blocking thread.
//!
//! Where documents are parsed is up to the [`DocumentReader`] that is given; each is behind a guard against panics and has a
//! deep stack. For files of strangers give [`PdfSubprocess`]: a PDF that makes its parser ask for all memory ends the
//! process that reads it.

mod index;
pub mod pdf_subprocess;
mod read;
mod walk;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use fathom_evidence::extract::{self, DocumentReader};
use fathom_evidence::passage::PassageId;

use self::index::DocumentIndex;
pub use self::pdf_subprocess::PdfSubprocess;
use self::walk::LibraryRoot;

/// How much of a library is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryLimits {
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

impl Default for LibraryLimits {
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
pub enum OpenLibraryError {
    /// Nothing is at the path.
    #[error("there is no folder or file {}; check the path", path.display())]
    Missing {
        /// As it was given.
        path: PathBuf,
    },
    /// Something else is at the path, such as a device.
    #[error("{} is neither a folder nor a file; check the path", path.display())]
    NotAFile {
        /// As it was given.
        path: PathBuf,
    },
    /// The system does not let us list the folder.
    #[error("the folder {} cannot be read: {source}; check who may read it", path.display())]
    Unreadable {
        /// As it was given, or as links lead to it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a document cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ReadDocumentError {
    /// The library had no document of that name when it was opened.
    #[error("\"{name}\" is not in the library")]
    Missing {
        /// As it was asked for.
        name: String,
    },
    /// The file has gone, grown over the limit or been closed to us since the library was opened.
    #[error("\"{name}\" cannot be read: {why}")]
    Unreadable {
        /// As it was asked for.
        name: String,
        /// In a sentence that says what to do.
        why: String,
    },
}

/// A document of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryDocument {
    /// Its path inside the library, with the folder's name before it where there are several.
    pub name: String,
    /// What it calls itself, or its file's name without the ending.
    pub title: String,
    /// How many words its text has.
    pub words: usize,
}

/// A file that is not among the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its path inside the library.
    pub name: String,
    /// In a sentence that says what to do.
    pub why: String,
    /// How many files it stands for: 1, unless files beyond the limits are counted together.
    pub files: usize,
}

/// How far the reading of a library has come, for whoever shows it meanwhile.
#[derive(Debug, Default)]
pub struct ReadProgress {
    files: AtomicUsize,
    read: AtomicUsize,
}

impl ReadProgress {
    /// How many files there are to read; 0 until they are counted.
    pub fn files(&self) -> usize {
        self.files.load(Ordering::Relaxed)
    }

    /// How many of them were read or skipped. Once it is all, they are being indexed.
    pub fn read(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }
}

/// A passage that fits a query.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryPassage {
    /// The document that it stands in, by the name under which it is read.
    pub name: String,
    /// As in [`LibraryDocument::title`].
    pub title: String,
    /// The headings above it, outermost first.
    pub sections: Vec<String>,
    /// Which passage of the document it is.
    pub passage: PassageId,
    /// Its words.
    pub text: String,
    /// Comparable within one search only.
    pub score: f32,
}

/// Where a word occurs in a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordMention {
    /// As it was asked for.
    pub word: String,
    /// Passages that have it in some form.
    pub passages: usize,
    /// Passages in all.
    pub of: usize,
    /// Whether it stands somewhere with just these large and small letters.
    pub as_written: bool,
    /// For a word that does not occur: the one that does and is spelled most like it.
    pub nearest: Option<String>,
}

/// Folders with their documents, read and indexed.
pub struct DocumentLibrary {
    paths: BTreeMap<String, PathBuf>,
    documents: Vec<LibraryDocument>,
    skipped: Vec<SkippedFile>,
    index: DocumentIndex,
    limits: LibraryLimits,
}

impl DocumentLibrary {
    /// Reads every document under the folders, and the files that are named themselves.
    pub fn open<P: AsRef<Path>>(
        roots: &[P],
        reader: &dyn DocumentReader,
    ) -> Result<Self, OpenLibraryError> {
        let limits = LibraryLimits::default();
        Self::open_within(roots, limits, reader, &ReadProgress::default())
    }

    /// As [`DocumentLibrary::open`], with limits of one's own, and telling how far it has come.
    pub fn open_within<P: AsRef<Path>>(
        roots: &[P],
        limits: LibraryLimits,
        reader: &dyn DocumentReader,
        progress: &ReadProgress,
    ) -> Result<Self, OpenLibraryError> {
        let walked = walk::files(&LibraryRoot::named(roots)?, &limits)?;
        let mut skipped = walked.skipped;
        let mut documents = Vec::new();
        let mut paths = BTreeMap::new();
        let mut texts = Vec::new();
        for (file, read) in read::all(walked.files, &limits, reader, progress) {
            match read {
                Ok(text) => {
                    documents.push(LibraryDocument {
                        name: file.name.clone(),
                        title: text.title.clone(),
                        words: text.words,
                    });
                    paths.insert(file.name.clone(), file.path);
                    texts.push((file.name, text));
                }
                Err(why) => skipped.push(SkippedFile {
                    name: file.name,
                    why,
                    files: 1,
                }),
            }
        }
        Ok(Self {
            paths,
            documents,
            skipped,
            index: DocumentIndex::new(texts),
            limits,
        })
    }

    /// By name.
    pub fn documents(&self) -> &[LibraryDocument] {
        &self.documents
    }

    /// Files that were left out, and why.
    pub fn skipped(&self) -> &[SkippedFile] {
        &self.skipped
    }

    /// How many files were left out.
    pub fn files_skipped(&self) -> usize {
        self.skipped.iter().map(|one| one.files).sum()
    }

    /// The passages that fit the query best, best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<LibraryPassage> {
        let hits = self.index.search(query, limit);
        let found = hits.into_iter().filter_map(|(document, passage)| {
            let title = self.documents.get(document)?.title.clone();
            Some(LibraryPassage { title, ..passage })
        });
        found.collect()
    }

    /// How often each of these words occurs, in any of its forms.
    pub fn mentions(&self, words: &[String]) -> Vec<WordMention> {
        self.index.mentions(words)
    }

    /// A document's bytes as they are on the disk now.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ReadDocumentError> {
        let missing = || ReadDocumentError::Missing {
            name: name.to_owned(),
        };
        let path = self.paths.get(name).ok_or_else(missing)?;
        read::bytes(path, &self.limits).map_err(|why| ReadDocumentError::Unreadable {
            name: name.to_owned(),
            why,
        })
    }
}

/// The files under a folder that may hold documents, without reading them.
pub fn count<P: AsRef<Path>>(root: P) -> Result<usize, OpenLibraryError> {
    let walked = walk::files(&LibraryRoot::named(&[root])?, &LibraryLimits::default())?;
    Ok(walked.files.len())
}

/// What changes when a file of a library is added, removed or written to: how many there are, and the newest change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryStamp {
    files: usize,
    bytes: u64,
    newest: Option<SystemTime>,
}

/// The stamp of the files under the folders now, without reading them.
pub fn stamp<P: AsRef<Path>>(roots: &[P]) -> Result<LibraryStamp, OpenLibraryError> {
    let walked = walk::files(&LibraryRoot::named(roots)?, &LibraryLimits::default())?;
    let changed =
        |file: &walk::LibraryFile| file.path.metadata().and_then(|about| about.modified());
    Ok(LibraryStamp {
        files: walked.files.len(),
        bytes: walked.files.iter().map(|file| file.bytes).sum(),
        newest: walked
            .files
            .iter()
            .filter_map(|file| changed(file).ok())
            .max(),
    })
}

#[cfg(test)]
mod tests;
