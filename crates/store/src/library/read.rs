//! Reads files into passages, several at once, and hands each over as soon as it is read.

use std::collections::HashSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use fathom_evidence::extract::{DocumentReader, FormatHint};
use fathom_evidence::{Document, Language, passage};

use super::passage_block::KeptPassage;
use super::walk::{LibraryFile, explain};
use super::{LibraryLimits, ReadProgress};

/// Readers of nested formats call themselves; most threads' stacks are small for that.
const STACK_BYTES: usize = 64 << 20;

/// Texts that are read and wait to be indexed.
const WAITING_MAX: usize = 32;

/// Names the text of a file: made from its bytes and the ending of its name, which tells how they are read.
pub(super) type TextHash = [u8; 32];

/// What became of a file.
pub(super) enum FileReading {
    /// Its text, which was not known before.
    Text(TextHash, Box<ReadText>),
    /// It has a text that is known already.
    Known(TextHash),
    /// It holds no text that can be read, however often it is tried.
    Unreadable(String),
    /// The system did not give its bytes. That may change without the file.
    Closed(String),
}

/// A document as the index takes it.
pub(super) struct ReadText {
    /// What it calls itself.
    pub(super) title: Option<String>,
    pub(super) words: usize,
    pub(super) language: Language,
    pub(super) passages: Vec<KeptPassage>,
}

/// What reading needs to know.
pub(super) struct ReadContext<'r> {
    pub(super) limits: &'r LibraryLimits,
    pub(super) reader: &'r dyn DocumentReader,
    pub(super) progress: &'r ReadProgress,
    /// Set by whoever wants no more files to be read.
    pub(super) cancelled: &'r AtomicBool,
    /// Texts that need not be read.
    pub(super) known: HashSet<TextHash>,
}

impl ReadContext<'_> {
    /// Reads every file on a bounded number of threads, and hands each over on this one, in no order. Stops when it is
    /// cancelled or when what takes them fails.
    pub(super) fn each<E>(
        &self,
        files: &[&LibraryFile],
        mut take: impl FnMut(&LibraryFile, FileReading) -> Result<(), E>,
    ) -> Result<(), E> {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, readings) = sync_channel(WAITING_MAX);
        let work = |sender: SyncSender<(usize, FileReading)>| {
            while !stopped.load(Ordering::Relaxed) && !self.cancelled.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(at) else { return };
                if sender.send((at, self.guarded(file))).is_err() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.limits.threads.clamp(1, files.len().max(1)) {
                let sender = sender.clone();
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                let started = thread.spawn_scoped(scope, || work(sender));
                // Where the system gives no more threads, those that were started do the work.
                if let Err(error) = started {
                    tracing::warn!(%error, "no thread to read files with");
                }
            }
            drop(sender);
            let mut done = Ok(());
            for (at, reading) in readings {
                if let Some(file) = files.get(at)
                    && done.is_ok()
                {
                    done = take(file, reading);
                    self.progress.count(file.bytes);
                    stopped.store(done.is_err(), Ordering::Relaxed);
                }
            }
            done
        })
    }

    fn guarded(&self, file: &LibraryFile) -> FileReading {
        catch_unwind(AssertUnwindSafe(|| self.read(file))).unwrap_or_else(|_| {
            let why = "reading it failed badly: get a fresh copy of it";
            FileReading::Unreadable(why.to_owned())
        })
    }

    fn read(&self, file: &LibraryFile) -> FileReading {
        let largest = self.limits.document.document_max_bytes;
        if file.bytes > largest as u64 {
            let (size, largest) = (file.bytes >> 20, largest >> 20);
            let why = format!("it has {size} MiB and {largest} are allowed: split it");
            return FileReading::Unreadable(why);
        }
        let bytes = match bytes(&file.path, self.limits) {
            Ok(bytes) => bytes,
            Err(why) => return FileReading::Closed(why),
        };
        let hash = text_hash(&bytes, &file.name);
        if self.known.contains(&hash) {
            return FileReading::Known(hash);
        }
        let hint = FormatHint {
            file_name: Some(&file.name),
            cancelled: Some(self.cancelled),
            ..FormatHint::default()
        };
        match self.reader.read(&bytes, &hint, &self.limits.document) {
            Ok(document) => FileReading::Text(hash, Box::new(ReadText::new(&document))),
            // The reader may have failed because nobody waits any more.
            Err(error) if self.cancelled.load(Ordering::Relaxed) => {
                FileReading::Closed(error.to_string())
            }
            Err(error) => FileReading::Unreadable(error.to_string()),
        }
    }
}

impl ReadText {
    fn new(document: &Document) -> Self {
        let cut =
            passage::passages_without_sentences(document, &passage::PassageSettings::default());
        let cut = cut.into_iter().filter(|passage| !passage.references);
        let passages = cut.filter_map(|passage| {
            Some(KeptPassage {
                text: document.at(passage.span)?.to_owned(),
                id: passage.id,
                sections: passage.sections,
                page: passage.page,
            })
        });
        let title = document.about.title.clone();
        Self {
            title: title.filter(|title| !title.is_empty()),
            words: document.text.split_whitespace().count(),
            language: document.language(),
            passages: passages.collect(),
        }
    }
}

fn text_hash(bytes: &[u8], name: &str) -> TextHash {
    let ending = Path::new(name).extension().unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytes);
    hasher.update(b"\0");
    hasher.update(ending.to_ascii_lowercase().as_encoded_bytes());
    hasher.finalize().into()
}

/// A file's bytes, within the limit of a document even if it has grown meanwhile.
pub(super) fn bytes(path: &Path, limits: &LibraryLimits) -> Result<Vec<u8>, String> {
    use std::io::Read;
    let file = fs::File::open(path).map_err(|error| explain(&error))?;
    let largest = limits.document.document_max_bytes as u64;
    let size = file.metadata().map_or(0, |about| about.len()).min(largest);
    // One more, so that the end is seen without asking for more room.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    let read = file.take(largest.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| explain(&error))?;
    if bytes.len() as u64 > largest {
        return Err(format!("it has more than {} MiB", largest >> 20));
    }
    Ok(bytes)
}
