//! A poor query in other words, by a model.

use fathom_providers::model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Model;
use super::ask::Asking;
use super::plan::ReplyKind;
use super::prompt;
use crate::plan::Query;
use crate::reasoner::{Ctx, ReformulateTask, Unable};

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "query")]
struct Reply {
    text: String,
    kind: ReplyKind,
}

pub(super) async fn reformulate(
    model: &Model,
    ctx: &Ctx,
    task: &ReformulateTask<'_>,
) -> Result<Option<Query>, Unable> {
    let query = task.query;
    let input = json!({
        "question": prompt::plain(task.question.text(), 2_000),
        "query": prompt::plain(&query.text, 400),
        "intent": prompt::plain(&query.intent, 400),
        "kind": query.kind,
        "tried": task.tried,
        "kinds": task.kinds,
    });
    let asking = Asking {
        role: Role::Searcher,
        key: format!(
            "reformulate/{:?}/{}/{}",
            query.kind, query.text, task.attempt
        ),
        caps: &task.settings.caps,
    };
    let reply: Reply = model
        .typed(ctx, &asking, |_| prompt::request("reformulate", &input))
        .await?;
    let kind = reply.kind.into();
    let text = reply.text.trim().to_owned();
    let usable = !text.is_empty() && task.kinds.contains(&kind);
    Ok(usable.then(|| Query {
        text,
        kind,
        ..query.clone()
    }))
}
