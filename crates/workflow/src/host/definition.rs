//! What the author of a workflow writes: its types, its graph, how a run begins and what it brings.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::edits;
use crate::{Graph, GraphError, State};

/// A workflow in its own types. [`crate::HostBuilder::register`] makes it reachable by name, with
/// JSON in and out.
pub trait Definition: Send + Sync + 'static {
    /// What a run knows.
    type State: State;
    /// What its nodes may call.
    type Deps: Send + Sync + 'static;
    /// What a person or a program gives to start a run.
    type Input: DeserializeOwned + Send;

    /// The nodes and edges. The graph's name is the workflow's.
    fn graph(&self) -> Result<Graph<Self::State, Self::Deps>, GraphError>;

    /// The JSON schema of the input.
    fn input_schema(&self) -> Value;

    /// Checks an input and makes the first state of it.
    fn begin(
        &self,
        input: Self::Input,
        now: Timestamp,
    ) -> Result<FirstState<Self::State>, InvalidInput>;

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
