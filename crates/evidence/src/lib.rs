//! From documents to ranked, verified passages and checked citations, with no model needed.
//!
//! Plain functions: no async, no input or output, no clock. The same input gives the same verdict.

#![warn(unreachable_pub)]

pub mod banned;
pub mod citation;
pub mod claim;
pub mod document;
mod language;
pub mod passage;
pub mod quote;
mod sentence;
mod span;
pub mod terms;
pub mod validate;

pub use document::Document;
pub use language::Language;
pub use passage::Passage;
pub use sentence::sentences;
pub use span::Span;
