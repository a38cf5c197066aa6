//! Ranks candidate passages by their meaning, with the encoder of this process.
//!
//! Takes a question and passages, the likeliest first; gives a score for each of the first. What was got is recorded, also that
//! there was no encoder: a replay gives the same, whatever is installed by then, and no endpoint is paid twice. An encoder that
//! fails costs its opinion and nothing else.

use fathom_evidence::locate::rerank;
use fathom_evidence::question;
use fathom_providers::call::CallKind;
use fathom_workflow::{EffectCall, NodeError};
use serde::{Deserialize, Serialize};

use crate::calls::{RecordedFailure, retries, terms};
use crate::degradation::Degradation;
use crate::library::LocalPassage;
use crate::reasoner::Ctx;
use crate::skills::budget;
use crate::skills::locate::excerpt::Sentence;

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

/// How near the first sentences are to the question in meaning; nothing where there is no encoder. `degraded` is told of one
/// that fails.
pub(crate) async fn sentence_scores(
    ctx: &Ctx,
    most: usize,
    question: &str,
    sentences: &[Sentence],
    degraded: impl FnOnce(Degradation),
) -> Result<Option<Vec<f32>>, NodeError> {
    let texts: Vec<&str> = sentences.iter().map(|one| one.text.as_str()).collect();
    let scored = passage_scores(ctx, most, question, &texts).await?;
    let scored = scored.unwrap_or_else(|degradation| {
        degraded(degradation);
        None
    });
    Ok(scored.map(|scored| scored.scores))
}

/// Reorders the passages, best first by words, by their words and meaning together. Passages beyond `most` keep their
/// places behind the others. Without an encoder nothing changes.
pub(crate) async fn by_meaning(
    ctx: &Ctx,
    call: &EffectCall,
    most: usize,
    question: &str,
    passages: &mut [LocalPassage],
) -> Result<(), RecordedFailure> {
    let most = passages.len().min(most);
    let first = passages.get_mut(..most).unwrap_or_default();
    let Some(scores) = similarities(ctx, call, question, first).await? else {
        return Ok(());
    };
    let words: Vec<f32> = first.iter().map(|passage| passage.score).collect();
    let order = rerank(&words, &scores).into_iter();
    let best_first = order.filter_map(|place| first.get(place).cloned());
    let best_first: Vec<LocalPassage> = best_first.collect();
    first.clone_from_slice(&best_first);
    Ok(())
}

/// How near each passage is to the question: as the library tells, and of those that it has no vector of as the encoder says.
async fn similarities(
    ctx: &Ctx,
    call: &EffectCall,
    question: &str,
    passages: &[LocalPassage],
) -> Result<Option<Vec<f32>>, RecordedFailure> {
    let unknown = passages.iter().filter(|one| one.similarity.is_none());
    let texts: Vec<String> = unknown.map(with_heading).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scored = match scores(ctx, call, question, &texts).await? {
        Some(scored) => scored.scores,
        None if texts.is_empty() => Vec::new(),
        None => return Ok(None),
    };
    let mut scored = scored.into_iter();
    let known = passages.iter().map(|one| one.similarity);
    Ok(known.map(|known| known.or_else(|| scored.next())).collect())
}

/// What the encoder says, within a recorded call; nothing where there is none for the language of the question.
async fn scores(
    ctx: &Ctx,
    call: &EffectCall,
    asked: &str,
    passages: &[&str],
) -> Result<Option<PassageScores>, RecordedFailure> {
    let language = question::language(asked);
    let encoder = ctx.deps().encoder.as_ref();
    let encoder = encoder.filter(|encoder| !passages.is_empty() && encoder.reads(language));
    let Some(encoder) = encoder else {
        return Ok(None);
    };
    let sink = retries(call);
    let terms = terms(ctx, encoder.clock(), CallKind::Model, &sink);
    let scores = encoder.scores(asked, passages, &terms).await?;
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
