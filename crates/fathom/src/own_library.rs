//! A person's own documents as a workflow sees them: the store's folders behind the method's trait.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fathom_evidence::extract::CancelOnDrop;
use fathom_research::library::{Libraries, Library, LibraryFault, LibraryStock, LocalHit};
use fathom_store::library::{
    DocumentLibrary, LibraryLimits, OpenLibraryError, ReadDocumentError, ReadProgress,
};
use tokio::sync::OnceCell;

use crate::pdf_subprocess::PdfSubprocess;

/// The libraries of this process, each opened once, whoever asks for its folders.
#[derive(Default)]
pub struct OwnLibraries(Mutex<HashMap<Vec<PathBuf>, Arc<OwnLibrary>>>);

impl OwnLibraries {
    /// The library of these folders; they are read when it is first searched.
    pub fn get(&self, roots: &[PathBuf]) -> Arc<OwnLibrary> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = open.entry(roots.to_vec());
        Arc::clone(opened.or_insert_with(|| Arc::new(OwnLibrary::new(roots.to_vec()))))
    }
}

impl Libraries for OwnLibraries {
    fn open(&self, roots: &[PathBuf]) -> Arc<dyn Library> {
        self.get(roots)
    }
}

/// Folders that are read when somebody first searches them: to replay or to look at a run takes no reading.
pub struct OwnLibrary {
    roots: Vec<PathBuf>,
    folder: OnceCell<Arc<DocumentLibrary>>,
    progress: Arc<ReadProgress>,
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
                let limits = LibraryLimits::default();
                DocumentLibrary::open_within(&roots, limits, &reader, &progress)
            });
            match reading.await {
                Ok(folder) => folder.map(Arc::new),
                Err(error) => Err(OpenLibraryError::Unreadable {
                    path: self.roots.first().cloned().unwrap_or_default(),
                    source: std::io::Error::other(error),
                }),
            }
        });
        opened.await.map(Arc::clone)
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
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<LocalHit>, LibraryFault> {
        let query = query.to_owned();
        let search = move |folder: &DocumentLibrary| {
            let found = folder.search(&query, limit).into_iter();
            let hits = found.map(|found| LocalHit {
                name: found.name,
                title: found.title,
                snippet: found.snippet,
                relevance: found.relevance,
            });
            Ok(hits.collect())
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
