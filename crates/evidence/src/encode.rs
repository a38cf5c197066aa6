//! Texts as vectors: those of one meaning lie near each other, whatever their words.
//!
//! The encoder itself is built with the feature `encoder`. Its files come from the caller, as bytes.

#[cfg(feature = "encoder")]
mod sentence_encoder;
#[cfg(feature = "encoder")]
mod wordpiece;

#[cfg(feature = "encoder")]
pub use sentence_encoder::{SentenceEncoder, SentenceEncoderError};

/// Why a model gave nothing, in a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{model} could not encode a text: {why}")]
pub struct EncoderError {
    /// The name of the model.
    pub model: String,
    /// What went wrong, without the name of the model.
    pub why: String,
}
