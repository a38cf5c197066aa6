//! Vectors of a library: of a query, to search it by meaning, and of all its passages, batch by batch.

use std::sync::Arc;
use std::time::Duration;

use fathom_evidence::question;
use fathom_providers::call::{CallContext, CallEvent, CallKind};
use fathom_research::Encoder;
use fathom_store::library::{DocumentLibrary, QueryVector};

/// Blocks of passages that are encoded before their vectors are kept: some seconds' work.
const BATCH_BLOCKS: usize = 8;

/// A batch that takes longer has failed.
const BATCH_TIME: Duration = Duration::from_secs(600);

/// A query is searched by its words alone rather than waited for longer.
const QUERY_TIME: Duration = Duration::from_secs(10);

/// What an encoder makes of a query; nothing where the library has no vector, where the encoder does not
/// know the language, or where it fails: words find something too.
pub async fn of_query(
    documents: &Arc<DocumentLibrary>,
    encoder: Option<&Encoder>,
    query: &str,
) -> Option<QueryVector> {
    let language = question::language(query);
    let encoder = encoder.filter(|encoder| encoder.is_dense() && encoder.reads(language))?;
    let counted = Arc::clone(documents);
    let counts = tokio::task::spawn_blocking(move || counted.counts()).await;
    if counts.ok()?.ok()?.vectors == 0 {
        return None;
    }
    match encode(encoder, &[query], QUERY_TIME).await {
        Ok(mut vectors) => vectors.pop().map(|values| QueryVector {
            model: encoder.name().to_owned(),
            values,
        }),
        Err(why) => {
            tracing::warn!(why, "the query is searched by its words alone");
            None
        }
    }
}

/// Encodes every passage that has no vector yet, and tells how many were done after each batch. What was done is kept whenever it is
/// dropped.
pub async fn fill(
    documents: &Arc<DocumentLibrary>,
    encoder: &Encoder,
    mut tell: impl FnMut(usize),
) -> Result<(), String> {
    loop {
        let (index, model) = (Arc::clone(documents), encoder.name().to_owned());
        let batch = blocking(move || index.unencoded(&model, BATCH_BLOCKS)).await?;
        if batch.is_empty() {
            return Ok(());
        }
        for block in batch {
            let texts: Vec<&str> = block.texts.iter().map(String::as_str).collect();
            let vectors = encode(encoder, &texts, BATCH_TIME).await?;
            if vectors.len() != block.texts.len() {
                return Err("the encoder gave fewer vectors than texts".to_owned());
            }
            let done = vectors.len();
            let (index, model) = (Arc::clone(documents), encoder.name().to_owned());
            blocking(move || index.keep_vectors(&model, &block, &vectors)).await?;
            tell(done);
        }
    }
}

async fn encode(
    encoder: &Encoder,
    texts: &[&str],
    time: Duration,
) -> Result<Vec<Vec<f32>>, String> {
    let sink = |event: CallEvent| drop(event);
    let context = CallContext {
        kind: CallKind::Model,
        deadline: encoder.shared_clock().elapsed() + time,
        sink: &sink,
    };
    encoder.dense_vectors(texts, &context).await
}

async fn blocking<T: Send + 'static, E: ToString + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
}
