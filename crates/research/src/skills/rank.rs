//! Ranks candidate passages by their meaning, with the encoder of this process.
//!
//! Takes a question and passages, the likeliest first; gives a score for each of the first. What was got is recorded, also that
//! there was no encoder: a replay gives the same, whatever is installed by then, and no endpoint is paid twice. An encoder that
//! fails costs its opinion and nothing else.

use fathom_providers::call::CallKind;
use fathom_workflow::NodeError;
use serde::{Deserialize, Serialize};

use crate::calls::{RecordedFailure, retries, terms};
use crate::degradation::Degradation;
use crate::reasoner::Ctx;
use crate::settings::Settings;
use crate::skills::budget;

/// What the encoder says of passages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassageScores {
    /// The name of the model.
    pub model: String,
    /// Of each of the first passages, in their order; higher is nearer to the question. Passages beyond
    /// `max_encoded_passages` have none.
    pub scores: Vec<f32>,
}

/// Scores the first passages; nothing where there is no encoder. A failure is a degradation for the caller to tell of.
pub async fn passage_scores(
    ctx: &Ctx,
    settings: &Settings,
    question: &str,
    passages: &[&str],
) -> Result<Result<Option<PassageScores>, Degradation>, NodeError> {
    let shown = passages.len().min(settings.max_encoded_passages);
    let passages = passages.get(..shown).unwrap_or_default();
    if passages.is_empty() {
        return Ok(Ok(None));
    }
    let key = format!("ranking/{}", key(question, passages));
    let scored = ctx.effect(key, |call| async move {
        let Some(encoder) = &ctx.deps().encoder else {
            return Ok(None);
        };
        let sink = retries(&call);
        let terms = terms(ctx, encoder.clock(), CallKind::Model, &sink);
        let scores = encoder.scores(question, passages, &terms).await?;
        if scores.tokens > 0 {
            call.spend(budget::TOKENS, scores.tokens);
        }
        Ok::<_, RecordedFailure>(Some(PassageScores {
            model: encoder.name().to_owned(),
            scores: scores.values,
        }))
    });
    let scored = scored.await?;
    Ok(scored.map_err(|failure| Degradation::EncoderFailed {
        why: failure.message,
    }))
}

/// The same for the same question and passages, so that a step that is run again finds its answer.
fn key(question: &str, passages: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [question].iter().chain(passages) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    hex.chars().take(32).collect()
}
