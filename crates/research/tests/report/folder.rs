//! A folder of documents as a library, whose passages are ranked by their words.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use fathom_evidence::Language;
use fathom_evidence::extract::{self, FormatHint};
use fathom_evidence::locate::{LocateSettings, PassageCandidate, PassageEntry, PassageIndex};
use fathom_evidence::passage::{PassageSettings, passages};
use fathom_research::Settings;
use fathom_research::library::{
    Libraries, Library, LibraryFault, LibraryStock, LocalPassage, WordMention,
};

pub struct Folder {
    root: PathBuf,
    documents: usize,
    index: PassageIndex,
}

/// Opens the example library, whatever folders are named.
#[derive(Default)]
pub struct Examples(OnceLock<Arc<Folder>>);

#[async_trait]
impl Libraries for Examples {
    fn open(&self, _: &[PathBuf]) -> Arc<dyn Library> {
        self.0.get_or_init(|| Arc::new(Folder::examples())).clone()
    }

    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf> {
        Ok(root.to_owned())
    }

    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, LibraryFault> {
        std::fs::read(path).map_err(|error| LibraryFault::Unreadable {
            name: path.display().to_string(),
            why: error.to_string(),
        })
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
        let read = |name: &String| {
            let hint = FormatHint {
                file_name: Some(name),
                ..FormatHint::default()
            };
            let document = extract::read(&std::fs::read(root.join(name)).unwrap(), &hint).unwrap();
            let cut = passages(&document, &PassageSettings::default());
            PassageEntry::from_document(name, &document, &cut)
        };
        let entries = names.iter().flat_map(read).collect();
        Self {
            documents: names.len(),
            index: PassageIndex::new(entries, Language::ENGLISH),
            root,
        }
    }
}

#[async_trait]
impl Library for Folder {
    async fn search(
        &self,
        query: &str,
        terms: &str,
        limit: usize,
    ) -> Result<Vec<LocalPassage>, LibraryFault> {
        let settings = LocateSettings {
            per_query_top_n: limit,
            top_k: limit,
            ..LocateSettings::default()
        };
        let found = self
            .index
            .locate(format!("{query} {terms}").as_str(), &settings);
        let passage = |one: &PassageCandidate| {
            let entry = &self.index.entries()[one.place];
            LocalPassage {
                name: entry.key.source.clone(),
                title: entry.title.to_string(),
                sections: entry.sections.clone(),
                passage: entry.key.passage.clone(),
                text: entry.text.clone(),
                page: None,
                score: one.by_words(),
                similarity: None,
            }
        };
        Ok(found.iter().map(passage).collect())
    }

    async fn mentions(&self, words: &[String]) -> Result<Vec<WordMention>, LibraryFault> {
        let entries = self.index.entries();
        let mention = |word: &String| WordMention {
            word: word.clone(),
            passages: entries
                .iter()
                .filter(|entry| entry.text.contains(word))
                .count(),
            of: entries.len(),
            as_written: true,
            nearest: None,
        };
        Ok(words.iter().map(mention).collect())
    }

    async fn stock(&self) -> Result<LibraryStock, LibraryFault> {
        Ok(LibraryStock {
            documents: self.documents,
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
