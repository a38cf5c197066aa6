//! What a run of `answer` is started with.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::question::{AskedDepth, Depth};
use crate::services::SourceScope;
use crate::settings::Caps;
use crate::skills::budget::RunBudget;
use crate::skills::cite::CitationCheckSettings;
use crate::skills::search::{SearchFilters, SearchSettings};

/// What a run is started with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerInput {
    /// What is asked, in 10 to 2,000 characters.
    #[schemars(length(min = 10, max = 2_000))]
    pub question: String,
    /// How far the run goes: 2, 5 or 10 rounds. Without it the planner chooses.
    #[serde(default = "classified")]
    #[schemars(with = "String", extend("enum" = ["simple", "standard", "deep", "auto"]))]
    pub tier: AskedDepth,
    /// Every other setting; those that are left out have their defaults.
    #[serde(default)]
    pub settings: AnswerSettings,
}

fn classified() -> AskedDepth {
    AskedDepth::Auto
}

/// The numbers of a run, by name. What is not set follows from the tier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnswerSettings {
    /// Folders of the asker's own documents.
    pub library: Vec<PathBuf>,
    /// Whether the web is searched besides a library; without a library it is searched anyway.
    pub web: bool,
    /// Whether searches are made anew, whatever was kept of earlier ones.
    pub fresh: bool,
    /// Rounds of searching.
    pub max_iters: Option<u32>,
    /// Queries of the plan.
    pub max_queries: Option<usize>,
    /// Sources of the whole run.
    pub max_sources: Option<usize>,
    /// Seconds after which a run ends with what it has; 60 for simple tasks, 120 for others.
    pub max_execution_time_s: Option<u64>,
    /// Tokens of all model calls, both ways.
    pub token_budget: u64,
    /// What may be spent in millionths of a dollar; nothing means no cap.
    pub max_cost_micros: Option<u64>,
    /// With less than this share of the tokens left, older results are kept as summaries.
    pub compact_below: f64,
    /// With a larger state than this many tokens, older results are kept as summaries.
    pub compact_above_tokens: u64,
    /// Results of a search beyond this are not looked at.
    pub max_results_per_query: usize,
    /// Which results of the web are wanted at all.
    pub filters: SearchFilters,
    /// A query with fewer useful results than this is put in other words.
    pub min_useful_results: usize,
    /// Times that a poor query is put in other words.
    pub max_reformulations: u32,
    /// Searches that may fail before no further round is begun.
    pub max_search_errors: usize,
    /// Sentences of the answer.
    pub max_sentences: usize,
    /// Passages that the encoder, where there is one, reads for one question.
    pub max_encoded_passages: usize,
    /// Searches and page reads under way at once.
    pub max_concurrency: usize,
    /// Whether a model, where there is one, judges if the cited passages bear the sentences out.
    pub semantic_check: bool,
}

impl Default for AnswerSettings {
    fn default() -> Self {
        Self {
            library: Vec::new(),
            web: false,
            fresh: false,
            max_iters: None,
            max_queries: None,
            max_sources: None,
            max_execution_time_s: None,
            token_budget: 200_000,
            max_cost_micros: None,
            compact_below: 0.25,
            compact_above_tokens: 50_000,
            max_results_per_query: 10,
            filters: SearchFilters::default(),
            min_useful_results: 3,
            max_reformulations: 2,
            max_search_errors: 3,
            max_sentences: 8,
            max_encoded_passages: 100,
            max_concurrency: 8,
            semantic_check: true,
        }
    }
}

/// Turns that are spent on one poor query, page reads included.
const SEARCH_TURNS: u32 = 3;

/// Calls of the model to judge an answer's citations.
const SEMANTIC_CALLS: usize = 4;

/// Seconds for a simple task, and for others.
const SIMPLE_S: u64 = 60;
const OTHERS_S: u64 = 120;

impl AnswerSettings {
    /// Where the run may look: in its library, and on the web if that is asked for or there is no library.
    pub fn scope(&self) -> SourceScope<'_> {
        SourceScope {
            library: &self.library,
            web: self.web || self.library.is_empty(),
        }
    }

    /// How long a run may take.
    pub fn time_limit(&self, tier: AskedDepth) -> Duration {
        let usual = match tier {
            AskedDepth::Exactly(Depth::Quick) => SIMPLE_S,
            AskedDepth::Exactly(_) | AskedDepth::Auto => OTHERS_S,
        };
        Duration::from_secs(self.max_execution_time_s.unwrap_or(usual))
    }

    /// What the run may spend. The share kept for writing is that below which results are compacted.
    pub fn caps(&self) -> Caps {
        Caps {
            tokens: Some(self.token_budget),
            cost_micros: self.max_cost_micros,
            ..Caps::default()
        }
    }

    /// What a run that was started then may use up.
    pub fn budget(&self, tier: AskedDepth, started_at: Timestamp) -> RunBudget {
        RunBudget {
            caps: self.caps(),
            time_limit: self.time_limit(tier),
            started_at,
        }
    }

    /// What searching needs of them.
    pub(crate) fn search(&self) -> SearchSettings<'_> {
        SearchSettings {
            scope: self.scope(),
            fresh: self.fresh,
            max_results_per_query: self.max_results_per_query,
            min_useful_results: self.min_useful_results,
            max_reformulations: self.max_reformulations,
            max_search_iterations: SEARCH_TURNS,
            max_encoded_passages: self.max_encoded_passages,
            max_concurrency: self.max_concurrency,
            filters: Some(&self.filters),
            caps: self.caps(),
        }
    }

    /// What the check of citations needs of them.
    pub(crate) fn citation_check(&self) -> CitationCheckSettings {
        CitationCheckSettings {
            semantic_check: self.semantic_check,
            doubtful_only: false,
            max_semantic_calls: SEMANTIC_CALLS,
            max_concurrency: self.max_concurrency,
        }
    }
}
