//! How a model that judges passages fails.

/// Why a model gave nothing, in a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{model} could not encode a text: {why}")]
pub struct EncoderError {
    /// The name of the model.
    pub model: String,
    /// What went wrong, without the name of the model.
    pub why: String,
}
