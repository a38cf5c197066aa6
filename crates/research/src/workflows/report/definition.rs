//! The report as a workflow of the host: what it is started with, what it brings, and what a person may edit.

use fathom_workflow::{Definition, FirstState, Graph, GraphError, InvalidInput};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::edits::{Editable, InvalidEdit};
use super::state::State;
use crate::question::{AskedDepth, QUESTION_CHARS, Question, ReportStyle};
use crate::services::Services;
use crate::settings::Settings;

/// What a run is started with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportInput {
    /// What is asked, in 10 to 2,000 characters.
    pub question: String,
    /// What else the report should take into account.
    #[serde(default)]
    pub context: Option<String>,
    /// How far the run goes.
    #[serde(default)]
    pub depth: AskedDepth,
    /// How the report is written.
    #[serde(default)]
    pub style: ReportStyle,
    /// Every other setting; those that are left out have their defaults.
    #[serde(default)]
    pub settings: Settings,
    /// When it was asked, where something was done for it before the run began: the run's time counts from here.
    #[serde(default)]
    pub asked_at: Option<Timestamp>,
}

/// The workflow `report`, for a host to register.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportWorkflow;

impl Definition for ReportWorkflow {
    type State = State;
    type Deps = Services;
    type Input = ReportInput;

    fn graph(&self) -> Result<Graph<State, Services>, GraphError> {
        super::graph::graph()
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "question": {
                    "type": "string",
                    "minLength": QUESTION_CHARS.start(),
                    "maxLength": QUESTION_CHARS.end(),
                },
                "context": { "type": ["string", "null"] },
                "depth": { "enum": ["quick", "standard", "comprehensive", "auto"] },
                "style": { "enum": ["academic", "technical", "executive"] },
                "settings": { "type": "object", "default": Settings::default() },
                "asked_at": { "type": ["string", "null"], "format": "date-time" },
            },
            "required": ["question"],
            "additionalProperties": false,
        })
    }

    fn begin(&self, input: ReportInput, now: Timestamp) -> Result<FirstState<State>, InvalidInput> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let question = Question::parse(&input.question, today);
        let mut question = question.map_err(|error| InvalidInput::at("question", error))?;
        question.depth = input.depth;
        question.style = input.style;
        if let Some(context) = &input.context {
            question = question.with_context(context);
        }
        Ok(FirstState {
            title: question.text().to_owned(),
            time_limit: Some(input.settings.time_limit()),
            state: State::new(
                question,
                input.settings,
                input.asked_at.unwrap_or(now).min(now),
            ),
        })
    }

    fn outcome(&self, state: &State) -> Option<Value> {
        state.report.as_deref().map(fathom_render::json::value)
    }

    fn editable(&self, state: &State) -> Option<Value> {
        Editable::in_state(state).map(|editable| editable.current(state))
    }

    fn check_edits(&self, state: &State, edits: &Value) -> Result<(), InvalidInput> {
        let editable = Editable::in_state(state).ok_or(InvalidEdit::Nothing);
        let checked = editable.and_then(|editable| editable.check(state, edits));
        checked.map_err(|misfit| match misfit {
            InvalidEdit::Unknown { name, known } => InvalidInput {
                known: known.iter().map(ToString::to_string).collect(),
                ..InvalidInput::at(name, "there is no such field")
            },
            InvalidEdit::Value { path, why } => InvalidInput::at(path, why),
            other => InvalidInput::new(other),
        })
    }
}
