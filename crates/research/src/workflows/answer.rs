//! The workflow `answer`: a task searched for in rounds until it can be answered, then answered with checked citations.
//!
//! `graph` reads like the diagram, `state` is what a run knows, `nodes` are its turns, `compact` shortens what older rounds
//! found, `input` and `definition` say how a run begins, and `outcome` what it gives.

mod compact;
mod definition;
mod graph;
pub mod input;
mod nodes;
mod outcome;
pub mod state;

pub use definition::AnswerWorkflow;
pub use graph::*;
pub use input::{AnswerInput, AnswerSettings};
