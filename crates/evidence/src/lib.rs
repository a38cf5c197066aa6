//! From documents to ranked, verified passages and checked citations, with no model needed.
//!
//! Plain functions: no async, no input or output, no clock. The same input gives the same verdict.

#![warn(unreachable_pub)]

pub mod banned;
pub mod citation;
pub mod claim;
pub mod document;
pub mod duplicate;
mod error;
pub mod extract;
mod language;
mod lists;
pub mod passage;
pub mod phrases;
pub mod question;
pub mod quote;
mod sentence;
mod span;
pub mod summarise;
pub mod terms;
pub mod themes;
mod vector;
pub mod validate;

pub use document::Document;
pub use error::Error;
pub use language::Language;
pub use passage::Passage;
pub use sentence::sentences;
pub use span::Span;
