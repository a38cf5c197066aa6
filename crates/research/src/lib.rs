//! The method of Fathom: workflows that plan, search, read, weigh, write and review.
//!
//! It decides everything and touches the world only through [`Services`].

#![warn(missing_docs, unreachable_pub)]

pub mod analysis;
mod calls;
pub mod citations;
pub mod critique;
mod degradation;
mod documents;
pub mod draft;
mod encoder;
pub mod library;
pub mod plan;
pub mod question;
pub mod reasoner;
pub mod rob2;
mod services;
pub mod settings;
pub mod skills;
pub mod source;
mod strength;
pub mod workflows;

pub use calls::RecordedFailure;
pub use degradation::{Degradation, JudgedPart};
pub use documents::DocumentCache;
pub use encoder::{Encoder, EncoderKind, LocalEncoder};
pub use question::{AskedDepth, Depth, Question, ReportStyle};
pub use services::{ServiceFaults, Services, SourceScope, WebServices};
pub use settings::Settings;
pub use workflows::ask::AskSettings;
pub use workflows::report::state::ReportState;
