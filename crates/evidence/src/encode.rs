//! What a model that turns text into numbers must offer. The models are handed in from outside.

/// Why a model gave nothing, in a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{model} could not encode a text: {why}")]
pub struct EncoderError {
    /// The name of the model.
    pub model: String,
    /// What went wrong, without the name of the model.
    pub why: String,
}

/// A learned sparse encoder such as SPLADE: a text as terms of the model's own vocabulary.
pub trait SparseEncoder {
    /// Told with what it found and with its errors.
    fn name(&self) -> &str;

    /// Terms and weights of a text that is to be found.
    fn encode(&self, text: &str) -> Result<Vec<(u32, f32)>, EncoderError>;

    /// The same for a question; some models make a difference.
    fn encode_question(&self, question: &str) -> Result<Vec<(u32, f32)>, EncoderError> {
        self.encode(question)
    }
}

/// A dense encoder: a text as a direction in space.
pub trait DenseEncoder {
    /// Told with what it found and with its errors.
    fn name(&self) -> &str;

    /// The vector of a text that is to be found. All vectors have one length.
    fn encode(&self, text: &str) -> Result<Vec<f32>, EncoderError>;

    /// The same for a question; some models make a difference.
    fn encode_question(&self, question: &str) -> Result<Vec<f32>, EncoderError> {
        self.encode(question)
    }
}
