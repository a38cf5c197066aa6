//! What happens after validation: go on, go on marked, or try again with wider and softer rules.
//!
//! A plain state that a workflow keeps and hands in again: it does no work itself. Only questions
//! that failed are tried again, each retry is written down, and what is accepted under softer rules
//! is marked so. No rule lets a quote pass that is not in its source.

use serde::{Deserialize, Serialize};

use super::existence::QuoteMode;
use super::{Validation, ValidationRules};

/// How much wider a retry looks, and how far that goes.
const PER_QUERY_TOP_N_CAP: usize = 200;
const TOP_K_STEP: usize = 3;
const TOP_K_CAP: usize = 10;
const RELAXED_MIN_CONFIDENCE: f64 = 0.3;

/// What a retry may change, and when there is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetrySettings {
    /// How often evidence is looked for again.
    pub validation_max_retries: u32,
    /// Whether a conflict sends its questions back.
    pub validation_fail_on_consistency: bool,
    /// Whether the rules are relaxed for a retry.
    pub validation_relax_on_retry: bool,
    /// As in [`crate::locate::LocateSettings`]; a retry turns it off.
    pub use_structure: bool,
    /// As in [`crate::locate::LocateSettings`]; a retry raises it.
    pub per_query_top_n: usize,
    /// As in [`crate::locate::LocateSettings`]; a retry raises it.
    pub top_k: usize,
    /// What evidence must pass.
    #[serde(flatten)]
    pub rules: ValidationRules,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            validation_max_retries: 1,
            validation_fail_on_consistency: true,
            validation_relax_on_retry: true,
            use_structure: true,
            per_query_top_n: 50,
            top_k: 5,
            rules: ValidationRules::default(),
        }
    }
}

/// A setting that a retry changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// The name of the setting.
    pub setting: String,
    /// Its value before.
    pub from: String,
    /// Its value now.
    pub to: String,
}

/// One retry, as it is kept in `validation_retry_log`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryEntry {
    /// From 1.
    pub attempt: u32,
    /// How many retries there may be.
    pub limit: u32,
    /// The questions without enough evidence.
    pub failed_questions: Vec<String>,
    /// What was changed for this retry.
    pub changes: Vec<SettingChange>,
}

/// Where validation stands. It is saved between attempts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Retry {
    /// The settings that now hold.
    pub settings: RetrySettings,
    /// How many retries there have been.
    pub validation_attempt: u32,
    /// The retries so far, in order.
    pub validation_retry_log: Vec<RetryEntry>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryDecision {
    /// Every question has enough evidence.
    Proceed,
    /// Go on although something is missing or in conflict, and say so.
    ProceedMarked {
        /// The questions without enough evidence.
        failed_questions: Vec<String>,
        /// How many conflicts are left.
        conflicts: usize,
    },
    /// Locate these questions again under the settings that now hold.
    Retry {
        /// The questions without enough evidence.
        failed_questions: Vec<String>,
        /// What was changed for the retry.
        changes: Vec<SettingChange>,
    },
}

impl Retry {
    /// Before the first attempt.
    pub fn new(settings: RetrySettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Decides from what validation found, and keeps what was decided.
    pub fn decide(&mut self, validation: &Validation) -> RetryDecision {
        let failed_questions = self.failed(validation);
        if failed_questions.is_empty() {
            return RetryDecision::Proceed;
        }
        if self.validation_attempt >= self.settings.validation_max_retries {
            let conflicts = validation.conflicts.len();
            return RetryDecision::ProceedMarked {
                failed_questions,
                conflicts,
            };
        }
        self.validation_attempt += 1;
        let before = self.settings;
        self.settings = wider(before);
        let changes = changes(&before, &self.settings);
        self.validation_retry_log.push(RetryEntry {
            attempt: self.validation_attempt,
            limit: self.settings.validation_max_retries,
            failed_questions: failed_questions.clone(),
            changes: changes.clone(),
        });
        RetryDecision::Retry {
            failed_questions,
            changes,
        }
    }

    /// Questions without enough evidence and, where conflicts count, those whose evidence is in one.
    fn failed(&self, validation: &Validation) -> Vec<String> {
        let conflicts: &[_] = if self.settings.validation_fail_on_consistency {
            &validation.conflicts
        } else {
            &[]
        };
        let disputed = |question: &str| {
            let own = validation
                .evidence
                .iter()
                .filter(|e| e.accepted && e.candidate.question == question);
            own.into_iter().any(|e| {
                let holds = |side: &super::consistency::ConflictSide| {
                    side.source == e.candidate.source && e.candidate.span.holds(side.span)
                };
                conflicts.iter().any(|c| holds(&c.left) || holds(&c.right))
            })
        };
        let failed = validation
            .completeness
            .iter()
            .filter(|c| !c.met || disputed(&c.question));
        failed.map(|c| c.question.clone()).collect()
    }
}

fn wider(before: RetrySettings) -> RetrySettings {
    let mut after = before;
    after.use_structure = false;
    // A setting above its cap stays: a retry never looks at less.
    let doubled = before
        .per_query_top_n
        .saturating_mul(2)
        .min(PER_QUERY_TOP_N_CAP);
    after.per_query_top_n = doubled.max(before.per_query_top_n);
    let more = before.top_k.saturating_add(TOP_K_STEP).min(TOP_K_CAP);
    after.top_k = more.max(before.top_k);
    if before.validation_relax_on_retry {
        after.rules.completeness_require_relevance = false;
        after.rules.relevance_min_confidence =
            RELAXED_MIN_CONFIDENCE.min(before.rules.relevance_min_confidence);
        after.rules.relevance_require_quote = false;
        after.rules.existence = QuoteMode::Normalised;
        after.rules.relaxed = true;
    }
    after
}

fn changes(before: &RetrySettings, after: &RetrySettings) -> Vec<SettingChange> {
    let shown = |s: &RetrySettings| {
        [
            ("use_structure", s.use_structure.to_string()),
            ("per_query_top_n", s.per_query_top_n.to_string()),
            ("top_k", s.top_k.to_string()),
            (
                "completeness_require_relevance",
                s.rules.completeness_require_relevance.to_string(),
            ),
            (
                "relevance_min_confidence",
                s.rules.relevance_min_confidence.to_string(),
            ),
            (
                "relevance_require_quote",
                s.rules.relevance_require_quote.to_string(),
            ),
            (
                "existence",
                match s.rules.existence {
                    QuoteMode::Exact => "exact".to_owned(),
                    QuoteMode::Normalised => "normalised".to_owned(),
                },
            ),
        ]
    };
    let pairs = shown(before).into_iter().zip(shown(after));
    let changed = pairs.filter(|(a, b)| a.1 != b.1);
    changed
        .map(|((setting, from), (_, to))| SettingChange {
            setting: setting.to_owned(),
            from,
            to,
        })
        .collect()
}
