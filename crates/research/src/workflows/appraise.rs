//! The workflow `appraise`: from the report of a randomised trial to its risk of bias, with proof.
//!
//! `graph` reads like the diagram, `state` is what a run knows, `nodes` are its steps. `article` takes the report apart,
//! `design` says what kind of study it is, `facts` and `numbers` what it says of itself; `phrases`, `blinding` and `derived`
//! answer what code can prove, and `outcome` puts the appraisal together. The judgements themselves are in [`crate::rob2`].

mod answer;
pub(crate) mod article;
mod blinding;
mod definition;
mod derived;
mod design;
mod facts;
mod graph;
mod locator;
mod nodes;
mod numbers;
mod opinion;
mod outcome;
mod patterns;
mod phrases;
mod review;
pub mod state;

pub use definition::{AppraiseInput, AppraiseWorkflow, GivenAnswer, REVIEW_WITHIN_S};
pub use graph::*;
pub use locator::{LOCATOR_RULES, kind as locator_kind};

#[cfg(test)]
mod tests;
