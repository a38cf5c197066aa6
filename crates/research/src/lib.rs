//! The method of Fathom: workflows that plan, search, read, weigh, write and review.
//!
//! It decides everything and touches the world only through [`Deps`].

#![warn(unreachable_pub)]

pub mod analysis;
mod assemble;
pub mod breakpoint;
pub mod budget;
mod calls;
pub mod citations;
pub mod critique;
mod definition;
mod degradation;
mod deps;
pub mod draft;
pub mod edits;
pub mod library;
pub mod locate;
mod measure;
mod nodes;
pub mod plan;
pub mod question;
pub mod reasoner;
pub mod settings;
mod shelf;
pub mod source;
pub mod state;
pub mod stop;
mod words;
pub mod workflows;

pub use calls::RecordedFailure;
pub use degradation::{Degradation, JudgedPart};
pub use deps::{Deps, Net};
pub use question::{AskedDepth, Depth, Question, Style};
pub use settings::Settings;
pub use shelf::Shelf;
pub use state::State;
