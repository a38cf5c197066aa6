//! `answer` as a workflow of the host: how a run begins, what it needs and what it brings.

use fathom_workflow::{BeginResult, Definition, FirstState, Graph, GraphError, InvalidInput};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::graph::ROUNDS_MOST;
use super::input::{AnswerInput, AnswerSettings};
use super::state::AnswerState;
use crate::question::Question;
use crate::services::Services;

/// The workflow `answer`, for a host to register.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerWorkflow;

impl Definition for AnswerWorkflow {
    type State = AnswerState;
    type Deps = Services;
    type Input = AnswerInput;

    fn graph(&self) -> Result<Graph<AnswerState, Services>, GraphError> {
        super::graph::graph()
    }

    fn begin(
        &self,
        input: AnswerInput,
        services: &Services,
        now: Timestamp,
    ) -> BeginResult<AnswerState> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let question = Question::parse(&input.question, today);
        let mut question = question.map_err(|error| InvalidInput::at("question", error))?;
        question.depth = input.tier;
        let mut settings = input.settings;
        check(&settings)?;
        services.make_absolute(&mut settings.library)?;
        Ok(FirstState {
            title: question.text().to_owned(),
            time_limit: Some(settings.time_limit(question.depth)),
            state: AnswerState::new(question, settings, now),
        })
    }

    fn check_ready(&self, state: &AnswerState, services: &Services) -> Result<(), String> {
        let (scope, caps) = (state.settings.scope(), &state.settings.caps());
        match state.plan {
            Some(_) => services.check(scope, caps),
            None => services.check_search(scope, caps),
        }
    }

    fn outcome_kind(&self) -> &'static str {
        fathom_render::answer::KIND
    }

    fn outcome(&self, state: &AnswerState) -> Option<Value> {
        state.answer.as_deref().map(|answer| json!(answer))
    }
}

/// Refuses numbers that no run could work with.
fn check(settings: &AnswerSettings) -> Result<(), InvalidInput> {
    let within = |field: &str, value: Option<u64>, least: u64, most: u64| match value {
        Some(value) if !(least..=most).contains(&value) => {
            let why = format!("it is {least} to {most}");
            Err(InvalidInput::at(format!("settings.{field}"), why))
        }
        _ => Ok(()),
    };
    if let Some(why) = settings.filters.fault() {
        return Err(InvalidInput::at("settings.filters", why));
    }
    let number = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
    let rounds = settings.max_iters.map(u64::from);
    within("max_iters", rounds, 1, u64::from(ROUNDS_MOST))?;
    within("max_queries", settings.max_queries.map(number), 1, 50)?;
    within("max_sources", settings.max_sources.map(number), 1, 100)?;
    let time = settings.max_execution_time_s;
    within("max_execution_time_s", time, 1, 3_600)?;
    let sentences = Some(number(settings.max_sentences));
    within("max_sentences", sentences, 1, 20)?;
    let results = Some(number(settings.max_results_per_query));
    within("max_results_per_query", results, 1, 50)?;
    let at_once = Some(number(settings.max_concurrency));
    within("max_concurrency", at_once, 1, 64)
}
