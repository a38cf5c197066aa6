//! Texts as vectors: those of one meaning lie near each other, whatever their words.
//!
//! Built with the feature `encoder`. The files of the model come from the caller, as bytes.

mod sentence_encoder;
mod wordpiece;

pub use sentence_encoder::{SentenceEncoder, SentenceEncoderError};
