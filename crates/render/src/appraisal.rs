//! The appraisal of a trial: its risk of bias by RoB 2, each answer with its proof, and the forms people get it in.

mod terms;

pub use terms::{Answer, Domain, Effect, Judgement, RulePath, UnknownAnswer};
