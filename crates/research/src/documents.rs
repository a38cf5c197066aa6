//! Documents that runs have read: stored once by their hash, and cached while they are worked with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_evidence::Document;
use fathom_workflow::{BlobHash, NodeError, fan_out};
use jiff::Timestamp;

use crate::reasoner::Ctx;
use crate::source::{Snapshot, Source, SourceId};

/// Texts in the cache, in bytes.
const CACHED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Keeps parsed documents in memory, so that each step need not read them anew. What is dropped is read again.
#[derive(Default)]
pub struct DocumentCache(Mutex<CachedDocuments>);

/// The hashes of a document's text and shape: mirrors share a text, and differ in title and date.
type StoredParts = (BlobHash, BlobHash);

#[derive(Default)]
struct CachedDocuments {
    documents: HashMap<StoredParts, Arc<Document>>,
    bytes: usize,
}

impl DocumentCache {
    /// Stores a document with the run, in two parts: the text as it is, and the shape around it.
    pub fn keep(
        &self,
        ctx: &Ctx,
        document: Document,
        now: Timestamp,
    ) -> Result<Snapshot, NodeError> {
        let text = ctx.keep(document.text.as_bytes());
        let words = document.text.split_whitespace().count();
        let snapshot = Snapshot {
            text,
            shape: ctx.keep(serde_json::to_vec(&without_text(&document))?),
            words: u64::try_from(words)?,
            language: document.language().code().to_owned(),
            taken_at: now,
            lost: document.lost.clone(),
        };
        self.put(parts(&snapshot), Arc::new(document));
        Ok(snapshot)
    }

    /// A document as it was stored.
    pub async fn open(&self, ctx: &Ctx, snapshot: &Snapshot) -> Result<Arc<Document>, NodeError> {
        if let Some(document) = self.cached(parts(snapshot)) {
            return Ok(document);
        }
        let shape = stored(ctx, snapshot.shape).await?;
        let mut document: Document = serde_json::from_slice(&shape)?;
        document.text = String::from_utf8(stored(ctx, snapshot.text).await?)?;
        let document = Arc::new(document);
        self.put(parts(snapshot), Arc::clone(&document));
        Ok(document)
    }

    /// The documents of these sources as far as they were read, each with its source's number.
    pub async fn open_all(
        &self,
        ctx: &Ctx,
        sources: &[Arc<Source>],
        at_once: usize,
    ) -> Result<Vec<(SourceId, Arc<Document>)>, NodeError> {
        let read = sources.iter();
        let read = read.filter_map(|source| Some((source.id, source.snapshot.clone()?)));
        let read: Vec<(SourceId, Snapshot)> = read.collect();
        let opened = fan_out(read, at_once, |(id, snapshot)| async move {
            Ok((id, self.open(ctx, &snapshot).await?))
        });
        opened.await.into_iter().collect()
    }

    fn cached(&self, parts: StoredParts) -> Option<Arc<Document>> {
        let cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.documents.get(&parts).cloned()
    }

    fn put(&self, parts: StoredParts, document: Arc<Document>) {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = document.text.len();
        if cache.bytes + bytes > CACHED_BYTES_MAX {
            *cache = CachedDocuments::default();
        }
        if cache.documents.insert(parts, document).is_none() {
            cache.bytes += bytes;
        }
    }
}

fn parts(snapshot: &Snapshot) -> StoredParts {
    (snapshot.text, snapshot.shape)
}

fn without_text(document: &Document) -> Document {
    Document {
        text: String::new(),
        about: document.about.clone(),
        paragraphs: document.paragraphs.clone(),
        sections: document.sections.clone(),
        pages: document.pages.clone(),
        lost: document.lost.clone(),
    }
}

async fn stored(ctx: &Ctx, hash: BlobHash) -> Result<Vec<u8>, NodeError> {
    let bytes = ctx.kept(hash).await?;
    bytes.ok_or_else(|| {
        NodeError::new(format!(
            "the stored text {hash} is gone; start the run anew, or restore the store from a backup"
        ))
    })
}
