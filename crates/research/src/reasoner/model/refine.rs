//! The next thing to do about a query that found too little, by a model: one action a turn.
//!
//! An action is a typed answer and not a tool call of the endpoint, so that every endpoint can give one and each turn is
//! recorded like any other judgement. A page is named by the number of a result, never by an address.

use fathom_providers::model::ModelRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ModelReasoner;
use super::ask::ModelCall;
use super::prompt;
use crate::plan::{Query, SourceKind};
use crate::reasoner::{Ctx, ReasonerError, RefineAction, RefineTask, SeenResult};

/// Characters of a query that are put.
const QUERY_CHARS: usize = 400;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "action")]
struct RefineReply {
    #[schemars(length(max = 200))]
    why: String,
    action: RefineTool,
    #[schemars(length(max = 200))]
    query: Option<String>,
    result: Option<u32>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RefineTool {
    WebSearch,
    AcademicSearch,
    NewsSearch,
    CodeSearch,
    LocalSearch,
    ReadPage,
    Stop,
}

pub(super) async fn refine_query(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &RefineTask<'_>,
) -> Result<RefineAction, ReasonerError> {
    let query = task.query;
    let request = |cuts: u8| {
        let shown = |seen: &SeenResult| shown(seen, cuts);
        let results: Vec<Value> = task.results.iter().map(shown).collect();
        let input = json!({
            "turn": task.turn,
            "question": prompt::plain(task.question.text(), 2_000),
            "query": prompt::plain(&query.text, 400),
            "intent": prompt::plain(&query.intent, 400),
            "kind": query.kind,
            "kinds": task.kinds,
            "tried": task.tried,
            "history": task.history,
            "results": results,
            "searches_left": task.searches_left,
            "reads_left": task.reads_left,
        });
        prompt::request("refine", &input)
    };
    // Searching must leave what is kept for writing.
    let caps = task.caps.before_reserve();
    let asking = ModelCall {
        role: ModelRole::Searcher,
        // Saved in the logs of runs: the key stays as it was first written.
        key: format!("seek/{}/{}", task.place.0, task.turn),
        caps: &caps,
    };
    let reply: RefineReply = model.typed(ctx, &asking, request).await?;
    Ok(action(reply, query))
}

/// The words of a result; fewer where the prompt was too long.
fn shown(seen: &SeenResult, cuts: u8) -> Value {
    let few = |terms: &[String]| {
        let most = terms.len() >> cuts;
        terms.iter().take(most).cloned().collect::<Vec<_>>()
    };
    json!({
        "kind": seen.kind,
        "terms": few(&seen.terms),
        "text_terms": seen.text_terms.as_deref().map(few),
    })
}

/// What the reply asks for. Whether it can be done is for the loop to say.
fn action(reply: RefineReply, query: &Query) -> RefineAction {
    let kind = match reply.action {
        RefineTool::WebSearch => SourceKind::Web,
        RefineTool::AcademicSearch => SourceKind::Academic,
        RefineTool::NewsSearch => SourceKind::News,
        RefineTool::CodeSearch => SourceKind::Code,
        RefineTool::LocalSearch => SourceKind::Local,
        RefineTool::ReadPage => {
            let result = reply.result.and_then(|number| usize::try_from(number).ok());
            return RefineAction::Read {
                result: result.unwrap_or_default(),
            };
        }
        RefineTool::Stop => return RefineAction::Stop,
    };
    RefineAction::Search(Query {
        terms: Vec::new(),
        text: prompt::plain(&reply.query.unwrap_or_default(), QUERY_CHARS),
        kind,
        ..query.clone()
    })
}
