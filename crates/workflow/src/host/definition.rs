//! What the author of a workflow writes: its types, its graph, how a run begins and what it brings.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::edits;
use crate::{Graph, GraphError, State};

/// The kind of an outcome that has no form but JSON.
pub const JSON_OUTCOME: &str = "json";

/// A workflow in its own types. [`crate::HostBuilder::register`] makes it reachable by name, with
/// JSON in and out.
pub trait Definition: Send + Sync + 'static {
    /// What a run knows.
    type State: State;
    /// What its nodes may call.
    type Deps: Send + Sync + 'static;
    /// What a person or a program gives to start a run. Its schema is told to callers. A field that it
    /// would not write back itself is refused as unknown, deep inside too.
    type Input: Serialize + DeserializeOwned + JsonSchema + Send;

    /// The nodes and edges. The graph's name is the workflow's.
    fn graph(&self) -> Result<Graph<Self::State, Self::Deps>, GraphError>;

    /// Checks an input and makes the first state of it.
    fn begin(
        &self,
        input: Self::Input,
        deps: &Self::Deps,
        now: Timestamp,
    ) -> BeginResult<Self::State>;

    /// Whether this process has what a run in this state needs; else a sentence that says what is
    /// missing. Asked whenever a run is started or taken up.
    fn check_ready(&self, _state: &Self::State, _deps: &Self::Deps) -> Result<(), String> {
        Ok(())
    }

    /// The kind of what a run brings, by which callers choose the forms that it can be had in.
    fn outcome_kind(&self) -> &'static str {
        JSON_OUTCOME
    }

    /// What a run has brought, once it has.
    fn outcome(&self, state: &Self::State) -> Option<Value>;

    /// What a person may edit in this state, as it stands; nothing unless said otherwise.
    fn editable(&self, _state: &Self::State) -> Option<Value> {
        None
    }

    /// Whether edits fit what [`Definition::editable`] gives: a table of some of its fields, unless
    /// said otherwise.
    fn check_edits(&self, state: &Self::State, edits: &Value) -> Result<(), InvalidInput> {
        match self.editable(state) {
            Some(mut editable) => edits::overlay(&mut editable, edits),
            None => Err(InvalidInput::new(
                "there is nothing to edit; give feedback alone",
            )),
        }
    }

    /// The state of a fork with edits: fields are changed deep inside too, unless said otherwise.
    fn edit_state(&self, state: &Self::State, edits: &Value) -> Result<Self::State, InvalidInput> {
        edits::edited(state, edits)
    }
}

/// How a run begins, or why its input is refused.
pub type BeginResult<S> = Result<FirstState<S>, InvalidInput>;

/// How a run begins.
#[derive(Clone, Debug)]
pub struct FirstState<S> {
    /// What a person recognises the run by.
    pub title: String,
    /// The state before the first step.
    pub state: S,
    /// How long the run may take, waiting for people not counted.
    pub time_limit: Option<Duration>,
}

impl<S> FirstState<S> {
    /// A run with this title, without a time limit.
    pub fn titled(title: impl Into<String>, state: S) -> Self {
        Self {
            title: title.into(),
            state,
            time_limit: None,
        }
    }
}

/// Why an input or an edit is refused, and in which field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidInput {
    /// The path to the field, as `queries[0].kind`; empty for the whole.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub why: String,
    /// The fields there are, where an unknown one was named.
    pub known: Vec<String>,
}

impl InvalidInput {
    /// A refusal of the whole.
    pub fn new(why: impl fmt::Display) -> Self {
        Self::at("", why)
    }

    /// A refusal of one field.
    pub fn at(field: impl Into<String>, why: impl fmt::Display) -> Self {
        Self {
            field: field.into(),
            why: why.to_string(),
            known: Vec::new(),
        }
    }

    /// A refusal of a field that is not there, with those that are.
    pub fn unknown<N: Into<String>>(
        field: impl Into<String>,
        known: impl IntoIterator<Item = N>,
    ) -> Self {
        Self {
            known: known.into_iter().map(Into::into).collect(),
            ..Self::at(field, "there is no such field")
        }
    }
}

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => f.write_str(&self.why),
            field => write!(f, "{field}: {}", self.why),
        }
    }
}

impl std::error::Error for InvalidInput {}
