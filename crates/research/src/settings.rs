//! Every number of the method, by name. A run keeps the settings it was started with.
//!
//! Stored settings may hold fields that this version does not know; they are passed over. Where a person writes settings,
//! unknown names are refused by comparing them with the serialized default.

use std::time::Duration;

use fathom_providers::search::RESULTS_MAX;
pub use fathom_render::CitationStyle;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::critique::ReviewThresholds;
use crate::services::SourceScope;
use crate::skills::budget::RunBudget;
use crate::skills::cite::CitationCheckSettings;
use crate::skills::search::{SearchFilters, SearchSettings};
use crate::skills::stop::CompletenessWeights;
use crate::skills::works::WorkLookupSettings;
use crate::workflows::report::breakpoint::Breakpoint;

/// Searches, reads and sections that a machine and its providers bear at once.
const CONCURRENCY_MAX: usize = 64;

/// A setting that no run can keep to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingFault {
    /// Its name within the settings of a run, such as `max_concurrency`.
    pub setting: &'static str,
    /// What it must be.
    pub why: String,
}

/// The numbers and choices of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Folders of the asker's own documents. The program opens them; a run that is resumed finds them again.
    pub library: Vec<std::path::PathBuf>,
    /// Whether the web is searched besides a library; without a library it is searched anyway.
    pub web: bool,
    /// Whether searches are made anew, whatever was found and kept by earlier ones.
    pub fresh: bool,
    /// Words of a whole report.
    pub target_length: u32,
    /// Seconds after which a run ends with what it has.
    pub max_execution_time_s: u64,
    /// Seconds that a person waits for what a slow model adds; with less time for it, it is asked for less.
    pub model_patience_s: u64,
    /// Drafts that may follow the first.
    pub max_iterations: u32,
    /// Rounds of searching for what the first round left open.
    pub max_gap_searches: u32,
    /// Times that a poor query is put in other words.
    pub max_reformulations: u32,
    /// Turns that are spent on a poor query: searches in other words, and pages read to find such words.
    pub max_search_iterations: u32,
    /// Searches that may fail before no further round is begun.
    pub max_search_errors: u32,
    /// Results of a search beyond this are not looked at.
    pub max_results_per_query: usize,
    /// Sources of a whole run; what the depth of the question gives unless set.
    pub max_sources: Option<usize>,
    /// Which results of the web are wanted at all.
    pub filters: SearchFilters,
    /// A query with fewer useful results than this is refined.
    pub min_useful_results: usize,
    /// Searches, page reads and sections under way at once.
    pub max_concurrency: usize,
    /// Whether a model, where there is one, judges if the cited passages bear the sentences out.
    pub semantic_check: bool,
    /// Calls of the model for that, for each draft.
    pub max_semantic_calls: usize,
    /// Passages that the encoder, where there is one, reads for one question.
    pub max_encoded_passages: usize,
    /// Cited works with a DOI that are looked up in the registers for a report; 0 for none.
    pub max_work_lookups: usize,
    /// From this completeness on, 0 to 1, no further round is begun.
    pub complete_from: f64,
    /// What completeness is counted from.
    pub completeness_weights: CompletenessWeights,
    /// When a draft is good enough.
    pub review: ReviewThresholds,
    /// Words that a report avoids, in lower case.
    pub banned_words: Vec<String>,
    /// Where a person is asked.
    pub people: GateSettings,
    /// What may be spent.
    pub caps: Caps,
    /// The form of the reference list.
    #[schemars(with = "String")]
    pub citation_style: CitationStyle,
    /// How rules are relaxed where too little evidence is accepted.
    #[schemars(with = "serde_json::Value")]
    pub evidence: fathom_evidence::validate::retry::RetrySettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            library: Vec::new(),
            web: false,
            fresh: false,
            target_length: 2_000,
            max_execution_time_s: 1_800,
            model_patience_s: 300,
            max_iterations: 3,
            max_gap_searches: 2,
            max_reformulations: 2,
            max_search_iterations: 5,
            max_search_errors: 3,
            max_results_per_query: 10,
            max_sources: None,
            filters: SearchFilters::default(),
            min_useful_results: 3,
            max_concurrency: 8,
            semantic_check: true,
            max_semantic_calls: 20,
            max_encoded_passages: 100,
            max_work_lookups: 20,
            complete_from: 0.95,
            completeness_weights: CompletenessWeights::default(),
            review: ReviewThresholds::default(),
            banned_words: fathom_evidence::banned::default_words(),
            people: GateSettings::default(),
            caps: Caps::default(),
            citation_style: CitationStyle::default(),
            evidence: fathom_evidence::validate::retry::RetrySettings::default(),
        }
    }
}

impl Settings {
    /// Where the run may look: in its library, and on the web if that is asked for or there is no library.
    pub fn scope(&self) -> SourceScope<'_> {
        SourceScope {
            library: &self.library,
            web: self.web || self.library.is_empty(),
        }
    }

    /// The first number or choice that no run can keep to: its name, and what it must be.
    pub fn check(&self) -> Result<(), SettingFault> {
        let fault = |setting: &'static str, why: String| Err(SettingFault { setting, why });
        let within = |setting, value: usize, most: usize| match value {
            _ if (1..=most).contains(&value) => Ok(()),
            _ => fault(setting, format!("it must be from 1 to {most}")),
        };
        within(
            "max_results_per_query",
            self.max_results_per_query,
            RESULTS_MAX,
        )?;
        within("max_concurrency", self.max_concurrency, CONCURRENCY_MAX)?;
        let share = |setting, value: f64| match value {
            _ if (0.0..=1.0).contains(&value) => Ok(()),
            _ => fault(setting, "it must be from 0 to 1".to_owned()),
        };
        share("complete_from", self.complete_from)?;
        share("caps.writing_reserve", self.caps.writing_reserve)?;
        if let Some(why) = self.filters.fault() {
            return fault("filters", why.to_string());
        }
        let style = self.citation_style.check();
        style.or_else(|error| fault("citation_style", error.to_string()))
    }

    /// What searching needs of them.
    pub fn search(&self) -> SearchSettings<'_> {
        SearchSettings {
            scope: self.scope(),
            fresh: self.fresh,
            max_results_per_query: self.max_results_per_query,
            min_useful_results: self.min_useful_results,
            max_reformulations: self.max_reformulations,
            max_search_iterations: self.max_search_iterations,
            max_encoded_passages: self.max_encoded_passages,
            max_concurrency: self.max_concurrency,
            filters: Some(&self.filters),
            caps: self.caps,
        }
    }

    /// What the check of citations needs of them.
    pub(crate) fn citation_check(&self) -> CitationCheckSettings {
        CitationCheckSettings {
            semantic_check: self.semantic_check,
            doubtful_only: false,
            max_semantic_calls: self.max_semantic_calls,
            max_concurrency: self.max_concurrency,
        }
    }

    /// What the look-up of cited works needs of them.
    pub(crate) fn work_lookups(&self) -> WorkLookupSettings<'_> {
        WorkLookupSettings {
            scope: self.scope(),
            max_work_lookups: self.max_work_lookups,
            max_concurrency: self.max_concurrency,
        }
    }

    /// What a run that was started then may use up.
    pub fn budget(&self, started_at: Timestamp) -> RunBudget {
        RunBudget {
            caps: self.caps,
            time_limit: self.time_limit(),
            started_at,
        }
    }

    /// How long a person waits for what a slow model adds.
    pub fn model_patience(&self) -> Duration {
        Duration::from_secs(self.model_patience_s)
    }

    /// How long a run may take.
    pub fn time_limit(&self) -> Duration {
        Duration::from_secs(self.max_execution_time_s)
    }
}

/// Where a person is asked, and how long a run waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GateSettings {
    /// Whether a person looks at the plan.
    pub hitl_after_planning: bool,
    /// Whether a person looks at the report before it is handed over.
    pub hitl_before_output: bool,
    /// Whether a person is asked about a draft with a critical fault.
    pub hitl_on_critical: bool,
    /// Seconds that a run waits for a word on the plan.
    pub plan_review_s: u64,
    /// Seconds that a run waits for a word on the report.
    pub final_review_s: u64,
    /// Seconds that a run waits for a word on a critical fault.
    pub critical_review_s: u64,
    /// Whether a deadline approves; else it rejects.
    pub auto_approve_on_timeout: bool,
    /// Stops of a person's own. Where two meet, the first asks.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub breakpoints: Vec<Breakpoint>,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            hitl_after_planning: false,
            hitl_before_output: false,
            hitl_on_critical: false,
            plan_review_s: 1_800,
            final_review_s: 3_600,
            critical_review_s: 7_200,
            auto_approve_on_timeout: false,
            breakpoints: Vec::new(),
        }
    }
}

/// What a run may spend at most; nothing means no cap. A share is kept back for writing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Caps {
    /// Tokens of all model calls, both ways.
    pub tokens: Option<u64>,
    /// In millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// Searches of the whole run.
    pub queries: Option<u64>,
    /// Pages fetched by the whole run.
    pub fetches: Option<u64>,
    /// The share of time, tokens and money that searching must leave.
    pub writing_reserve: f64,
}

impl Caps {
    /// The cap on money in the unit of the meter.
    pub fn cost_picos(&self) -> Option<u64> {
        self.cost_micros
            .map(|micros| micros.saturating_mul(1_000_000))
    }

    /// The caps on tokens and money for work that must leave the share kept for writing.
    #[must_use]
    pub fn before_reserve(&self) -> Self {
        let share = 1.0 - self.writing_reserve.clamp(0.0, 1.0);
        let part = |cap: u64| (cap as f64 * share) as u64;
        Self {
            tokens: self.tokens.map(part),
            cost_micros: self.cost_micros.map(part),
            ..*self
        }
    }
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            tokens: None,
            cost_micros: None,
            queries: None,
            fetches: None,
            writing_reserve: 0.25,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_settings_of_another_version_are_read() {
        let stored = r#"{"target_length": 700, "of_tomorrow": 1, "caps": {"tokens": 5, "of_tomorrow": 2},
            "people": {"of_tomorrow": 3}}"#;
        let settings: Settings = serde_json::from_str(stored).unwrap();
        assert_eq!(settings.target_length, 700);
        assert_eq!(settings.caps.tokens, Some(5));
        assert_eq!(settings.max_iterations, Settings::default().max_iterations);
    }
}
