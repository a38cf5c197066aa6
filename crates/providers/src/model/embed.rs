//! Embeddings from an OpenAI-compatible endpoint: texts in, one vector each out, in the same order.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::completion::TokenUsage;
use super::content::filled;
use super::settings::ModelEndpoint;
use super::tokens;
use crate::call::{AttemptError, CallAttempt, CallContext, CallKind, Caller, ProviderName};
use crate::client::{self, HttpReply};
use crate::lenient::count;
use crate::{CallFailure, HttpClient};

/// Texts in one request at most: what the smallest common limit allows.
const BATCH_MAX: usize = 96;

/// Turns texts into vectors at one endpoint.
pub struct Embedder {
    client: HttpClient,
    caller: Arc<Caller>,
    endpoint: ModelEndpoint,
    model: String,
    provider: ProviderName,
}

/// Vectors of one length, in the order of the texts.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedTexts {
    /// One for each text, in the order of the texts.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens of all texts; there is no output.
    pub usage: TokenUsage,
    /// The model as the endpoint names it.
    pub model: String,
}

impl Embedder {
    /// `model` is the name that the endpoint knows.
    pub fn new(
        client: HttpClient,
        caller: Arc<Caller>,
        endpoint: ModelEndpoint,
        model: &str,
    ) -> Self {
        Self {
            client,
            caller,
            provider: ProviderName::model(&endpoint.name, model),
            model: model.to_owned(),
            endpoint,
        }
    }

    /// Embeds the texts of one batch in one call.
    pub async fn embed(
        &self,
        texts: &[&str],
        context: &CallContext<'_>,
    ) -> Result<EmbeddedTexts, CallFailure> {
        let context = context.with_kind(CallKind::Model);
        let mut all = EmbeddedTexts {
            vectors: Vec::with_capacity(texts.len()),
            usage: TokenUsage::default(),
            model: String::new(),
        };
        for batch in texts.chunks(BATCH_MAX) {
            let length = all.vectors.first().map(Vec::len);
            let one = self
                .caller
                .call(&self.provider, &context, |attempt| async move {
                    self.batch(batch, length, &attempt).await
                })
                .await?;
            all.vectors.extend(one.vectors);
            all.usage += one.usage;
            all.model = one.model;
        }
        Ok(all)
    }

    async fn batch(
        &self,
        texts: &[&str],
        length: Option<usize>,
        attempt: &CallAttempt,
    ) -> Result<EmbeddedTexts, AttemptError> {
        let url = self.endpoint.address.join(["embeddings"]);
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let sent = client::HttpRequest::post(url, &body, self.endpoint.first_byte)
            .bearer(self.endpoint.key.as_ref());
        let reply: HttpReply = self.client.ask(attempt, sent).await?.struck();
        let value: Value = reply.json()?;
        let vectors = vectors(&value, texts.len(), length).ok_or_else(|| reply.refused())?;
        let tokens = count(&value["usage"]["prompt_tokens"])
            .or_else(|| count(&value["usage"]["total_tokens"]));
        let guess = || texts.iter().map(|text| tokens::estimate(text)).sum();
        Ok(EmbeddedTexts {
            vectors,
            usage: TokenUsage {
                input: tokens.unwrap_or_else(guess),
                estimated: tokens.is_none(),
                ..TokenUsage::default()
            },
            model: filled(&value["model"]).unwrap_or(&self.model).to_owned(),
        })
    }
}

/// One vector for each text, all of one length; none if anything is missing or no number.
fn vectors(value: &Value, texts: usize, length: Option<usize>) -> Option<Vec<Vec<f32>>> {
    let data = value["data"]
        .as_array()
        .filter(|data| data.len() == texts)?;
    let mut placed: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (place, item) in data.iter().enumerate() {
        let index = match count(&item["index"]) {
            Some(index) => usize::try_from(index).ok()?,
            None => place,
        };
        let vector = vector(&item["embedding"])?;
        *placed.get_mut(index)? = Some(vector);
    }
    let vectors: Vec<Vec<f32>> = placed.into_iter().collect::<Option<_>>()?;
    let length = length.or_else(|| vectors.first().map(Vec::len));
    let fits = |vector: &Vec<f32>| !vector.is_empty() && Some(vector.len()) == length;
    vectors.iter().all(fits).then_some(vectors)
}

/// A list of numbers, or their bytes in base64, which some send unasked.
fn vector(embedding: &Value) -> Option<Vec<f32>> {
    let vector: Vec<f32> = match embedding {
        Value::Array(numbers) => {
            let number = |number: &Value| number.as_f64().map(|number| number as f32);
            numbers.iter().map(number).collect::<Option<_>>()?
        }
        Value::String(text) => {
            let bytes = STANDARD.decode(text).ok()?;
            let (numbers, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return None;
            }
            numbers
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    vector
        .iter()
        .all(|number| number.is_finite())
        .then_some(vector)
}
