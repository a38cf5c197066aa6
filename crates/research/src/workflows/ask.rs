//! The workflow `ask`: a question over one's own documents, answered at once and always ended.
//!
//! `graph` reads like the diagram, `state` is what a run knows, `nodes` are its stages, `assessment` and `expand` the plain
//! functions behind them, `follow_up` understands a question that leans on an earlier one, `input` and `definition` say
//! how a run begins, and `outcome` what it gives.

pub mod assessment;
mod definition;
mod expand;
mod follow_up;
mod graph;
pub mod input;
mod nodes;
mod outcome;
pub mod state;

pub use definition::AskWorkflow;
pub use follow_up::in_full;
pub use graph::*;
pub use input::{AskInput, AskSettings, AskedTurn};

#[cfg(test)]
mod tests;
