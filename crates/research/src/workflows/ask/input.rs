//! What a run of `ask` is started with.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::services::SourceScope;
use crate::settings::Caps;
use crate::skills::budget::RunBudget;

/// What a run is started with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskInput {
    /// What is asked, in 2 to 2,000 characters.
    #[schemars(length(min = 2, max = 2_000))]
    pub question: String,
    /// What was asked and answered before in the same talk, the oldest first.
    #[serde(default)]
    pub earlier: Vec<AskedTurn>,
    /// Every other setting; those that are left out have their defaults.
    #[serde(default)]
    pub settings: AskSettings,
}

/// Something that was asked and answered earlier in the same talk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedTurn {
    /// As it was asked.
    pub question: String,
    /// The question in full, where it leaned on an earlier one.
    #[serde(default)]
    pub in_full: Option<String>,
    /// What was answered, as plain text.
    pub answer: String,
}

/// The numbers of a run, by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskSettings {
    /// Folders of the asker's own documents.
    pub library: Vec<PathBuf>,
    /// Passages that the answer is chosen from and that are assessed.
    pub max_results: usize,
    /// Passages that are shown with the answer.
    pub max_sources: usize,
    /// From this quality on, 0 to 1, passages are good enough.
    pub quality_threshold: f64,
    /// From this coverage on.
    pub coverage_threshold: f64,
    /// From this relevance on.
    pub relevance_threshold: f64,
    /// Seconds after which a run ends with what it has.
    pub max_execution_time_s: u64,
    /// Passages and sentences that the encoder, where there is one, reads for one question.
    pub max_encoded_passages: usize,
    /// Searches under way at once.
    pub max_concurrency: usize,
    /// What may be spent.
    pub caps: Caps,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            library: Vec::new(),
            max_results: 10,
            max_sources: 5,
            quality_threshold: 0.7,
            coverage_threshold: 0.5,
            relevance_threshold: 0.6,
            max_execution_time_s: 60,
            max_encoded_passages: 100,
            max_concurrency: 8,
            caps: Caps::default(),
        }
    }
}

impl AskSettings {
    /// The run's library and nothing else.
    pub fn scope(&self) -> SourceScope<'_> {
        SourceScope {
            library: &self.library,
            web: false,
        }
    }

    /// How long a run may take.
    pub fn time_limit(&self) -> Duration {
        Duration::from_secs(self.max_execution_time_s)
    }

    /// What a run that was started then may use up.
    pub fn budget(&self, started_at: Timestamp) -> RunBudget {
        RunBudget {
            caps: self.caps,
            time_limit: self.time_limit(),
            started_at,
        }
    }

    /// The least number of passages that is enough.
    pub fn results_wanted(&self) -> usize {
        const RESULTS_LEAST: usize = 3;
        RESULTS_LEAST.max(self.max_results / 2)
    }
}
