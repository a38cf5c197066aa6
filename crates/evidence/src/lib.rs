//! From documents to ranked, verified passages and checked citations, with no model needed.
//!
//! Plain functions: no async, no input or output, no clock. The same input gives the same verdict.

#![warn(missing_docs, unreachable_pub)]

pub mod banned;
pub mod bm25;
pub mod citation;
pub mod claim;
mod date;
mod diversity;
pub mod document;
pub mod duplicate;
#[cfg(feature = "encoder")]
pub mod encode;
mod error;
pub mod extract;
mod fixed_hash;
pub mod fusion;
mod interner;
mod inverted;
mod language;
mod lists;
pub mod locate;
mod ngrams;
pub mod passage;
pub mod question;
pub mod quote;
mod sentence;
mod span;
pub mod terms;
pub mod validate;

pub use document::Document;
pub use error::Error;
pub use inverted::{Hit, best};
pub use language::Language;
pub use passage::Passage;
pub use sentence::{leans_on_the_one_before, sentences, states_an_aim};
pub use span::Span;

#[cfg(test)]
mod tests;
