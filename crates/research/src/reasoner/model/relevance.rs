//! A model's opinion on what bears on a question. A score counts with words that stand in the passage.

use fathom_evidence::quote::{self, QuoteSettings};
use fathom_providers::model::{ModelRequest, ModelRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ask::ModelCall;
use super::{ModelReasoner, passages, prompt};
use crate::reasoner::{Ctx, PassageRelevance, ReasonerError, RelevanceTask, TaskPassage};

/// Tokens of one opinion.
const OPINION_TOKENS: u32 = 60;

/// The score of a passage that answers.
const SCORE_MOST: f64 = 10.0;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "relevance")]
struct RelevanceReply {
    #[schemars(length(max = 20))]
    passages: Vec<ReplyOpinion>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyOpinion {
    number: usize,
    #[schemars(length(max = 160))]
    quote: String,
    score: f64,
}

pub(super) async fn relevance(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &RelevanceTask<'_>,
) -> Result<Vec<Option<PassageRelevance>>, ReasonerError> {
    let count = u32::try_from(task.passages.len()).unwrap_or(u32::MAX);
    let request = |cuts: u8| {
        let input = json!({
            "turns": [],
            "question": prompt::plain(task.question, 2_000),
            "passages": passages::within(task.passages, model.passage_tokens(cuts), cuts),
        });
        Ok(ModelRequest {
            max_tokens: Some(count.saturating_mul(OPINION_TOKENS).saturating_add(40)),
            ..prompt::request("relevance", &input)?
        })
    };
    // Judging must leave what is kept for writing.
    let caps = task.budget.caps.before_reserve();
    let asking = ModelCall {
        role: ModelRole::Analyst,
        key: task.key.to_owned(),
        caps: &caps,
    };
    let reply: RelevanceReply = model.typed(ctx, &asking, request).await?;
    let numbered = (1..).zip(task.passages);
    Ok(numbered
        .map(|(number, passage)| opinion(&reply, number, passage))
        .collect())
}

/// The opinion on a passage; nothing where there is none, or two.
fn opinion(
    reply: &RelevanceReply,
    number: usize,
    passage: &TaskPassage,
) -> Option<PassageRelevance> {
    let mut own = reply.passages.iter().filter(|one| one.number == number);
    let (one, None) = (own.next()?, own.next()) else {
        return None;
    };
    let settings = QuoteSettings {
        quote_ignore_case: true,
        ..QuoteSettings::default()
    };
    let quote = one.quote.trim().trim_matches(['“', '”', '"']);
    let stands = !quote.is_empty() && quote::find(&passage.text, quote, &settings).is_some();
    let score = if one.score.is_nan() { 0.0 } else { one.score };
    Some(PassageRelevance {
        score: (score / SCORE_MOST).clamp(0.0, 1.0),
        quote: stands.then(|| quote.to_owned()),
    })
}
