//! A person's own documents: folders and single files whose texts are kept in an index on the disk, and searched there.
//!
//! Takes the folder of the index and the paths of the documents; gives a [`DocumentLibrary`] whose documents are found by what
//! they say and read by name. [`DocumentLibrary::update`] reads what is new or has changed and nothing else. What cannot be
//! read is listed with a sentence and stops nothing. Everything here waits for the disk, so callers put it on a blocking
//! thread.
//!
//! Where documents are parsed is up to the [`DocumentReader`] that is given; each is behind a guard against panics and has a
//! deep stack. For files of strangers give [`PdfSubprocess`]: a PDF that makes its parser ask for all memory ends the
//! process that reads it.

mod bytes;
mod index_file;
mod merge;
mod names;
mod passage_block;
pub mod pdf_subprocess;
mod postings;
mod progress;
mod read;
mod search;
mod segment;
mod snapshot;
mod term_block;
mod update;
mod vectors;
mod walk;
mod words;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_evidence::extract::{self, DocumentReader};
use fathom_evidence::passage::PassageId;
use rusqlite::{Connection, OptionalExtension as _};

use self::index_file::{Fact, IndexFile};
pub use self::pdf_subprocess::PdfSubprocess;
pub use self::progress::ReadProgress;
use self::search::Search;
use self::snapshot::Snapshot;
use self::update::UpdateTask;
pub use self::vectors::{QueryVector, UnencodedPassages};
use self::words::Dictionaries;

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
            depth: 32,
            files: 500_000,
            bytes: 64 << 30,
            threads: cores.min(8),
            document: extract::ExtractLimits::default(),
        }
    }
}

/// Why a library cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
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
    /// The index was written by a newer program.
    #[error("the index {} has the form {form}, which this version of Fathom does not know; use a newer version, or another FATHOM_HOME", path.display())]
    Newer {
        /// Of the index.
        path: PathBuf,
        /// The number of its form.
        form: u32,
    },
    /// The index cannot be read or written.
    #[error("the index {} cannot be used: {why}", path.display())]
    Index {
        /// Of the index.
        path: PathBuf,
        /// In a sentence.
        why: String,
    },
}

/// Why a document cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ReadDocumentError {
    /// The library has no document of that name.
    #[error("\"{name}\" is not in the library")]
    Missing {
        /// As it was asked for.
        name: String,
    },
    /// The file has gone, grown over the limit or been closed to us since it was indexed.
    #[error("\"{name}\" cannot be read: {why}")]
    Unreadable {
        /// As it was asked for.
        name: String,
        /// In a sentence that says what to do.
        why: String,
    },
    /// The index itself fails.
    #[error(transparent)]
    Library(#[from] LibraryError),
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

/// How much a library holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LibraryCounts {
    /// Files whose text is searched.
    pub documents: usize,
    /// Files that were left out.
    pub skipped: usize,
    /// Passages of all texts.
    pub passages: usize,
    /// Passages that have a vector.
    pub vectors: usize,
    /// Bytes of all texts.
    pub bytes: u64,
    /// Whether all files have been read once.
    pub complete: bool,
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
    /// The page it begins on, where its document has pages.
    pub page: Option<u32>,
    /// Its words.
    pub text: String,
    /// How well its words fit; comparable within one search only.
    pub score: f32,
    /// How near it is to the query in meaning, where there is a vector of it.
    pub similarity: Option<f32>,
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

/// Whether an update was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// The index is as the files are.
    Updated,
    /// Another process is updating it.
    Busy,
}

/// Documents with their index. Several processes may have the same one open; one at a time updates it.
pub struct DocumentLibrary {
    file: IndexFile,
    reading: Mutex<Reading>,
    limits: LibraryLimits,
    called: BTreeMap<PathBuf, String>,
}

struct Reading {
    connection: Connection,
    snapshot: Arc<Snapshot>,
}

impl DocumentLibrary {
    /// Opens the index in this folder as it is, or makes an empty one.
    pub fn open(index: &Path, limits: LibraryLimits) -> Result<Self, LibraryError> {
        let file = IndexFile::open(index)?;
        let connection = file.connect()?;
        let snapshot = Snapshot {
            // None that an index has.
            generation: -1,
            ..Snapshot::default()
        };
        Ok(Self {
            file,
            reading: Mutex::new(Reading {
                connection,
                snapshot: Arc::new(snapshot),
            }),
            limits,
            called: BTreeMap::new(),
        })
    }

    /// Deletes the index in this folder, whatever its form; false while another process writes to it.
    pub fn delete(index: &Path) -> Result<bool, LibraryError> {
        IndexFile::delete(index)
    }

    /// With names for files, by their real paths, that are not to be called by where they lie: pages by their address.
    #[must_use]
    pub fn calling(self, called: BTreeMap<PathBuf, String>) -> Self {
        Self { called, ..self }
    }

    /// Reads what is new or has changed under the folders and among the single files, and forgets what is gone. What was
    /// read is kept when it is cancelled.
    pub fn update(
        &self,
        roots: &[PathBuf],
        reader: &dyn DocumentReader,
        progress: &ReadProgress,
        cancelled: &AtomicBool,
    ) -> Result<UpdateOutcome, LibraryError> {
        let Some(_lock) = self.file.lock()? else {
            return Ok(UpdateOutcome::Busy);
        };
        let task = UpdateTask {
            file: &self.file,
            roots,
            called: &self.called,
            limits: &self.limits,
            reader,
            progress,
            cancelled,
        };
        task.run()?;
        Ok(UpdateOutcome::Updated)
    }

    /// By name.
    pub fn documents(&self) -> Result<Vec<LibraryDocument>, LibraryError> {
        self.read_index(|connection, _| {
            let mut rows = connection.prepare_cached(
                "SELECT name, title, words FROM files JOIN texts ON texts.id = files.text ORDER BY name",
            )?;
            let rows = rows.query_map([], |row| {
                let (name, title): (String, Option<String>) = (row.get(0)?, row.get(1)?);
                Ok(LibraryDocument {
                    title: title.unwrap_or_else(|| stem(&name)),
                    name,
                    words: row.get::<_, i64>(2)? as usize,
                })
            })?;
            rows.collect()
        })
    }

    /// Files that were left out, and why.
    pub fn skipped(&self) -> Result<Vec<SkippedFile>, LibraryError> {
        self.read_index(|connection, _| {
            let mut skipped = update::left_out(connection)?;
            let wanted = "SELECT name, why FROM files WHERE why IS NOT NULL ORDER BY name";
            let mut unread = connection.prepare_cached(wanted)?;
            let unread = unread.query_map([], |row| {
                Ok(SkippedFile {
                    name: row.get(0)?,
                    why: row.get(1)?,
                    files: 1,
                })
            })?;
            for one in unread {
                skipped.push(one?);
            }
            Ok(skipped)
        })
    }

    /// How much there is.
    pub fn counts(&self) -> Result<LibraryCounts, LibraryError> {
        self.read_index(|connection, snapshot| {
            let number = |wanted: &str| -> rusqlite::Result<i64> {
                connection
                    .prepare_cached(wanted)?
                    .query_row([], |row| row.get(0))
            };
            let unread = number("SELECT count(*) FROM files WHERE text IS NULL")?;
            let left_out = number("SELECT coalesce(sum(files), 0) FROM left_out")?;
            Ok(LibraryCounts {
                documents: number("SELECT count(text) FROM files")? as usize,
                skipped: (unread + left_out) as usize,
                passages: snapshot.passages(),
                vectors: vectors::count(connection)? as usize,
                bytes: number("SELECT coalesce(sum(bytes), 0) FROM texts")? as u64,
                complete: Fact::Complete.get(connection)? == 1,
            })
        })
    }

    /// The passages that fit the query best, best first: by their words, and by their meaning where the query comes as a vector
    /// too and passages have vectors of the same model. `terms` are words that documents may have for
    /// those of the query, and count half.
    pub fn search(
        &self,
        query: &str,
        terms: &str,
        vector: Option<&QueryVector>,
        limit: usize,
    ) -> Result<Vec<LibraryPassage>, LibraryError> {
        self.read_index(|connection, snapshot| {
            Search::new(connection, snapshot).best(query, terms, vector, limit)
        })
    }

    /// Passages that have no vector of a model, so many blocks of them at most.
    pub fn unencoded(
        &self,
        model: &str,
        blocks: usize,
    ) -> Result<Vec<UnencodedPassages>, LibraryError> {
        self.read_index(|connection, _| vectors::unencoded(connection, model, blocks))
    }

    /// Keeps the vectors of passages, one of length 1 for each text.
    pub fn keep_vectors(
        &self,
        model: &str,
        passages: &UnencodedPassages,
        encoded: &[Vec<f32>],
    ) -> Result<(), LibraryError> {
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        self.file
            .told(vectors::keep(&reading.connection, model, passages, encoded))
    }

    /// How often each of these words occurs, in any of its forms.
    pub fn mentions(&self, words: &[String]) -> Result<Vec<WordMention>, LibraryError> {
        self.read_index(|connection, snapshot| {
            let dictionaries = Dictionaries {
                connection,
                snapshot,
            };
            dictionaries.mentions(words)
        })
    }

    /// A document's bytes as they are on the disk now.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ReadDocumentError> {
        let path = self.read_index(|connection, _| {
            let wanted = "SELECT path FROM files WHERE name = ?1 AND text IS NOT NULL";
            let mut wanted = connection.prepare_cached(wanted)?;
            let path = wanted.query_row([name], |row| {
                Ok(update::path_of(row.get_ref(0)?.as_blob()?))
            });
            path.optional()
        })?;
        let missing = || ReadDocumentError::Missing {
            name: name.to_owned(),
        };
        read::bytes(&path.ok_or_else(missing)?, &self.limits).map_err(|why| {
            ReadDocumentError::Unreadable {
                name: name.to_owned(),
                why,
            }
        })
    }

    /// Reads the index at one moment, whatever is written meanwhile.
    fn read_index<T>(
        &self,
        work: impl FnOnce(&Connection, &Snapshot) -> rusqlite::Result<T>,
    ) -> Result<T, LibraryError> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let Reading {
            connection,
            snapshot,
        } = &mut *reading;
        let read = || {
            let moment = connection.unchecked_transaction()?;
            if Fact::Generation.get(&moment)? != snapshot.generation {
                *snapshot = Arc::new(Snapshot::load(&moment)?);
            }
            work(&moment, snapshot)
        };
        self.file.told(read())
    }
}

/// The name of a file without folders and ending.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
