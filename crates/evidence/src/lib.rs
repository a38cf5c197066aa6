//! From documents to ranked, verified passages and checked citations, with no model needed.
//!
//! Plain functions: no async, no input or output, no clock. The same input gives the same verdict.

#![warn(unreachable_pub)]

pub mod bm25;
pub mod dense;
pub mod diversity;
pub mod document;
pub mod encode;
pub mod fusion;
mod inverted;
mod language;
pub mod locate;
pub mod ngrams;
pub mod passage;
pub mod prf;
pub mod rerank;
mod sentence;
mod span;
pub mod sparse;
pub mod terms;

pub use document::Document;
pub use inverted::Hit;
pub use language::Language;
pub use passage::Passage;
pub use sentence::sentences;
pub use span::Span;
