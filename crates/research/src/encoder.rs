//! The encoder of a process: tells how near passages are to a question in meaning, whatever their words.
//!
//! A model in this process, an endpoint for embeddings, or a server that re-ranks or gives sparse vectors. Vectors of texts that
//! were encoded lately are cached; what a run got is recorded by whoever asks for it (`skills::rank`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_evidence::Language;
use fathom_providers::call::CallContext;
use fathom_providers::model::{Embedder, InferenceServer, SparseVector};
use fathom_providers::{CallFailure, Clock, FailureCategory};
use tokio::task::spawn_blocking;

use crate::calls::RecordedFailure;

/// Texts that go to a model of this process at once. A run that is stopped waits for no more than these.
const LOCAL_BATCH: usize = 16;

/// Vectors in the cache, in bytes.
const CACHED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A model in this process. It may take its time, so it is called on a thread for such work.
pub trait LocalEncoder: Send + Sync {
    /// One vector of length 1 for each text, or why there is none, in a sentence.
    fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String>;

    /// Whether it was made for texts of this language: one that was not puts good passages behind poor ones.
    fn reads(&self, language: Language) -> bool;
}

/// What the encoder is made of.
pub enum EncoderKind {
    /// A model in this process.
    Local(Arc<dyn LocalEncoder>),
    /// An OpenAI-compatible endpoint for embeddings.
    Embeddings(Embedder),
    /// Learned sparse vectors from text-embeddings-inference.
    Sparse(InferenceServer),
    /// A re-ranker at text-embeddings-inference, which reads the question and a passage together.
    Rerank(InferenceServer),
}

/// One per process, shared by all runs.
pub struct Encoder {
    name: String,
    kind: EncoderKind,
    clock: Arc<dyn Clock>,
    cache: Mutex<VectorCache>,
    /// Held while a model of this process works: two at once would only take each other's processor.
    turn: tokio::sync::Mutex<()>,
}

/// What a model makes of a text.
#[derive(Clone, Debug)]
enum TextVector {
    /// Of length 1.
    Dense(Vec<f32>),
    /// Sorted by term.
    Sparse(SparseVector),
}

/// What was got for a question.
pub(crate) struct Scores {
    /// One for each passage; higher is nearer.
    pub(crate) values: Vec<f32>,
    /// Tokens that an endpoint counted.
    pub(crate) tokens: u64,
}

impl Encoder {
    /// `name` is shown in reports.
    pub fn new(name: &str, kind: EncoderKind, clock: Arc<dyn Clock>) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            clock,
            cache: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The name of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// By which calls to an endpoint are timed.
    pub fn shared_clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Whether it makes vectors that can be kept and compared by their cosine.
    pub fn is_dense(&self) -> bool {
        matches!(
            self.kind,
            EncoderKind::Local(_) | EncoderKind::Embeddings(_)
        )
    }

    /// The vectors of texts, each of length 1, or why there are none. They are not cached: whoever asks keeps them.
    pub async fn dense_vectors(
        &self,
        texts: &[&str],
        context: &CallContext<'_>,
    ) -> Result<Vec<Vec<f32>>, String> {
        let encoded = self.encode(texts, context).await;
        let (vectors, _) = encoded.map_err(|failure| failure.message)?;
        let dense = vectors.into_iter().map(|vector| match vector {
            TextVector::Dense(values) => Ok(values),
            TextVector::Sparse(_) => Err("this encoder gives sparse vectors".to_owned()),
        });
        dense.collect()
    }

    /// Whether its opinion on texts of this language is worth having. Of an endpoint that is for its owner to know.
    pub fn reads(&self, language: Language) -> bool {
        match &self.kind {
            EncoderKind::Local(model) => model.reads(language),
            EncoderKind::Embeddings(_) | EncoderKind::Sparse(_) | EncoderKind::Rerank(_) => true,
        }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// How near each passage is to the question.
    pub(crate) async fn scores(
        &self,
        question: &str,
        passages: &[&str],
        context: &CallContext<'_>,
    ) -> Result<Scores, RecordedFailure> {
        if let EncoderKind::Rerank(server) = &self.kind {
            let values = server.rerank(question, passages, context).await;
            let values = values.map_err(|failure| told(&failure))?;
            return Ok(Scores { values, tokens: 0 });
        }
        let texts: Vec<&str> = [question]
            .into_iter()
            .chain(passages.iter().copied())
            .collect();
        let (vectors, tokens) = self.vectors(&texts, context).await?;
        let values = match vectors.split_first() {
            Some((question, passages)) => passages.iter().map(|one| question.dot(one)).collect(),
            None => Vec::new(),
        };
        Ok(Scores { values, tokens })
    }

    /// The vectors of the texts, from the cache as far as it has them.
    async fn vectors(
        &self,
        texts: &[&str],
        context: &CallContext<'_>,
    ) -> Result<(Vec<Arc<TextVector>>, u64), RecordedFailure> {
        let keys: Vec<blake3::Hash> = texts.iter().map(|t| blake3::hash(t.as_bytes())).collect();
        let mut known: HashMap<blake3::Hash, Arc<TextVector>> = HashMap::new();
        let mut missing: Vec<(blake3::Hash, &str)> = Vec::new();
        for (key, text) in keys.iter().zip(texts) {
            match self.locked().vectors.get(key) {
                Some(vector) => drop(known.insert(*key, Arc::clone(vector))),
                None if missing.iter().any(|(other, _)| other == key) => {}
                None => missing.push((*key, text)),
            }
        }
        let wanted: Vec<&str> = missing.iter().map(|(_, text)| *text).collect();
        let (encoded, tokens) = self.encode(&wanted, context).await?;
        for ((key, _), vector) in missing.into_iter().zip(encoded) {
            let vector = Arc::new(vector);
            self.locked().put(key, Arc::clone(&vector));
            known.insert(key, vector);
        }
        let vectors: Option<Vec<_>> = keys.iter().map(|key| known.get(key).cloned()).collect();
        match vectors {
            Some(vectors) => Ok((vectors, tokens)),
            None => Err(broken("the encoder gave fewer vectors than texts")),
        }
    }

    async fn encode(
        &self,
        texts: &[&str],
        context: &CallContext<'_>,
    ) -> Result<(Vec<TextVector>, u64), RecordedFailure> {
        if texts.is_empty() {
            return Ok((Vec::new(), 0));
        }
        match &self.kind {
            EncoderKind::Local(model) => Ok((self.encode_here(model, texts).await?, 0)),
            EncoderKind::Embeddings(embedder) => {
                let embedded = embedder.embed(texts, context).await;
                let embedded = embedded.map_err(|failure| told(&failure))?;
                let vectors = embedded.vectors.into_iter().map(TextVector::dense);
                Ok((vectors.collect(), embedded.usage.input))
            }
            EncoderKind::Sparse(server) => {
                let vectors = server.embed_sparse(texts, context).await;
                let vectors = vectors.map_err(|failure| told(&failure))?;
                Ok((vectors.into_iter().map(TextVector::sparse).collect(), 0))
            }
            EncoderKind::Rerank(_) => Err(broken("a re-ranker gives no vectors")),
        }
    }

    async fn encode_here(
        &self,
        model: &Arc<dyn LocalEncoder>,
        texts: &[&str],
    ) -> Result<Vec<TextVector>, RecordedFailure> {
        let _turn = self.turn.lock().await;
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(LOCAL_BATCH) {
            let model = Arc::clone(model);
            let batch: Vec<String> = batch.iter().map(|text| (*text).to_owned()).collect();
            let encoded = spawn_blocking(move || {
                let texts: Vec<&str> = batch.iter().map(String::as_str).collect();
                model.encode_all(&texts)
            });
            let encoded = encoded.await.map_err(broken)?.map_err(broken)?;
            vectors.extend(encoded.into_iter().map(TextVector::dense));
        }
        Ok(vectors)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, VectorCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TextVector {
    fn dense(mut vector: Vec<f32>) -> Self {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|value| *value /= length);
        }
        Self::Dense(vector)
    }

    fn sparse(mut vector: SparseVector) -> Self {
        vector.sort_unstable_by_key(|(term, _)| *term);
        vector.dedup_by_key(|(term, _)| *term);
        Self::Sparse(vector)
    }

    /// The cosine of dense vectors; of sparse ones the sum over the terms that both have.
    fn dot(&self, other: &Self) -> f32 {
        match (self, other) {
            (Self::Dense(a), Self::Dense(b)) => a.iter().zip(b).map(|(a, b)| a * b).sum(),
            (Self::Sparse(a), Self::Sparse(b)) => {
                let weight = |term: u32| {
                    let at = b.binary_search_by_key(&term, |(term, _)| *term).ok()?;
                    b.get(at).map(|(_, weight)| *weight)
                };
                let shared = a
                    .iter()
                    .filter_map(|(term, one)| Some(one * weight(*term)?));
                shared.sum()
            }
            (Self::Dense(_), Self::Sparse(_)) | (Self::Sparse(_), Self::Dense(_)) => 0.0,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Dense(vector) => size_of_val(vector.as_slice()),
            Self::Sparse(vector) => size_of_val(vector.as_slice()),
        }
    }
}

/// Vectors by the hash of their text. What is dropped is encoded again.
#[derive(Default)]
struct VectorCache {
    vectors: HashMap<blake3::Hash, Arc<TextVector>>,
    bytes: usize,
}

impl VectorCache {
    fn put(&mut self, key: blake3::Hash, vector: Arc<TextVector>) {
        let bytes = vector.bytes();
        if self.bytes + bytes > CACHED_BYTES_MAX {
            *self = Self::default();
        }
        if self.vectors.insert(key, vector).is_none() {
            self.bytes += bytes;
        }
    }
}

/// An endpoint's failure. Passages are ranked without it rather than waited for.
fn told(failure: &CallFailure) -> RecordedFailure {
    RecordedFailure {
        severity: failure.severity,
        attempts: failure.attempts,
        ..RecordedFailure::once(failure.category, failure)
    }
}

fn broken(why: impl ToString) -> RecordedFailure {
    RecordedFailure::once(FailureCategory::Internal, why)
}
