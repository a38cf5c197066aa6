//! The method of Fathom: workflows that plan, search, read, weigh, write and review.
//!
//! It decides everything and touches the world only through [`Services`].

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
mod documents;
pub mod draft;
pub mod edits;
pub mod library;
pub mod locate;
mod measure;
mod nodes;
pub mod plan;
pub mod question;
pub mod reasoner;
mod services;
pub mod settings;
pub mod source;
pub mod state;
pub mod stop;
mod words;
pub mod workflows;

pub use calls::RecordedFailure;
pub use degradation::{Degradation, JudgedPart};
pub use documents::DocumentCache;
pub use question::{AskedDepth, Depth, Question, Style};
pub use services::{Services, SourceScope, WebServices};
pub use settings::Settings;
pub use state::State;
