//! A person's own documents as a workflow sees them: the store's folders behind the method's trait.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fathom_evidence::extract::{CancelOnDrop, ExtractLimits};
use fathom_research::library::{
    Libraries, Library, LibraryFault, LibraryStock, LocalPassage, WordMention,
};
use fathom_store::library::{
    self, DocumentLibrary, LibraryLimits, LibraryStamp, OpenLibraryError, ReadDocumentError,
    ReadProgress,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use fathom_store::library::PdfSubprocess;

/// A library that was used within this time is not looked at for changes: a run keeps to what it began with.
const FRESH_FOR: Duration = Duration::from_secs(60);

/// A library that nobody used for this time is let go.
const KEPT_FOR: Duration = Duration::from_secs(600);

/// The libraries of this process, each read once for all who name its folders, and again when its files have changed.
#[derive(Default)]
pub struct OwnLibraries(Mutex<HashMap<Vec<PathBuf>, KeptLibrary>>);

struct KeptLibrary {
    library: Arc<OwnLibrary>,
    used: Instant,
}

impl OwnLibraries {
    /// The library of these folders; they are read when it is first searched.
    pub fn get(&self, roots: &[PathBuf]) -> Arc<OwnLibrary> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        open.retain(|_, kept| now.duration_since(kept.used) < KEPT_FOR);
        let outdated = |kept: &KeptLibrary| {
            now.duration_since(kept.used) >= FRESH_FOR && kept.library.is_outdated()
        };
        let kept = match open.entry(roots.to_vec()) {
            Entry::Occupied(kept) if !outdated(kept.get()) => kept.into_mut(),
            entry => entry
                .insert_entry(KeptLibrary {
                    library: Arc::new(OwnLibrary::new(roots.to_vec())),
                    used: now,
                })
                .into_mut(),
        };
        kept.used = now;
        Arc::clone(&kept.library)
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

/// Folders that are read when somebody first searches them: to replay or to look at a run takes no reading.
pub struct OwnLibrary {
    roots: Vec<PathBuf>,
    folder: OnceCell<ReadFolders>,
    progress: Arc<ReadProgress>,
}

/// Folders as they were when they were read.
struct ReadFolders {
    library: Arc<DocumentLibrary>,
    /// Taken before the reading; nothing where it could not be taken.
    stamp: Option<LibraryStamp>,
}

impl OwnLibrary {
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Self {
            roots,
            folder: OnceCell::new(),
            progress: Arc::default(),
        }
    }

    /// The folders with their documents, read now if they were not.
    pub async fn folder(&self) -> Result<Arc<DocumentLibrary>, OpenLibraryError> {
        let roots = self.roots.clone();
        let opened = self.folder.get_or_try_init(|| async {
            // Nothing is read any more once nobody waits for it.
            let waiting = CancelOnDrop::default();
            let reader = PdfSubprocess::until(waiting.flag());
            let progress = Arc::clone(&self.progress);
            let reading = tokio::task::spawn_blocking(move || {
                let stamp = library::stamp(&roots).ok();
                let limits = LibraryLimits::default();
                let library = DocumentLibrary::open_within(&roots, limits, &reader, &progress)?;
                let library = Arc::new(library);
                Ok(ReadFolders { library, stamp })
            });
            match reading.await {
                Ok(read) => read,
                Err(error) => Err(OpenLibraryError::Unreadable {
                    path: self.roots.first().cloned().unwrap_or_default(),
                    source: std::io::Error::other(error),
                }),
            }
        });
        opened.await.map(|read| Arc::clone(&read.library))
    }

    /// Whether files were added, removed or written to since the folders were read.
    fn is_outdated(&self) -> bool {
        let read = self.folder.get();
        read.is_some_and(|read| read.stamp != library::stamp(&self.roots).ok())
    }

    /// How far the reading has come.
    pub fn progress(&self) -> &ReadProgress {
        &self.progress
    }

    /// Does something with the folders that waits for the disk or takes time.
    async fn with<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&DocumentLibrary) -> Result<T, LibraryFault> + Send + 'static,
    ) -> Result<T, LibraryFault> {
        let unreadable = |why: String| LibraryFault::Unreadable {
            name: name.to_owned(),
            why,
        };
        let folder = self.folder().await;
        let folder = folder.map_err(|fault| unreadable(fault.to_string()))?;
        let working = tokio::task::spawn_blocking(move || work(&folder)).await;
        working.unwrap_or_else(|error| Err(unreadable(error.to_string())))
    }
}

#[async_trait]
impl Library for OwnLibrary {
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<LocalPassage>, LibraryFault> {
        let query = query.to_owned();
        let search = move |folder: &DocumentLibrary| {
            let found = folder.search(&query, limit).into_iter();
            let passages = found.map(|found| LocalPassage {
                name: found.name,
                title: found.title,
                sections: found.sections,
                passage: found.passage,
                text: found.text,
                page: None,
                score: found.score,
                similarity: None,
            });
            Ok(passages.collect())
        };
        self.with("library", search).await
    }

    async fn stock(&self) -> Result<LibraryStock, LibraryFault> {
        let stock = |folder: &DocumentLibrary| {
            Ok(LibraryStock {
                documents: folder.documents().len(),
                skipped: folder.files_skipped(),
            })
        };
        self.with("library", stock).await
    }

    async fn mentions(&self, words: &[String]) -> Result<Vec<WordMention>, LibraryFault> {
        let words = words.to_vec();
        let mentions = move |folder: &DocumentLibrary| {
            let found = folder.mentions(&words).into_iter();
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
        let read = move |folder: &DocumentLibrary| {
            folder.read(&wanted).map_err(|fault| match fault {
                ReadDocumentError::Missing { name } => LibraryFault::Missing { name },
                ReadDocumentError::Unreadable { name, why } => {
                    LibraryFault::Unreadable { name, why }
                }
            })
        };
        self.with(name, read).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_library_is_read_again_when_its_files_have_changed_and_let_go_when_nobody_uses_it() {
        let folder = tempfile::tempdir().unwrap();
        let add = |name: &str| {
            std::fs::write(folder.path().join(name), "Trees cool the air in summer.").unwrap();
        };
        add("one.md");
        let libraries = OwnLibraries::default();
        let roots = [folder.path().to_owned()];
        let documents =
            async |library: Arc<OwnLibrary>| library.folder().await.unwrap().documents().len();
        let first = libraries.get(&roots);
        assert_eq!(documents(Arc::clone(&first)).await, 1);
        add("two.md");
        assert!(
            Arc::ptr_eq(&first, &libraries.get(&roots)),
            "a run keeps to what it began with"
        );
        tokio::time::advance(FRESH_FOR).await;
        let second = libraries.get(&roots);
        assert_eq!(documents(Arc::clone(&second)).await, 2);
        tokio::time::advance(FRESH_FOR).await;
        assert!(
            Arc::ptr_eq(&second, &libraries.get(&roots)),
            "nothing has changed"
        );
        let weak = Arc::downgrade(&second);
        drop(second);
        tokio::time::advance(KEPT_FOR).await;
        libraries.get(&[folder.path().join("other")]);
        assert!(weak.upgrade().is_none());
    }
}
