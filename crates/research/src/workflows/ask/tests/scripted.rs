//! A library that does as it is told, and a host over it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fathom_evidence::extract::InProcessReader;
use fathom_render::Answer;
use fathom_workflow::{Host, ManualClock, MemoryStore, NewRun, RunId, Runtime, RuntimeSettings};
use serde_json::json;

use crate::library::{Libraries, Library, LibraryFault, LibraryStock, LocalPassage, WordMention};
use crate::reasoner::Reasoners;
use crate::workflows::ask::{AskWorkflow, NAME};
use crate::{DocumentCache, ServiceFaults, Services};

/// A passage of a file, with nothing but its words.
pub(in crate::workflows::ask) fn passage(name: &str, text: &str) -> LocalPassage {
    LocalPassage {
        name: name.to_owned(),
        title: String::new(),
        sections: Vec::new(),
        passage: serde_json::from_value(json!(name)).unwrap(),
        text: text.to_owned(),
        page: None,
        score: 1.0,
        similarity: None,
    }
}

/// What a search does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchScript {
    /// Gives all passages.
    Answers,
    /// Uses the run's time up and never returns.
    Hangs,
    /// Gives all passages the first time, and hangs from then on.
    HangsLater,
    /// Cannot be read.
    Fails,
}

/// A library of a few passages that counts how often it is searched.
pub(super) struct ScriptedLibrary {
    pub(super) passages: Vec<LocalPassage>,
    pub(super) script: SearchScript,
    pub(super) queries: Mutex<Vec<String>>,
    pub(super) searches: AtomicUsize,
    pub(super) clock: Arc<ManualClock>,
}

#[async_trait]
impl Library for ScriptedLibrary {
    async fn search(
        &self,
        query: &str,
        _terms: &str,
        limit: usize,
    ) -> Result<Vec<LocalPassage>, LibraryFault> {
        let before = self.searches.fetch_add(1, Ordering::SeqCst);
        self.queries.lock().unwrap().push(query.to_owned());
        let hangs = match self.script {
            SearchScript::Answers => false,
            SearchScript::Hangs => true,
            SearchScript::HangsLater => before > 0,
            SearchScript::Fails => {
                let (name, why) = ("library".to_owned(), "the disk is gone".to_owned());
                return Err(LibraryFault::Unreadable { name, why });
            }
        };
        if hangs {
            self.clock.advance(Duration::from_secs(61));
            std::future::pending::<()>().await;
        }
        Ok(self.passages.iter().take(limit).cloned().collect())
    }

    async fn mentions(&self, words: &[String]) -> Result<Vec<WordMention>, LibraryFault> {
        let lower = |text: &str| text.to_lowercase();
        let mention = |word: &String| WordMention {
            word: word.clone(),
            passages: self
                .passages
                .iter()
                .filter(|one| lower(&one.text).contains(&lower(word)))
                .count(),
            of: self.passages.len(),
            as_written: self.passages.iter().any(|one| one.text.contains(word)),
            nearest: None,
        };
        Ok(words.iter().map(mention).collect())
    }

    async fn stock(&self) -> Result<LibraryStock, LibraryFault> {
        Ok(LibraryStock {
            documents: self.passages.len(),
            skipped: 0,
        })
    }

    async fn read(&self, name: &str) -> Result<Vec<u8>, LibraryFault> {
        let found = self.passages.iter().find(|one| one.name == name);
        match found {
            Some(one) => Ok(format!("\n\n{}\n", one.text).into_bytes()),
            None => Err(LibraryFault::Missing {
                name: name.to_owned(),
            }),
        }
    }
}

struct OneLibrary(Arc<ScriptedLibrary>);

#[async_trait]
impl Libraries for OneLibrary {
    fn open(&self, _: &[PathBuf]) -> Arc<dyn Library> {
        Arc::clone(&self.0) as _
    }

    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf> {
        Ok(root.to_owned())
    }

    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, LibraryFault> {
        Err(LibraryFault::Missing {
            name: path.display().to_string(),
        })
    }
}

/// A host whose runs ask one library.
pub(super) struct AskWorld {
    pub(super) host: Host,
    pub(super) library: Arc<ScriptedLibrary>,
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
}

impl AskWorld {
    pub(super) fn new(script: SearchScript, texts: &[&str]) -> Self {
        let clock = Arc::new(ManualClock::at("2026-11-18T12:00:00Z".parse().unwrap()));
        let named = texts.iter().enumerate();
        let library = Arc::new(ScriptedLibrary {
            passages: named
                .map(|(nth, text)| passage(&format!("{nth}.md"), text))
                .collect(),
            script,
            queries: Mutex::default(),
            searches: AtomicUsize::new(0),
            clock: Arc::clone(&clock),
        });
        let store = Arc::new(MemoryStore::with_clock(clock.clone()));
        let host = host(&store, &library, &clock);
        Self {
            host,
            library,
            store,
            clock,
        }
    }

    /// Another process on the same store.
    pub(super) fn restarted(&self) -> Host {
        host(&self.store, &self.library, &self.clock)
    }

    pub(super) async fn start(&self, input: serde_json::Value) -> RunId {
        let new = NewRun::untitled();
        self.host.start(NAME, new, input).await.unwrap()
    }

    /// Asks, and gives what the run ended in.
    pub(super) async fn ask(&self, question: &str) -> Answer {
        let run = self.start(input(question)).await;
        self.host.run(run).await.unwrap();
        answer(&self.host, run).await
    }
}

pub(super) fn input(question: &str) -> serde_json::Value {
    json!({ "question": question, "settings": { "library": ["documents"] } })
}

pub(super) async fn answer(host: &Host, run: RunId) -> Answer {
    let outcome = host.outcome(run).await.unwrap();
    serde_json::from_value(outcome.expect("an outcome")).unwrap()
}

fn host(
    store: &Arc<MemoryStore>,
    library: &Arc<ScriptedLibrary>,
    clock: &Arc<ManualClock>,
) -> Host {
    let services = Services {
        reasoners: Reasoners::new(None),
        libraries: Arc::new(OneLibrary(Arc::clone(library))),
        web: None,
        reader: Arc::new(InProcessReader),
        encoder: None,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    };
    let runtime = Runtime::with(store.clone(), clock.clone(), RuntimeSettings::default());
    let builder = Host::builder(runtime).register(AskWorkflow, services);
    builder.unwrap().build()
}
