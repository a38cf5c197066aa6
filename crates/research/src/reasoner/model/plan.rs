//! A plan by a model.

use fathom_providers::model::ModelRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ModelReasoner;
use super::ask::ModelCall;
use super::prompt;
use crate::plan::{Plan, PlanTrace, PlannedSection, Query, SourceKind, SubQuestion, SubQuestionId};
use crate::question::{AskedDepth, Depth};
use crate::reasoner::{Ctx, PlanTask, ReasonerError};

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "plan")]
pub(super) struct PlanReply {
    #[schemars(length(max = 400))]
    understanding: String,
    #[schemars(length(max = 400))]
    decomposition: String,
    #[schemars(length(max = 400))]
    strategy: String,
    #[schemars(length(max = 400))]
    outline: String,
    #[schemars(length(max = 400))]
    risks: String,
    #[schemars(length(max = 7))]
    sub_questions: Vec<ReplySubQuestion>,
    #[schemars(length(max = 15))]
    queries: Vec<ReplyQuery>,
    #[schemars(length(max = 8))]
    sections: Vec<ReplySection>,
    #[schemars(length(max = 400))]
    methodology: String,
    confidence: f64,
    #[schemars(length(max = 5), inner(length(max = 200)))]
    warnings: Vec<String>,
    depth: Option<ReplyDepth>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReplyDepth {
    Quick,
    Standard,
    Comprehensive,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplySubQuestion {
    #[schemars(length(max = 200))]
    text: String,
    #[schemars(length(max = 6))]
    needs: Vec<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyQuery {
    #[schemars(length(max = 200))]
    text: String,
    #[schemars(length(max = 150))]
    intent: String,
    kind: ReplyKind,
    priority: u8,
    serves: u32,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyKind {
    Web,
    Academic,
    News,
    Code,
    Local,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplySection {
    #[schemars(length(max = 100))]
    title: String,
    #[schemars(length(max = 7))]
    answers: Vec<u32>,
}

pub(super) async fn plan(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &PlanTask<'_>,
) -> Result<Plan, ReasonerError> {
    const QUERIES_LEAST: usize = 5;
    let question = task.question;
    let (depth, narrowest, widest) = match question.depth {
        AskedDepth::Exactly(depth) => (Some(depth.to_string()), depth, depth),
        AskedDepth::Auto => (None, Depth::Quick, Depth::Comprehensive),
    };
    let queries_least = QUERIES_LEAST.min(narrowest.bounds().queries);
    let faults: Vec<String> = task.faults.iter().map(ToString::to_string).collect();
    let input = json!({
        "question": prompt::plain(question.text(), 2_000),
        "context": question.context.as_deref().map(|context| prompt::plain(context, 8_000)),
        "domain": question.domain,
        "today": question.asked_on.to_string(),
        "style": question.style.to_string(),
        "depth": depth,
        "depths": depths(),
        "kinds": task.kinds,
        "queries_least": queries_least,
        "queries_most": widest.bounds().queries,
        "feedback": task.feedback.map(|feedback| prompt::plain(feedback, 2_000)),
        "faults": faults,
    });
    let asking = ModelCall {
        role: ModelRole::Planner,
        key: if task.faults.is_empty() {
            "plan".to_owned()
        } else {
            "plan/repair".to_owned()
        },
        caps: &task.caps,
    };
    let reply: PlanReply = model
        .typed(ctx, &asking, |_| prompt::request("plan", &input))
        .await?;
    Ok(reply.into())
}

impl From<PlanReply> for Plan {
    fn from(reply: PlanReply) -> Self {
        let sub_questions = reply.sub_questions.into_iter().map(|sub| SubQuestion {
            text: one_line(&sub.text),
            needs: ids(&sub.needs),
        });
        let queries = reply.queries.into_iter().map(|query| Query {
            terms: Vec::new(),
            text: one_line(&query.text),
            intent: query.intent,
            kind: query.kind.into(),
            priority: query.priority,
            serves: id(query.serves),
        });
        let sections = reply.sections.into_iter().map(|section| PlannedSection {
            title: one_line(&section.title),
            answers: ids(&section.answers),
        });
        Self {
            sub_questions: sub_questions.collect(),
            queries: queries.collect(),
            sections: sections.collect(),
            methodology: reply.methodology,
            confidence: reply.confidence,
            warnings: reply.warnings,
            depth: reply.depth.map(Depth::from),
            trace: PlanTrace {
                understanding: reply.understanding,
                decomposition: reply.decomposition,
                strategy: reply.strategy,
                outline: reply.outline,
                risks: reply.risks,
            },
        }
    }
}

/// What is set as a heading or in italics must hold no line break and end in no blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What each depth allows, for a planner that is to choose one.
fn depths() -> Value {
    [Depth::Quick, Depth::Standard, Depth::Comprehensive]
        .iter()
        .map(|depth| json!({ "name": depth.to_string(), "queries": depth.bounds().queries }))
        .collect()
}

impl From<ReplyDepth> for Depth {
    fn from(depth: ReplyDepth) -> Self {
        match depth {
            ReplyDepth::Quick => Self::Quick,
            ReplyDepth::Standard => Self::Standard,
            ReplyDepth::Comprehensive => Self::Comprehensive,
        }
    }
}

impl From<ReplyKind> for SourceKind {
    fn from(kind: ReplyKind) -> Self {
        match kind {
            ReplyKind::Web => Self::Web,
            ReplyKind::Academic => Self::Academic,
            ReplyKind::News => Self::News,
            ReplyKind::Code => Self::Code,
            ReplyKind::Local => Self::Local,
        }
    }
}

/// Models count from one. What refers to nothing is left out when the plan is repaired.
pub(super) fn id(number: u32) -> SubQuestionId {
    SubQuestionId(number.wrapping_sub(1))
}

fn ids(numbers: &[u32]) -> Vec<SubQuestionId> {
    numbers.iter().map(|number| id(*number)).collect()
}
