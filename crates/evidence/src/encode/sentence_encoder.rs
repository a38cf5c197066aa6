//! A sentence encoder of the BERT family, such as all-MiniLM-L6-v2, run in this process.
//!
//! Takes the bytes of an ONNX file and its vocabulary; gives a vector of length 1 for each text: the mean over the text's
//! pieces. Where the files lie and which of them to trust is left to the caller.

use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, op_registry};

use super::wordpiece::WordPieces;

/// Pieces of a text that are read; what comes after them does not count. The model was trained with as many.
const PIECES_MAX: usize = 256;

/// Texts that go through the model together. More would be no faster on a processor and take more memory.
const BATCH: usize = 8;

/// A model that was loaded. It can be shared between threads.
pub struct SentenceEncoder {
    model: Model,
    inputs: ModelInputs,
    output: NodeId,
    pieces: WordPieces,
    threads: Arc<ThreadPool>,
}

/// Why there are no vectors, in a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SentenceEncoderError {
    /// The file or its vocabulary is not what it should be.
    #[error("the encoder's files cannot be used: {0}")]
    Load(String),
    /// The model was loaded and failed at its work.
    #[error("the encoder failed: {0}")]
    Run(String),
}

struct ModelInputs {
    numbers: NodeId,
    mask: NodeId,
    /// Which of two texts a piece belongs to; some models do not ask.
    kinds: Option<NodeId>,
}

impl SentenceEncoder {
    /// Loads a model from the bytes of its ONNX file. `vocabulary` has one word piece a line; `threads` work on one batch.
    pub fn load(
        model: Vec<u8>,
        vocabulary: &str,
        threads: usize,
    ) -> Result<Self, SentenceEncoderError> {
        let Some(pieces) = WordPieces::parse(vocabulary) else {
            return Err(unusable("the vocabulary has no [CLS], [SEP] and [UNK]"));
        };
        let mut options = ModelOptions::with_ops(op_registry!(
            Add,
            And,
            Cast,
            Concat,
            Div,
            Erf,
            Expand,
            Gather,
            GatherND,
            GreaterOrEqual,
            IsNaN,
            LayerNormalization,
            MatMul,
            Max,
            Mul,
            Range,
            Reshape,
            Shape,
            Slice,
            Softmax,
            Squeeze,
            Transpose,
            Unsqueeze,
            Where
        ));
        let model = options.prepack_weights(true).load(model);
        let model = model.map_err(unusable)?;
        let input = |name: &str| {
            let node = model.find_node(name);
            node.ok_or_else(|| unusable(format!("the model takes no {name}")))
        };
        let inputs = ModelInputs {
            numbers: input("input_ids")?,
            mask: input("attention_mask")?,
            kinds: model.find_node("token_type_ids"),
        };
        let output = model.output_ids().first().copied();
        let output = output.ok_or_else(|| unusable("the model gives no vectors"))?;
        Ok(Self {
            inputs,
            output,
            pieces,
            threads: Arc::new(ThreadPool::with_num_threads(threads.max(1))),
            model,
        })
    }

    /// One vector of length 1 for each text, in the order of the texts. A text without any word has a vector too.
    pub fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SentenceEncoderError> {
        let numbers: Vec<Vec<i32>> = texts
            .iter()
            .map(|text| self.pieces.numbers(text, PIECES_MAX))
            .collect();
        // Texts of about one length together, since the short ones are filled up to the longest.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| numbers.get(at).map_or(0, Vec::len));
        let mut vectors = vec![Vec::new(); texts.len()];
        for places in order.chunks(BATCH) {
            let batch = places.iter().filter_map(|&at| numbers.get(at)).collect();
            for (&at, vector) in places.iter().zip(self.encode_batch(batch)?) {
                if let Some(place) = vectors.get_mut(at) {
                    *place = vector;
                }
            }
        }
        Ok(vectors)
    }

    fn encode_batch(&self, batch: Vec<&Vec<i32>>) -> Result<Vec<Vec<f32>>, SentenceEncoderError> {
        let longest = batch.iter().map(|numbers| numbers.len()).max().unwrap_or(0);
        let filled = |value: fn(i32) -> i32| -> Vec<i32> {
            let rows = batch.iter().flat_map(|numbers| {
                let values = numbers.iter().map(move |number| value(*number));
                values.chain(std::iter::repeat_n(0, longest - numbers.len()))
            });
            rows.collect()
        };
        let shape = [batch.len(), longest];
        let value = |data: Vec<i32>| Value::from_shape(shape, data).map_err(failed);
        let mut inputs = vec![
            (self.inputs.numbers, value(filled(|number| number))?.into()),
            (self.inputs.mask, value(filled(|_| 1))?.into()),
        ];
        if let Some(kinds) = self.inputs.kinds {
            inputs.push((kinds, value(filled(|_| 0))?.into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let [output] = self
            .model
            .run_n(inputs, [self.output], Some(options))
            .map_err(failed)?;
        let (shape, values) = output.into_shape_vec::<f32, 3>().map_err(failed)?;
        let [texts, pieces, width] = shape;
        if (texts, pieces) != (batch.len(), longest) || width == 0 {
            return Err(failed("the model gives no vector for each piece"));
        }
        let rows = values.chunks(pieces * width).zip(&batch);
        rows.map(|(row, numbers)| mean(row.chunks(width).take(numbers.len()), width))
            .collect()
    }
}

fn unusable(why: impl ToString) -> SentenceEncoderError {
    SentenceEncoderError::Load(why.to_string())
}

fn failed(why: impl ToString) -> SentenceEncoderError {
    SentenceEncoderError::Run(why.to_string())
}

/// The mean of the vectors, scaled to length 1.
fn mean<'v>(
    vectors: impl Iterator<Item = &'v [f32]>,
    width: usize,
) -> Result<Vec<f32>, SentenceEncoderError> {
    let mut sum = vec![0.0_f32; width];
    for vector in vectors {
        for (sum, value) in sum.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return Err(failed("a vector is not made of numbers"));
    }
    sum.iter_mut().for_each(|value| *value /= length);
    Ok(sum)
}

#[cfg(test)]
mod tests;
