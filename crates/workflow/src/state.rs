//! What a workflow knows, and the only way it changes.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A workflow's state. A run's state is its first state with every recorded update applied in order.
///
/// Values that are large and shared belong in an `Arc`: `apply` sees the update by reference, since
/// the log keeps it, and then takes them in without a copy.
pub trait State: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What a node brings to the state; it is what the log records.
    type Update: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Takes an update in. Must depend on nothing but the two, and refuse what does not fit.
    fn apply(&mut self, update: &Self::Update) -> Result<(), InvalidUpdate>;
}

/// Why an update does not fit a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidUpdate(pub String);

impl InvalidUpdate {
    /// A refusal in words for whoever wrote the node.
    pub fn new(why: impl fmt::Display) -> Self {
        Self(why.to_string())
    }
}
