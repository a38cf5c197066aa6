//! Ranks candidate passages by their meaning, with the encoder of this process.
//!
//! Takes a question and passages, the best by their words first; puts the first of them in an order by words and meaning.
//! It is done within a recorded search, so a replay gives the same order whatever is installed by then, and no endpoint is
//! paid twice. An encoder that fails costs its opinion and nothing else.

use fathom_providers::call::CallKind;
use fathom_workflow::{EffectCall, NodeError};

use crate::calls::{RecordedFailure, retries, terms};
use crate::degradation::Degradation;
use crate::library::LocalPassage;
use crate::reasoner::Ctx;
use crate::settings::Settings;
use crate::skills::budget;

/// The constant of reciprocal rank fusion: the larger it is, the less the very first ranks count.
const FUSION_K: f64 = 60.0;

/// Reorders the passages, best first by words, so that those near in meaning come first too. Passages beyond
/// `max_encoded_passages` keep their places behind the others. Without an encoder nothing changes.
pub(crate) async fn by_meaning(
    ctx: &Ctx,
    call: &EffectCall,
    settings: &Settings,
    question: &str,
    passages: &mut [LocalPassage],
) -> Result<(), RecordedFailure> {
    let most = passages.len().min(settings.max_encoded_passages);
    let Some((encoder, first)) = ctx.deps().encoder.as_ref().zip(passages.get_mut(..most)) else {
        return Ok(());
    };
    let texts: Vec<String> = first.iter().map(with_heading).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sink = retries(call);
    let terms = terms(ctx, encoder.clock(), CallKind::Model, &sink);
    let scores = encoder.scores(question, &texts, &terms).await?;
    if scores.tokens > 0 {
        call.spend(budget::TOKENS, scores.tokens);
    }
    let mut nearest: Vec<usize> = (0..first.len()).collect();
    let score = |at: &usize| scores.values.get(*at).copied().unwrap_or(f32::MIN);
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

/// How near each text is to the question in meaning; nothing where there is no encoder. What was got is recorded.
pub(crate) async fn nearness(
    ctx: &Ctx,
    question: &str,
    texts: &[&str],
) -> Result<Result<Option<Vec<f32>>, Degradation>, NodeError> {
    if texts.is_empty() {
        return Ok(Ok(None));
    }
    let scored = ctx.effect("nearness", |call| async move {
        let Some(encoder) = &ctx.deps().encoder else {
            return Ok(None);
        };
        let sink = retries(&call);
        let terms = terms(ctx, encoder.clock(), CallKind::Model, &sink);
        let scores = encoder.scores(question, texts, &terms).await?;
        if scores.tokens > 0 {
            call.spend(budget::TOKENS, scores.tokens);
        }
        Ok::<_, RecordedFailure>(Some(scores.values))
    });
    let scored = scored.await?;
    Ok(scored.map_err(|failure| Degradation::EncoderFailed {
        why: failure.message,
    }))
}

/// A passage with the heading that it stands under, or its document's title.
fn with_heading(passage: &LocalPassage) -> String {
    let heading = passage.sections.last().unwrap_or(&passage.title);
    format!("{heading}. {}", passage.text)
}
