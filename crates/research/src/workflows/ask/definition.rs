//! `ask` as a workflow of the host: how a run begins, what it needs and what it brings.

use fathom_workflow::{BeginResult, Definition, FirstState, Graph, GraphError, InvalidInput};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::input::AskInput;
use super::state::AskState;
use crate::question::Question;
use crate::services::Services;

/// Turns of a talk that are kept; older ones are forgotten.
const TURNS_MOST: usize = 20;

/// The workflow `ask`, for a host to register.
#[derive(Clone, Copy, Debug, Default)]
pub struct AskWorkflow;

impl Definition for AskWorkflow {
    type State = AskState;
    type Deps = Services;
    type Input = AskInput;

    fn graph(&self) -> Result<Graph<AskState, Services>, GraphError> {
        super::graph::graph()
    }

    fn begin(&self, input: AskInput, services: &Services, now: Timestamp) -> BeginResult<AskState> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let question = Question::parse_short(&input.question, today);
        let question = question.map_err(|error| InvalidInput::at("question", error))?;
        let mut settings = input.settings;
        if settings.library.is_empty() {
            let why = "name a folder of documents to ask, or a file";
            return Err(InvalidInput::at("settings.library", why));
        }
        services.make_absolute(&mut settings.library)?;
        let mut earlier = input.earlier;
        earlier.drain(..earlier.len().saturating_sub(TURNS_MOST));
        Ok(FirstState {
            title: question.text().to_owned(),
            time_limit: Some(settings.time_limit()),
            state: AskState::new(question, earlier, settings, now),
        })
    }

    fn check_ready(&self, state: &AskState, services: &Services) -> Result<(), String> {
        services.check(state.settings.scope(), &state.settings.caps)
    }

    fn outcome_kind(&self) -> &'static str {
        fathom_render::answer::KIND
    }

    fn outcome(&self, state: &AskState) -> Option<Value> {
        state.answer.as_deref().map(|answer| json!(answer))
    }
}
