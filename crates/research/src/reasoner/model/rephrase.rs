//! A question in the words that documents use, by a model.

use fathom_providers::model::{ModelRequest, ModelRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ask::ModelCall;
use super::{ModelReasoner, passages, prompt};
use crate::reasoner::{Ctx, ReasonerError, RephraseTask, Rephrased};

const TERMS_MOST: usize = 6;
const PHRASINGS_MOST: usize = 3;

/// Tokens of the whole reply.
const REPLY_TOKENS: u32 = 260;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "rephrased")]
struct RephrasedReply {
    #[serde(default)]
    #[schemars(length(max = 6), inner(length(max = 40)))]
    terms: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 200))]
    likely: String,
    #[schemars(length(max = 3), inner(length(max = 120)))]
    phrasings: Vec<String>,
}

pub(super) async fn rephrase(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &RephraseTask<'_>,
) -> Result<Rephrased, ReasonerError> {
    let input = json!({
        "turns": passages::turns(task.turns),
        "question": prompt::plain(task.question, 2_000),
    });
    let request = |_| {
        Ok(ModelRequest {
            max_tokens: Some(REPLY_TOKENS),
            ..prompt::request("rephrase", &input)?
        })
    };
    let asking = ModelCall {
        role: ModelRole::Searcher,
        key: "rephrase".to_owned(),
        caps: &task.budget.caps,
    };
    let reply: RephrasedReply = model.typed(ctx, &asking, request).await?;
    let (mut terms, mut phrasings) = (reply.terms, reply.phrasings);
    terms.retain(|term| !term.trim().is_empty());
    terms.truncate(TERMS_MOST);
    phrasings.truncate(PHRASINGS_MOST);
    Ok(Rephrased {
        terms,
        phrasings,
        likely: reply.likely,
    })
}
