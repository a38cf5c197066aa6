//! The workflow `search`: one query, put once, with what it found as it came. Nothing is read and nothing is judged.

use std::path::PathBuf;
use std::time::Duration;

use fathom_workflow::{
    BeginResult, Definition, END, FirstState, Graph, GraphError, InvalidInput, InvalidUpdate,
    NodeError, NodeResult,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::AnswerSettings;
use crate::plan::{Query, SourceKind, SubQuestionId};
use crate::question::Question;
use crate::reasoner::Ctx;
use crate::services::{Services, SourceScope};
use crate::settings::Caps;
use crate::skills::search::{self, SearchTask};

/// The workflow's name, saved in every log.
pub const NAME: &str = "search";

/// Puts the query. Names of nodes are saved in logs and stay.
const FIND: &str = "find";

/// How long a search may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);

const RESULTS_MOST: usize = 50;

/// What a run is started with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchInput {
    /// What is searched for, in 2 to 2,000 characters.
    #[schemars(length(min = 2, max = 2_000))]
    pub query: String,
    /// Where: web, academic, news, code or local. A library is searched where one is named, else the web.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub kind: Option<SourceKind>,
    /// Results at most, 1 to 50.
    #[serde(default = "usual_limit")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: usize,
    /// Folders of the asker's own documents.
    #[serde(default)]
    pub library: Vec<PathBuf>,
}

fn usual_limit() -> usize {
    10
}

/// What a run knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchState {
    question: Question,
    asked: SearchInput,
    found: Option<SearchFound>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchFound {
    /// As it was asked.
    pub query: String,
    /// Who answered.
    pub provider: String,
    /// The best first.
    pub results: Vec<FoundResult>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundResult {
    /// Its title; may be empty.
    pub title: String,
    /// Its address, or its path inside a library.
    pub location: String,
    /// Where it was found.
    pub kind: SourceKind,
    /// What the search says of it.
    pub snippet: String,
    /// How well it fits, 0 to 1.
    pub relevance: f64,
}

impl fathom_workflow::State for SearchState {
    type Update = SearchFound;

    fn apply(&mut self, found: &SearchFound) -> Result<(), InvalidUpdate> {
        self.found = Some(found.clone());
        Ok(())
    }
}

impl SearchState {
    fn scope(&self) -> SourceScope<'_> {
        SourceScope {
            library: &self.asked.library,
            web: self.asked.library.is_empty() || self.kind() != SourceKind::Local,
        }
    }

    fn kind(&self) -> SourceKind {
        let usual = if self.asked.library.is_empty() {
            SourceKind::Web
        } else {
            SourceKind::Local
        };
        self.asked.kind.unwrap_or(usual)
    }
}

async fn find(state: &SearchState, ctx: &Ctx) -> NodeResult<SearchState> {
    let usual = AnswerSettings::default();
    let mut settings = usual.search();
    settings.scope = state.scope();
    settings.max_results_per_query = state.asked.limit;
    let task = SearchTask {
        question: &state.question,
        settings,
        queries: &[],
        sources: &[],
        max_sources: state.asked.limit,
        refined_by_model: false,
    };
    let query = Query {
        terms: Vec::new(),
        text: state.asked.query.clone(),
        intent: String::new(),
        kind: state.kind(),
        priority: 1,
        serves: SubQuestionId(0),
    };
    let answered = search::once(&task, ctx, &query, "search".to_owned()).await?;
    if let Some(failure) = answered.failure {
        return Err(NodeError::new(failure.message));
    }
    let provider = match answered.outcome {
        search::SearchOutcome::Found { provider, .. } => provider,
        search::SearchOutcome::Failed { why } => return Err(NodeError::new(why)),
    };
    let results = answered.hits.into_iter().take(state.asked.limit);
    let results = results.map(|hit| FoundResult {
        title: hit.about.title,
        location: hit.location,
        kind: hit.kind,
        snippet: hit.snippet,
        relevance: hit.relevance,
    });
    Ok(SearchFound {
        query: state.asked.query.clone(),
        provider,
        results: results.collect(),
    })
}

/// The workflow `search`, for a host to register.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchWorkflow;

impl Definition for SearchWorkflow {
    type State = SearchState;
    type Deps = Services;
    type Input = SearchInput;

    fn graph(&self) -> Result<Graph<SearchState, Services>, GraphError> {
        let graph = Graph::new(NAME).node(FIND, find).start(FIND);
        graph.edge(FIND, END).phase(FIND, |_| "searching").build()
    }

    fn begin(
        &self,
        mut asked: SearchInput,
        services: &Services,
        now: Timestamp,
    ) -> BeginResult<SearchState> {
        if !(1..=RESULTS_MOST).contains(&asked.limit) {
            let why = format!("it is 1 to {RESULTS_MOST}");
            return Err(InvalidInput::at("limit", why));
        }
        for root in &mut asked.library {
            let absolute = services.libraries.absolute(root);
            *root = absolute.map_err(|error| InvalidInput::at("library", error))?;
        }
        let today = now.to_zoned(TimeZone::UTC).date();
        let question = Question::parse_short(&asked.query, today);
        let question = question.map_err(|error| InvalidInput::at("query", error))?;
        Ok(FirstState {
            title: asked.query.trim().to_owned(),
            time_limit: Some(TIME_LIMIT),
            state: SearchState {
                question,
                asked,
                found: None,
            },
        })
    }

    fn check_ready(&self, state: &SearchState, services: &Services) -> Result<(), String> {
        let scope = state.scope();
        services.check(scope, &Caps::default())?;
        if services.kinds(scope).contains(&state.kind()) {
            Ok(())
        } else {
            Err(format!(
                "there is no provider for {} searches here; configure one, or name a library",
                json!(state.kind()).as_str().unwrap_or("such")
            ))
        }
    }

    fn outcome(&self, state: &SearchState) -> Option<Value> {
        state.found.as_ref().map(|found| json!(found))
    }
}
