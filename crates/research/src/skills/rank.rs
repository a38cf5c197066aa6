//! Ranks candidate passages by their meaning, with the encoder of this process.
//!
//! Takes a question and passages, the likeliest first; gives a score for each of the first. What was got is recorded, also that
//! there was no encoder: a replay gives the same, whatever is installed by then, and no endpoint is paid twice. An encoder that
//! fails costs its opinion and nothing else.

use fathom_providers::call::CallKind;
use fathom_workflow::{EffectCall, NodeError};
use serde::{Deserialize, Serialize};

use crate::calls::{RecordedFailure, retries, terms};
use crate::degradation::Degradation;
use crate::library::LocalPassage;
use crate::reasoner::Ctx;
use crate::skills::budget;

/// The constant of reciprocal rank fusion: the larger it is, the less the very first ranks count.
const FUSION_K: f64 = 60.0;

/// What the encoder says of passages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassageScores {
    /// The name of the model.
    pub model: String,
    /// Of each of the first passages, in their order; higher is nearer to the question. Passages beyond
    /// `most` have none.
    pub scores: Vec<f32>,
}

/// Scores the first passages; nothing where there is no encoder. A failure is a degradation for the caller to tell of.
pub async fn passage_scores(
    ctx: &Ctx,
    most: usize,
    question: &str,
    passages: &[&str],
) -> Result<Result<Option<PassageScores>, Degradation>, NodeError> {
    let shown = passages.len().min(most);
    let passages = passages.get(..shown).unwrap_or_default();
    if passages.is_empty() {
        return Ok(Ok(None));
    }
    let key = format!("ranking/{}", key(question, passages));
    let scored = ctx.effect(key, |call| async move {
        scores(ctx, &call, question, passages).await
    });
    let scored = scored.await?;
    Ok(scored.map_err(|failure| Degradation::EncoderFailed {
        why: failure.message,
    }))
}

/// Reorders the passages, best first by words, so that those near in meaning come first too. Passages beyond
/// `most` keep their places behind the others. Without an encoder nothing changes.
pub(crate) async fn by_meaning(
    ctx: &Ctx,
    call: &EffectCall,
    most: usize,
    question: &str,
    passages: &mut [LocalPassage],
) -> Result<(), RecordedFailure> {
    let most = passages.len().min(most);
    let first = passages.get_mut(..most).unwrap_or_default();
    let texts: Vec<String> = first.iter().map(with_heading).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let Some(PassageScores { scores, .. }) = scores(ctx, call, question, &texts).await? else {
        return Ok(());
    };
    let mut nearest: Vec<usize> = (0..first.len()).collect();
    let score = |at: &usize| scores.get(*at).copied().unwrap_or(f32::MIN);
    nearest.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut fused: Vec<f64> = (0..first.len())
        .map(|rank| 1.0 / (FUSION_K + rank as f64))
        .collect();
    for (rank, at) in nearest.into_iter().enumerate() {
        if let Some(score) = fused.get_mut(at) {
            *score += 1.0 / (FUSION_K + rank as f64);
        }
    }
    let mut order: Vec<(f64, LocalPassage)> = fused.into_iter().zip(first.to_vec()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (place, (_, passage)) in first.iter_mut().zip(order) {
        *place = passage;
    }
    Ok(())
}

/// What the encoder says, within a recorded call; nothing where there is none.
async fn scores(
    ctx: &Ctx,
    call: &EffectCall,
    question: &str,
    passages: &[&str],
) -> Result<Option<PassageScores>, RecordedFailure> {
    let Some(encoder) = ctx.deps().encoder.as_ref().filter(|_| !passages.is_empty()) else {
        return Ok(None);
    };
    let sink = retries(call);
    let terms = terms(ctx, encoder.clock(), CallKind::Model, &sink);
    let scores = encoder.scores(question, passages, &terms).await?;
    if scores.tokens > 0 {
        call.spend(budget::TOKENS, scores.tokens);
    }
    Ok(Some(PassageScores {
        model: encoder.name().to_owned(),
        scores: scores.values,
    }))
}

/// A passage with the heading that it stands under, or its document's title.
fn with_heading(passage: &LocalPassage) -> String {
    let heading = passage.sections.last().unwrap_or(&passage.title);
    format!("{heading}. {}", passage.text)
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
