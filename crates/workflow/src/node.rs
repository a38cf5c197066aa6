//! Nodes: async functions from a state to an update.

use std::fmt;

use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::context::Context;
use crate::interrupt::Ask;
use crate::{Error, Payload, State};

/// What a node gives: an update, or the reason there is none.
pub type NodeResult<S> = Result<<S as State>::Update, NodeError>;

/// Why a node brought no update. Any error converts into one with `?`.
#[derive(Debug)]
pub struct NodeError(pub(crate) NodeFailure);

#[derive(Debug)]
pub(crate) enum NodeFailure {
    /// The node's own failure, in words for a person.
    Failed(String),
    /// The engine stopped it; the step's buffer says why.
    Engine,
}

impl NodeError {
    /// A failure in words for a person.
    pub fn new(why: impl fmt::Display) -> Self {
        Self(NodeFailure::Failed(why.to_string()))
    }
}

impl<E: std::error::Error> From<E> for NodeError {
    fn from(error: E) -> Self {
        let mut words = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            words.push_str(": ");
            words.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::new(words)
    }
}

impl From<StepHalted> for NodeError {
    fn from(StepHalted(()): StepHalted) -> Self {
        Self(NodeFailure::Engine)
    }
}

/// The engine's word to a node that it ends here; the step's buffer holds the reason. Hand it on with
/// `?`: it is not a failure, and the node runs again when the run goes on.
#[derive(Debug)]
pub struct StepHalted(pub(crate) ());

/// Why the engine ends a node's turn.
#[derive(Debug)]
pub(crate) enum HaltReason {
    /// The node waits for something that has not come yet.
    Parked(ParkRequest),
    /// The node's code is at fault, so the step fails.
    Broken(Error),
    /// The run cannot go on in this process.
    Fault(Error),
    /// The engine has left the step.
    Superseded,
}

/// What a node waits for, and under which key the journal has it.
#[derive(Debug)]
pub(crate) struct ParkRequest {
    pub(crate) key: String,
    pub(crate) wait: ParkWait,
    /// The interrupt as the journal holds it, if the question was put before.
    pub(crate) opened: Option<Payload>,
}

/// Whether somebody is asked or only time must pass.
#[derive(Debug)]
pub(crate) enum ParkWait {
    Answer(Ask),
    Moment { at: Timestamp, reason: String },
}

/// An `async fn(&S, &Context<D>) -> NodeResult<S>`, whatever its lifetime.
pub trait NodeFn<'a, S: State, D>: Send + Sync {
    /// The node's work on one state.
    type Turn: Future<Output = NodeResult<S>> + Send + 'a;

    /// Begins the work.
    fn turn(&self, state: &'a S, ctx: &'a Context<D>) -> Self::Turn;
}

impl<'a, S, D, F, Turn> NodeFn<'a, S, D> for F
where
    S: State,
    D: 'a,
    F: Fn(&'a S, &'a Context<D>) -> Turn + Send + Sync,
    Turn: Future<Output = NodeResult<S>> + Send + 'a,
{
    type Turn = Turn;

    fn turn(&self, state: &'a S, ctx: &'a Context<D>) -> Turn {
        self(state, ctx)
    }
}

/// A node as the graph holds it.
pub(crate) type BoxNode<S, D> =
    Box<dyn for<'a> Fn(&'a S, &'a Context<D>) -> BoxFuture<'a, NodeResult<S>> + Send + Sync>;

pub(crate) fn boxed<S, D, F>(node: F) -> BoxNode<S, D>
where
    S: State,
    D: 'static,
    F: for<'a> NodeFn<'a, S, D> + 'static,
{
    Box::new(move |state, ctx| Box::pin(node.turn(state, ctx)))
}
