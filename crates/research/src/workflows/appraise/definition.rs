//! The appraisal as a workflow of the host: what it is started with and what it brings.

use std::path::PathBuf;
use std::time::Duration;

use fathom_evidence::validate::retry::RetrySettings;
use fathom_workflow::{BeginResult, Definition, FirstState, Graph, GraphError, InvalidInput};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::review;
use super::state::State;
use crate::rob2::{Effect, OverallRule, SignalAnswer};
use crate::services::{Services, SourceScope};
use crate::settings::Caps;

/// A run that takes longer is cut off; the judgements by phrase rules take a second.
const TIME_LIMIT: Duration = Duration::from_secs(1_800);

/// What a run is started with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppraiseInput {
    /// The report of the trial: PDF, HTML, Word, Markdown or plain text.
    pub document: PathBuf,
    /// The trial's protocol or register entry; it is searched for domain 5.
    #[serde(default)]
    pub protocol: Option<PathBuf>,
    /// The effect that the review is interested in.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["assignment", "adherence"]))]
    pub effect: Effect,
    /// The outcome whose result is appraised; the primary one where none is named.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub outcome: Option<String>,
    /// When several domains with some concerns make a high risk.
    #[serde(default)]
    pub overall_rule: OverallRule,
    /// Answers that a person gives; they stand before any other.
    #[serde(default)]
    pub answers: Vec<GivenAnswer>,
    /// Whether a person looks at the answers before the appraisal goes out.
    #[serde(default)]
    pub review: bool,
    /// How long the run waits for that person, in seconds.
    #[serde(default = "review_within_s")]
    pub review_within_s: u64,
    /// Whether it goes out as it is when that time is over; else it is marked as not accepted.
    #[serde(default)]
    pub auto_approve_on_timeout: bool,
    /// What may be spent on a model.
    #[serde(default)]
    pub caps: Caps,
    /// How evidence is validated, and when it is looked for again.
    #[serde(default)]
    #[schemars(with = "Value")]
    pub validation: RetrySettings,
}

/// A week: people who review trials come back to them.
pub const REVIEW_WITHIN_S: u64 = 7 * 24 * 60 * 60;

fn review_within_s() -> u64 {
    REVIEW_WITHIN_S
}

/// A person's answer to a signalling question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenAnswer {
    /// Its id, such as `4.3`.
    pub question: String,
    /// `Y`, `PY`, `PN`, `N`, `NI` or `NA`.
    #[schemars(with = "String", extend("enum" = ["Y", "PY", "PN", "N", "NI", "NA"]))]
    pub answer: SignalAnswer,
    /// Who answers.
    #[serde(default)]
    pub by: String,
    /// Why.
    #[serde(default)]
    pub why: String,
}

/// The workflow `appraise`, for a host to register.
#[derive(Clone, Copy, Debug, Default)]
pub struct AppraiseWorkflow;

impl Definition for AppraiseWorkflow {
    type State = State;
    type Deps = Services;
    type Input = AppraiseInput;

    fn graph(&self) -> Result<Graph<State, Services>, GraphError> {
        super::graph::graph()
    }

    fn begin(
        &self,
        mut input: AppraiseInput,
        services: &Services,
        _: Timestamp,
    ) -> BeginResult<State> {
        for (nth, given) in input.answers.iter_mut().enumerate() {
            given.check(nth, input.effect)?;
            if given.by.trim().is_empty() {
                given.by = "a reviewer".to_owned();
            }
        }
        let files = [Some(&mut input.document), input.protocol.as_mut()];
        for (field, file) in ["document", "protocol"].into_iter().zip(files) {
            if let Some(file) = file {
                let absolute = services.libraries.absolute(file);
                *file = absolute.map_err(|error| InvalidInput::at(field, error))?;
            }
        }
        let outcome = input.outcome.take().map(|text| text.trim().to_owned());
        input.outcome = outcome.filter(|text| !text.is_empty());
        Ok(FirstState {
            title: title(&input),
            time_limit: Some(TIME_LIMIT),
            state: State::new(input),
        })
    }

    fn check_ready(&self, state: &State, services: &Services) -> Result<(), String> {
        let scope = SourceScope {
            library: &[],
            web: false,
        };
        services.check(scope, &state.input.caps)
    }

    fn outcome_kind(&self) -> &'static str {
        fathom_render::appraisal::KIND
    }

    fn outcome(&self, state: &State) -> Option<Value> {
        state.appraisal.as_deref().map(|appraisal| json!(appraisal))
    }

    fn editable(&self, state: &State) -> Option<Value> {
        review::editable(state)
    }

    fn check_edits(&self, state: &State, edits: &Value) -> Result<(), InvalidInput> {
        review::given_at_review(state, edits).map(drop)
    }
}

fn title(input: &AppraiseInput) -> String {
    let name = input.document.file_name().unwrap_or_default();
    format!("Risk of bias: {}", name.to_string_lossy())
}
