//! The workflow `report`: from a question to a reviewed, cited report.
//!
//! `graph` reads like the diagram, `state` is what a run knows, `nodes` are its steps, `definition` says how a run
//! begins, and `outcome` what it gives.

pub mod breakpoint;
mod definition;
pub mod edits;
mod graph;
pub(crate) mod nodes;
pub(crate) mod outcome;
mod routes;
pub mod state;

pub use definition::{ReportInput, ReportWorkflow};
pub use graph::*;

#[cfg(test)]
mod tests;
