//! What the tools take. The descriptions of the fields are what an assistant reads before it calls one.

use fathom_research::skills::search::SearchFilters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::http::actions::{GateName, ReviewBody, WireVerdict};
use crate::http::admit::given;
use crate::http::search::SearchBody;

/// A question for a report.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ResearchArguments {
    /// What is asked, in 10 to 2,000 characters.
    #[schemars(length(min = 10, max = 2_000))]
    question: String,
    /// What else the report should take into account.
    #[serde(default)]
    context: Option<String>,
    /// How far the research goes; without it, standard.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["quick", "standard", "comprehensive", "auto"]))]
    depth: Option<String>,
    /// How the report is written.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["academic", "technical", "executive"]))]
    style: Option<String>,
    /// Words of the report.
    #[serde(default)]
    length: Option<u64>,
    /// Libraries to search, by name; without it, the person's own documents where there are some.
    #[serde(default)]
    library: Option<Vec<String>>,
    /// Whether the web is searched besides a library.
    #[serde(default)]
    web: Option<bool>,
    /// Which results of the web are wanted at all.
    #[serde(default)]
    filters: Option<SearchFilters>,
    /// Where a person is asked before the run goes on: plan, final, critical.
    #[serde(default)]
    review: Vec<ReviewPoint>,
    /// Give the run's id at once, and ask run_status later; else the report is waited for.
    #[serde(default)]
    pub r#async: bool,
}

/// A place where a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReviewPoint {
    /// After planning.
    Plan,
    /// Before the report is handed over.
    Final,
    /// At a draft with a critical fault.
    Critical,
}

impl ResearchArguments {
    /// The workflow's input for them.
    pub fn input(self) -> Map<String, Value> {
        let asks = |point| self.review.contains(&point).then_some(true);
        let people = given(json!({
            "hitl_after_planning": asks(ReviewPoint::Plan),
            "hitl_before_output": asks(ReviewPoint::Final),
            "hitl_on_critical": asks(ReviewPoint::Critical),
        }));
        let settings = given(json!({
            "library": self.library,
            "web": self.web,
            "filters": self.filters,
            "target_length": self.length,
            "people": people,
        }));
        given(json!({
            "question": self.question,
            "context": self.context,
            "depth": self.depth,
            "style": self.style,
            "settings": settings,
        }))
    }
}

/// A question for a short answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AnswerArguments {
    /// What is asked, in 10 to 2,000 characters.
    #[schemars(length(min = 10, max = 2_000))]
    question: String,
    /// How far the search goes: 2, 5 or 10 rounds; without it the planner chooses.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["simple", "standard", "deep", "auto"]))]
    tier: Option<String>,
    /// Seconds after which the answer is made from what there is.
    #[serde(default)]
    max_execution_time_s: Option<u64>,
    /// Libraries to search, by name; without it, the person's own documents where there are some, else the web.
    #[serde(default)]
    library: Option<Vec<String>>,
    /// Whether the web is searched besides a library.
    #[serde(default)]
    web: Option<bool>,
    /// Which results of the web are wanted at all.
    #[serde(default)]
    filters: Option<SearchFilters>,
    /// Give the run's id at once, and ask run_status later; else the answer is waited for.
    #[serde(default)]
    pub r#async: bool,
}

impl AnswerArguments {
    /// The workflow's input for them.
    pub fn input(self) -> Map<String, Value> {
        let settings = given(json!({
            "max_execution_time_s": self.max_execution_time_s,
            "library": self.library,
            "web": self.web,
            "filters": self.filters,
        }));
        given(json!({ "question": self.question, "tier": self.tier, "settings": settings }))
    }
}

/// A question to documents at hand.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AskArguments {
    /// What is asked, in 2 to 2,000 characters.
    #[schemars(length(min = 2, max = 2_000))]
    question: String,
    /// Libraries to ask, by name; without it, the person's own documents.
    #[serde(default)]
    library: Option<Vec<String>>,
}

impl AskArguments {
    /// The workflow's input for them.
    pub fn input(self) -> Map<String, Value> {
        let settings = given(json!({ "library": self.library }));
        given(json!({ "question": self.question, "settings": settings }))
    }
}

/// A query.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchArguments {
    /// What is searched for.
    #[schemars(length(min = 2, max = 2_000))]
    query: String,
    /// Where; without it, the person's own documents where there are some, else the web.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["web", "academic", "news", "code", "local"]))]
    kind: Option<String>,
    /// Results at most, 1 to 50; without it, 10.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
    /// Libraries to search, by name.
    #[serde(default)]
    library: Option<Vec<String>>,
}

impl From<SearchArguments> for SearchBody {
    fn from(asked: SearchArguments) -> Self {
        Self {
            query: asked.query,
            kind: asked.kind,
            limit: asked.limit,
            library: asked.library,
        }
    }
}

/// Which stored text is wanted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SourceArguments {
    /// The run that read it.
    pub run: String,
    /// Its number, as the report or answer cites it: 1 for [1].
    #[schemars(range(min = 1))]
    pub source: u32,
    /// The character to begin with, from 0; a text that goes on says where.
    #[serde(default)]
    pub from: usize,
    /// Characters at most, 1 to 50,000; without it, 10,000.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50_000))]
    pub limit: Option<usize>,
}

/// Which run is asked about.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StatusArguments {
    /// The run.
    pub run: String,
    /// Seconds to wait for its end before telling how it stands, at most 600.
    #[serde(default)]
    #[schemars(range(max = 600))]
    pub wait_s: u64,
}

/// A person's decision at a gate.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReviewArguments {
    /// The run that waits.
    pub run: String,
    /// What the person decides.
    verdict: WireVerdict,
    /// Changed fields, for modify; `gate.editable` of the run shows which there are.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    edits: Option<Value>,
    /// What to do better, for modify or reject.
    #[serde(default)]
    feedback: Option<String>,
    /// The gate that was looked at, as run_status shows it. A decision never falls to a later one.
    #[serde(default)]
    gate: Option<GateName>,
}

impl From<ReviewArguments> for ReviewBody {
    fn from(asked: ReviewArguments) -> Self {
        Self {
            verdict: asked.verdict,
            edits: asked.edits,
            feedback: asked.feedback,
            gate: asked.gate,
        }
    }
}
