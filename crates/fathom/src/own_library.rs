//! A person's own documents as a workflow sees them: the store's folders behind the method's trait.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fathom_evidence::extract::ExtractLimits;
use fathom_research::Encoder;
use fathom_research::library::{
    Libraries, Library, LibraryFault, LibraryStock, LocalPassage, WordMention,
};
use fathom_store::library::{
    DocumentLibrary, LibraryError, LibraryLimits, PdfSubprocess, ReadDocumentError, ReadProgress,
    UpdateOutcome,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::library_list::LibraryList;
use crate::{library_pages, library_vectors, unnamed_indexes};

/// A library that was used within this time is not looked at for changes: a run keeps to what it began with. One that is
/// always in use is looked at when it has been open for `KEPT_FOR`.
const FRESH_FOR: Duration = Duration::from_secs(60);

/// A library that nobody used for this time is let go.
const KEPT_FOR: Duration = Duration::from_secs(600);

/// Between two looks at an index that another process is filling for the first time.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The libraries of this process, each opened once for all who name its folders, and looked at for changes now and then.
pub struct OwnLibraries {
    home: PathBuf,
    encoder: OnceLock<Arc<Encoder>>,
    kept: Mutex<HashMap<Vec<PathBuf>, KeptLibrary>>,
}

struct KeptLibrary {
    library: Arc<OwnLibrary>,
    opened: Instant,
    used: Instant,
}

impl KeptLibrary {
    /// Whether it is as it is on the disk, as far as a run in progress may know.
    fn is_fresh(&self, now: Instant) -> bool {
        now.duration_since(self.used) < FRESH_FOR && now.duration_since(self.opened) < KEPT_FOR
    }
}

impl OwnLibraries {
    /// Their indexes lie in this data folder.
    pub fn new(home: PathBuf) -> Self {
        Self {
            home,
            encoder: OnceLock::new(),
            kept: Mutex::default(),
        }
    }

    /// From now on libraries that have vectors are searched by meaning too.
    pub fn use_encoder(&self, encoder: Arc<Encoder>) {
        // The first is as good as the next: a process has one.
        let _ = self.encoder.set(encoder);
    }

    /// The library of these folders; they are looked at when it is first searched.
    pub fn get(&self, roots: &[PathBuf]) -> Arc<OwnLibrary> {
        let mut open = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        open.retain(|_, kept| now.duration_since(kept.used) < KEPT_FOR);
        let kept = match open.entry(roots.to_vec()) {
            Entry::Occupied(kept) if kept.get().is_fresh(now) => kept.into_mut(),
            entry => entry
                .insert_entry(KeptLibrary {
                    library: Arc::new(OwnLibrary {
                        encoder: self.encoder.get().cloned(),
                        ..OwnLibrary::new(&self.home, roots.to_vec())
                    }),
                    opened: now,
                    used: now,
                })
                .into_mut(),
        };
        kept.used = now;
        Arc::clone(&kept.library)
    }

    /// Lets go of the libraries that hold this folder, so that who opens one next sees what has changed in it. Runs under
    /// way keep to what they began with.
    pub fn look_anew(&self, folder: &Path) {
        let mut open = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|roots, _| !roots.iter().any(|root| root == folder));
    }
}

#[async_trait]
impl Libraries for OwnLibraries {
    fn open(&self, roots: &[PathBuf]) -> Arc<dyn Library> {
        self.get(roots)
    }

    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf> {
        std::path::absolute(root)
    }

    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, LibraryFault> {
        let name = path.display().to_string();
        let unreadable = |why: String| LibraryFault::Unreadable { name, why };
        let limit = ExtractLimits::default().document_max_bytes as u64;
        // A file that is too large is refused before it fills the memory.
        match tokio::fs::metadata(path).await {
            Ok(about) if about.is_dir() => Err(unreadable("it is a folder".to_owned())),
            Ok(about) if about.len() > limit => {
                let bytes = about.len();
                Err(unreadable(format!(
                    "it has {bytes} bytes and {limit} are allowed"
                )))
            }
            Ok(_) => {
                let read = tokio::fs::read(path).await;
                read.map_err(|error| unreadable(error.to_string()))
            }
            Err(error) => Err(unreadable(error.to_string())),
        }
    }
}

/// Folders whose index is brought up to date when somebody first searches them: to replay or to look at a run takes no
/// reading.
pub struct OwnLibrary {
    home: PathBuf,
    roots: Vec<PathBuf>,
    opened: OnceCell<Arc<DocumentLibrary>>,
    progress: Arc<ReadProgress>,
    stopped: Arc<AtomicBool>,
    encoder: Option<Arc<Encoder>>,
}

impl OwnLibrary {
    pub fn new(home: &Path, roots: Vec<PathBuf>) -> Self {
        Self {
            home: home.to_owned(),
            roots,
            opened: OnceCell::new(),
            progress: Arc::default(),
            stopped: Arc::default(),
            encoder: None,
        }
    }

    /// The documents, up to date. While another process reads them, they are as far as it has come; but a library that was
    /// never read as a whole is waited for.
    pub async fn documents(&self) -> Result<Arc<DocumentLibrary>, LibraryError> {
        let opened = self.opened.get_or_try_init(|| async {
            let (home, roots) = (self.home.clone(), self.roots.clone());
            let progress = Arc::clone(&self.progress);
            self.stopped.store(false, Ordering::Relaxed);
            // Nothing is read any more once nobody waits for it.
            let _stop = StopOnDrop(Arc::clone(&self.stopped));
            let stopped = Arc::clone(&self.stopped);
            let reading =
                tokio::task::spawn_blocking(move || updated(&home, &roots, &progress, &stopped));
            match reading.await {
                Ok(read) => read,
                Err(error) => Err(LibraryError::Unreadable {
                    path: self.roots.first().cloned().unwrap_or_default(),
                    source: std::io::Error::other(error),
                }),
            }
        });
        opened.await.map(Arc::clone)
    }

    /// Ends the reading; what was read is kept.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// How far the reading has come.
    pub fn progress(&self) -> &ReadProgress {
        &self.progress
    }

    /// Does something with the documents that waits for the disk or takes time.
    async fn with<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&DocumentLibrary) -> Result<T, ReadDocumentError> + Send + 'static,
    ) -> Result<T, LibraryFault> {
        let unreadable = |why: String| LibraryFault::Unreadable {
            name: name.to_owned(),
            why,
        };
        let documents = self.documents().await;
        let documents = documents.map_err(|fault| unreadable(fault.to_string()))?;
        let working = tokio::task::spawn_blocking(move || work(&documents)).await;
        let done = working.map_err(|error| unreadable(error.to_string()))?;
        done.map_err(|fault| match fault {
            ReadDocumentError::Missing { name } => LibraryFault::Missing { name },
            ReadDocumentError::Unreadable { name, why } => LibraryFault::Unreadable { name, why },
            ReadDocumentError::Library(fault) => unreadable(fault.to_string()),
        })
    }
}

#[async_trait]
impl Library for OwnLibrary {
    async fn search(
        &self,
        query: &str,
        terms: &str,
        limit: usize,
    ) -> Result<Vec<LocalPassage>, LibraryFault> {
        let vector = match self.documents().await {
            Ok(documents) => {
                library_vectors::of_query(&documents, self.encoder.as_deref(), query).await
            }
            // Told below.
            Err(_) => None,
        };
        let (query, terms) = (query.to_owned(), terms.to_owned());
        let search = move |documents: &DocumentLibrary| {
            let found = documents.search(&query, &terms, vector.as_ref(), limit)?;
            let found = found.into_iter();
            let passages = found.map(|found| LocalPassage {
                name: found.name,
                title: found.title,
                sections: found.sections,
                passage: found.passage,
                text: found.text,
                page: found.page,
                score: found.score,
                similarity: found.similarity,
            });
            Ok(passages.collect())
        };
        self.with("library", search).await
    }

    async fn stock(&self) -> Result<LibraryStock, LibraryFault> {
        let stock = |documents: &DocumentLibrary| {
            let counts = documents.counts()?;
            Ok(LibraryStock {
                documents: counts.documents,
                skipped: counts.skipped,
            })
        };
        self.with("library", stock).await
    }

    async fn mentions(&self, words: &[String]) -> Result<Vec<WordMention>, LibraryFault> {
        let words = words.to_vec();
        let mentions = move |documents: &DocumentLibrary| {
            let found = documents.mentions(&words)?.into_iter();
            let mentions = found.map(|found| WordMention {
                word: found.word,
                passages: found.passages,
                of: found.of,
                as_written: found.as_written,
                nearest: found.nearest,
            });
            Ok(mentions.collect())
        };
        self.with("library", mentions).await
    }

    async fn read(&self, name: &str) -> Result<Vec<u8>, LibraryFault> {
        let wanted = name.to_owned();
        let read = move |documents: &DocumentLibrary| documents.read(&wanted);
        self.with(name, read).await
    }
}

/// Sets its flag when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn updated(
    home: &Path,
    roots: &[PathBuf],
    progress: &ReadProgress,
    stopped: &Arc<AtomicBool>,
) -> Result<Arc<DocumentLibrary>, LibraryError> {
    // A list that cannot be read costs the names of libraries, not the documents.
    let list = LibraryList::load(home).unwrap_or_default();
    let index = list.index_folder(home, roots);
    unnamed_indexes::note_use(home, &index, roots);
    let documents = DocumentLibrary::open(&index, LibraryLimits::default())?;
    let documents = documents.calling(library_pages::addresses(home, roots));
    let reader = PdfSubprocess::until(Arc::clone(stopped));
    while documents.update(roots, &reader, progress, stopped)? == UpdateOutcome::Busy {
        if documents.counts()?.complete || stopped.load(Ordering::Relaxed) {
            break;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(Arc::new(documents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_library_is_looked_at_for_changes_now_and_then_and_let_go_when_nobody_uses_it() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let add = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        add("one.md", "Trees cool the air in summer.");
        let libraries = OwnLibraries::new(home.path().to_owned());
        let roots = [folder.path().to_owned()];
        let documents = async |library: Arc<OwnLibrary>| {
            library
                .documents()
                .await
                .unwrap()
                .counts()
                .unwrap()
                .documents
        };
        let first = libraries.get(&roots);
        assert_eq!(documents(Arc::clone(&first)).await, 1);
        add("two.md", "Shade cools the street at noon.");
        assert!(
            Arc::ptr_eq(&first, &libraries.get(&roots)),
            "a run keeps to what it began with"
        );
        tokio::time::advance(FRESH_FOR).await;
        let second = libraries.get(&roots);
        assert_eq!(documents(Arc::clone(&second)).await, 2);
        let weak = Arc::downgrade(&second);
        drop(second);
        tokio::time::advance(KEPT_FOR).await;
        libraries.get(&[folder.path().join("other")]);
        assert!(weak.upgrade().is_none());
    }
}
