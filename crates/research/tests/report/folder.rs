//! A folder of documents as a library, searched by the words of each document.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use fathom_evidence::bm25::{Bm25, Bm25Settings};
use fathom_evidence::extract::{self, FormatHint};
use fathom_evidence::{Document, Language};
use fathom_research::Settings;
use fathom_research::library::{Libraries, Library, LibraryFault, LibraryStock, LocalHit};

pub struct Folder {
    root: PathBuf,
    documents: Vec<(String, Document)>,
    index: Bm25,
}

/// Opens the example library, whatever folders are named.
#[derive(Default)]
pub struct Examples(OnceLock<Arc<Folder>>);

impl Libraries for Examples {
    fn open(&self, _: &[PathBuf]) -> Arc<dyn Library> {
        self.0.get_or_init(|| Arc::new(Folder::examples())).clone()
    }

    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf> {
        Ok(root.to_owned())
    }
}

/// Settings of a run over the example library.
pub fn on_examples(settings: Settings) -> Settings {
    Settings {
        library: vec!["examples/street-trees".into()],
        ..settings
    }
}

impl Folder {
    fn examples() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/street-trees");
        let mut names: Vec<String> = std::fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let read = |name: String| {
            let hint = FormatHint {
                file_name: Some(&name),
                ..FormatHint::default()
            };
            let document = extract::read(&std::fs::read(root.join(&name)).unwrap(), &hint).unwrap();
            (name, document)
        };
        let documents: Vec<(String, Document)> = names.into_iter().map(read).collect();
        let texts = documents.iter().map(|(_, document)| &document.text);
        let index = Bm25::build(texts, Language::ENGLISH, &Bm25Settings::default());
        Self {
            root,
            documents,
            index,
        }
    }
}

#[async_trait]
impl Library for Folder {
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<LocalHit>, LibraryFault> {
        let hits = self.index.search(query, limit);
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let hit = |hit: &fathom_evidence::Hit| {
            let (name, document) = &self.documents[hit.doc];
            LocalHit {
                name: name.clone(),
                title: document.about.title.clone().unwrap_or_default(),
                snippet: document.text.chars().take(200).collect(),
                relevance: f64::from(hit.score / best),
            }
        };
        Ok(hits.iter().map(hit).collect())
    }

    async fn stock(&self) -> Result<LibraryStock, LibraryFault> {
        Ok(LibraryStock {
            documents: self.documents.len(),
            skipped: 0,
        })
    }

    async fn read(&self, name: &str) -> Result<Vec<u8>, LibraryFault> {
        std::fs::read(self.root.join(name)).map_err(|error| LibraryFault::Unreadable {
            name: name.to_owned(),
            why: error.to_string(),
        })
    }
}
