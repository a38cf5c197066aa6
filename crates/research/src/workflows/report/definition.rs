//! The report as a workflow of the host: what it is started with, what it brings, and what a person may edit.

use fathom_workflow::{BeginResult, Definition, FirstState, Graph, GraphError, InvalidInput};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::edits::{self, Editable};
use super::state::ReportState;
use crate::question::{AskedDepth, Question, ReportStyle};
use crate::services::Services;
use crate::settings::Settings;

/// What a run is started with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportInput {
    /// What is asked, in 10 to 2,000 characters.
    #[schemars(length(min = 10, max = 2_000))]
    pub question: String,
    /// What else the report should take into account.
    #[serde(default)]
    pub context: Option<String>,
    /// Words of the field, such as cardiology.
    #[serde(default)]
    pub domain: Vec<String>,
    /// The day from which the question is asked: what is recent is counted from here. Today where none is given.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub date: Option<Date>,
    /// How far the run goes.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["quick", "standard", "comprehensive", "auto"]))]
    pub depth: AskedDepth,
    /// How the report is written.
    #[serde(default)]
    pub style: ReportStyle,
    /// Every other setting; those that are left out have their defaults.
    #[serde(default)]
    pub settings: Settings,
    /// When it was asked, where something was done for it before the run began: the run's time counts from here.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub asked_at: Option<Timestamp>,
}

/// What is found about a draft and made of it.
const COMPUTED_FIELDS: [&str; 4] = ["check", "critique", "best", "report"];

/// The workflow `report`, for a host to register.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportWorkflow;

impl Definition for ReportWorkflow {
    type State = ReportState;
    type Deps = Services;
    type Input = ReportInput;

    fn graph(&self) -> Result<Graph<ReportState, Services>, GraphError> {
        super::graph::graph()
    }

    fn begin(
        &self,
        input: ReportInput,
        services: &Services,
        now: Timestamp,
    ) -> BeginResult<ReportState> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let today = input.date.unwrap_or(today);
        let question = Question::parse(&input.question, today);
        let mut question = question.map_err(|error| InvalidInput::at("question", error))?;
        question.depth = input.depth;
        question.style = input.style;
        question.domain = input.domain;
        if let Some(context) = &input.context {
            question = question.with_context(context);
        }
        let mut settings = input.settings;
        settings
            .check()
            .map_err(|fault| InvalidInput::at(format!("settings.{}", fault.setting), fault.why))?;
        services.make_absolute(&mut settings.library)?;
        Ok(FirstState {
            title: question.text().to_owned(),
            time_limit: Some(settings.time_limit()),
            state: ReportState::new(question, settings, input.asked_at.unwrap_or(now).min(now)),
        })
    }

    fn check_ready(&self, state: &ReportState, services: &Services) -> Result<(), String> {
        let (scope, caps) = (state.settings.scope(), &state.settings.caps);
        match state.plan {
            Some(_) => services.check(scope, caps),
            None => services.check_search(scope, caps),
        }
    }

    fn outcome_kind(&self) -> &'static str {
        fathom_render::report::KIND
    }

    /// The report itself, which can be rendered in every form.
    fn outcome(&self, state: &ReportState) -> Option<Value> {
        state.report.as_deref().map(|report| json!(report))
    }

    fn editable(&self, state: &ReportState) -> Option<Value> {
        Editable::in_state(state).map(|editable| editable.current(state))
    }

    /// What was found about a draft that a person then edits no longer holds: the draft is checked again before it is
    /// handed over. What code computes cannot be edited.
    fn edit_state(&self, state: &ReportState, edits: &Value) -> Result<ReportState, InvalidInput> {
        if let Some(computed) = COMPUTED_FIELDS
            .iter()
            .find(|name| edits.get(**name).is_some())
        {
            let why = "it is computed from the draft; edit the draft instead";
            return Err(InvalidInput::at(*computed, why));
        }
        let mut edited: ReportState = fathom_workflow::edited(state, edits)?;
        if edited.draft != state.draft {
            (edited.check, edited.critique, edited.best) = (None, None, None);
            edited.report = None;
        }
        Ok(edited)
    }

    fn check_edits(&self, state: &ReportState, edits: &Value) -> Result<(), InvalidInput> {
        match Editable::in_state(state) {
            Some(editable) => editable.check(state, edits),
            None => Err(edits::nothing_to_edit()),
        }
    }
}
