//! Reads files into documents, several at once, in the order in which they were given.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_evidence::extract::{DocumentReader, FormatHint};
use fathom_evidence::locate::PassageEntry;
use fathom_evidence::{Language, passage};

use super::walk::{LibraryFile, explain};
use super::{LibraryLimits, ReadProgress};

/// Readers of nested formats call themselves; most threads' stacks are small for that.
const STACK_BYTES: usize = 64 << 20;

/// A document as the index takes it.
pub(super) struct IndexedText {
    pub(super) title: String,
    pub(super) words: usize,
    pub(super) language: Language,
    pub(super) entries: Vec<PassageEntry>,
}

/// Reads every file, on a bounded number of threads.
pub(super) fn all(
    files: Vec<LibraryFile>,
    limits: &LibraryLimits,
    reader: &dyn DocumentReader,
    progress: &ReadProgress,
) -> Vec<(LibraryFile, Result<IndexedText, String>)> {
    let next = AtomicUsize::new(0);
    progress.files.store(files.len(), Ordering::Relaxed);
    let done = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        while let Some((at, file)) = nth(&files, next.fetch_add(1, Ordering::Relaxed)) {
            let text = guarded(file, limits, reader);
            progress.read.fetch_add(1, Ordering::Relaxed);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((at, text));
        }
    };
    std::thread::scope(|scope| {
        let threads = limits.threads.clamp(1, files.len().max(1));
        let started = (0..threads).filter(|_| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).is_ok()
        });
        // Where no thread is to be had, the work is done here.
        if started.count() == 0 {
            work();
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    files
        .into_iter()
        .zip(done.into_iter().map(|(_, text)| text))
        .collect()
}

fn nth(files: &[LibraryFile], at: usize) -> Option<(usize, &LibraryFile)> {
    files.get(at).map(|file| (at, file))
}

fn guarded(
    file: &LibraryFile,
    limits: &LibraryLimits,
    reader: &dyn DocumentReader,
) -> Result<IndexedText, String> {
    catch_unwind(AssertUnwindSafe(|| text(file, limits, reader)))
        .unwrap_or_else(|_| Err("reading it failed badly: get a fresh copy of it".to_owned()))
}

fn text(
    file: &LibraryFile,
    limits: &LibraryLimits,
    reader: &dyn DocumentReader,
) -> Result<IndexedText, String> {
    let largest = limits.document.document_max_bytes;
    if file.bytes > largest as u64 {
        let (size, largest) = (file.bytes >> 20, largest >> 20);
        return Err(format!("it has {size} MiB and {largest} are allowed"));
    }
    let bytes = bytes(&file.path, limits)?;
    let hint = FormatHint {
        file_name: Some(&file.name),
        ..FormatHint::default()
    };
    let document = reader.read(&bytes, &hint, &limits.document);
    let document = document.map_err(|error| error.to_string())?;
    let passages = passage::passages(&document, &passage::PassageSettings::default());
    let own = Path::new(&file.name).file_stem().unwrap_or_default();
    let title = document
        .about
        .title
        .clone()
        .filter(|title| !title.is_empty());
    Ok(IndexedText {
        title: title.unwrap_or_else(|| own.to_string_lossy().into_owned()),
        words: document.text.split_whitespace().count(),
        language: document.language(),
        entries: PassageEntry::from_document(&file.name, &document, &passages),
    })
}

/// A file's bytes, within the limit of a document even if it has grown meanwhile.
pub(super) fn bytes(path: &Path, limits: &LibraryLimits) -> Result<Vec<u8>, String> {
    use std::io::Read;
    let file = fs::File::open(path).map_err(|error| explain(&error))?;
    let largest = limits.document.document_max_bytes as u64;
    let mut bytes = Vec::new();
    let read = file.take(largest.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| explain(&error))?;
    if bytes.len() as u64 > largest {
        return Err(format!("it has more than {} MiB", largest >> 20));
    }
    Ok(bytes)
}
