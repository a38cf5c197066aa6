//! Passages judged by a server of text-embeddings-inference: re-ranking, and learned sparse vectors such as SPLADE's.

use std::sync::Arc;

use serde_json::{Value, json};

use super::settings::ModelEndpoint;
use crate::call::{AttemptError, CallAttempt, CallContext, CallKind, Caller, ProviderName};
use crate::client::{HttpReply, HttpRequest};
use crate::lenient::count;
use crate::{CallFailure, HttpClient};

/// Texts in one request at most: what the server takes unless it is told otherwise.
const BATCH_MAX: usize = 32;

/// One server with one model, which either re-ranks or encodes.
pub struct InferenceServer {
    client: HttpClient,
    caller: Arc<Caller>,
    endpoint: ModelEndpoint,
    provider: ProviderName,
}

/// A text as numbered terms of the model's vocabulary, each with its weight.
pub type SparseVector = Vec<(u32, f32)>;

impl InferenceServer {
    /// The endpoint's address is what comes before `/rerank` or `/embed_sparse`.
    pub fn new(client: HttpClient, caller: Arc<Caller>, endpoint: ModelEndpoint) -> Self {
        Self {
            client,
            caller,
            provider: ProviderName::new(&endpoint.name),
            endpoint,
        }
    }

    /// How well each text answers the question, in the order of the texts; higher is better.
    pub async fn rerank(
        &self,
        question: &str,
        texts: &[&str],
        context: &CallContext<'_>,
    ) -> Result<Vec<f32>, CallFailure> {
        let body = |texts: &[&str]| json!({"query": question, "texts": texts, "truncate": true});
        self.batches("rerank", texts, body, scores, context).await
    }

    /// The terms of each text, in the order of the texts.
    pub async fn embed_sparse(
        &self,
        texts: &[&str],
        context: &CallContext<'_>,
    ) -> Result<Vec<SparseVector>, CallFailure> {
        let body = |texts: &[&str]| json!({"inputs": texts, "truncate": true});
        self.batches("embed_sparse", texts, body, sparse_vectors, context)
            .await
    }

    async fn batches<T>(
        &self,
        path: &str,
        texts: &[&str],
        body: impl Fn(&[&str]) -> Value,
        read: fn(&Value, usize) -> Option<Vec<T>>,
        context: &CallContext<'_>,
    ) -> Result<Vec<T>, CallFailure> {
        let context = context.with_kind(CallKind::Model);
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_MAX) {
            let body = &body(batch);
            let one = self
                .caller
                .call(&self.provider, &context, |attempt| async move {
                    let reply = self.ask(path, body, &attempt).await?;
                    let value: Value = reply.json()?;
                    read(&value, batch.len()).ok_or_else(|| reply.refused())
                });
            all.extend(one.await?);
        }
        Ok(all)
    }

    async fn ask(
        &self,
        path: &str,
        body: &Value,
        attempt: &CallAttempt,
    ) -> Result<HttpReply, AttemptError> {
        let url = self.endpoint.address.join([path]);
        let sent = HttpRequest::post(url, body, self.endpoint.first_byte)
            .bearer(self.endpoint.key.as_ref());
        Ok(self.client.ask(attempt, sent).await?.struck())
    }
}

/// `[{"index": 1, "score": 0.9}, …]`, best first: one score for each text, or nothing.
fn scores(value: &Value, texts: usize) -> Option<Vec<f32>> {
    let items = value.as_array().filter(|items| items.len() == texts)?;
    let mut placed = vec![None; texts];
    for item in items {
        let index = usize::try_from(count(&item["index"])?).ok()?;
        *placed.get_mut(index)? = Some(number(&item["score"])?);
    }
    placed.into_iter().collect()
}

/// `[[{"index": 2054, "value": 1.2}, …], …]`: the terms of each text, or nothing.
fn sparse_vectors(value: &Value, texts: usize) -> Option<Vec<SparseVector>> {
    let items = value.as_array().filter(|items| items.len() == texts)?;
    let term = |term: &Value| {
        let index = u32::try_from(count(&term["index"])?).ok()?;
        Some((index, number(&term["value"])?))
    };
    let vector = |item: &Value| item.as_array()?.iter().map(term).collect();
    items.iter().map(vector).collect()
}

fn number(value: &Value) -> Option<f32> {
    let number = value.as_f64()? as f32;
    number.is_finite().then_some(number)
}
