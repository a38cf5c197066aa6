//! Dense retrieval: ranks texts by the angle between their vector and the question's.
//!
//! Takes texts and an encoder; compares with every vector, so that nothing near is missed. At the
//! sizes of one research run that costs less than an approximate index.

use crate::encode::{DenseEncoder, EncoderError};
use crate::inverted::{Hit, best};

/// The vectors of texts, each of length 1, one after another.
pub struct DenseIndex {
    values: Vec<f32>,
    dimensions: usize,
}

impl DenseIndex {
    /// Encodes the texts in their order; fails with the first that the encoder cannot do.
    pub fn build<T: AsRef<str>>(
        texts: impl IntoIterator<Item = T>,
        encoder: &dyn DenseEncoder,
    ) -> Result<Self, EncoderError> {
        let (mut values, mut dimensions) = (Vec::new(), 0);
        for text in texts {
            let vector = encoder.encode(text.as_ref())?;
            if dimensions == 0 {
                dimensions = vector.len();
            }
            fits(encoder.name(), &vector, dimensions)?;
            values.extend(of_length_one(vector));
        }
        Ok(Self { values, dimensions })
    }

    /// The nearest texts, nearest first; of equal ones the earlier. A text that points away from the
    /// question is not among them.
    pub fn search(
        &self,
        question: &str,
        top_k: usize,
        encoder: &dyn DenseEncoder,
    ) -> Result<Vec<Hit>, EncoderError> {
        if self.dimensions == 0 {
            return Ok(Vec::new());
        }
        let question = encoder.encode_question(question)?;
        fits(encoder.name(), &question, self.dimensions)?;
        let question = of_length_one(question);
        let cosine = |vector: &[f32]| vector.iter().zip(&question).map(|(a, b)| a * b).sum();
        let scores: Vec<f32> = self.values.chunks(self.dimensions).map(cosine).collect();
        Ok(best(&scores, top_k))
    }
}

fn fits(model: &str, vector: &[f32], dimensions: usize) -> Result<(), EncoderError> {
    if vector.is_empty() || vector.len() != dimensions {
        let (got, model) = (vector.len(), model.to_owned());
        let why = format!("a vector has {got} numbers where {dimensions} were due");
        return Err(EncoderError { model, why });
    }
    Ok(())
}

fn of_length_one(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    let usable = length.is_finite() && length > 0.0;
    for value in &mut vector {
        *value = if usable { *value / length } else { 0.0 };
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many `a` and `b` a text has.
    struct Counts;

    impl DenseEncoder for Counts {
        fn name(&self) -> &str {
            "counts"
        }

        fn encode(&self, text: &str) -> Result<Vec<f32>, EncoderError> {
            let count = |c: char| text.chars().filter(|other| *other == c).count() as f32;
            Ok(match text {
                "short" => vec![1.0],
                "broken" => vec![f32::NAN, 1.0],
                _ => vec![count('a'), count('b')],
            })
        }
    }

    #[test]
    fn direction_counts_and_length_does_not() {
        let index = DenseIndex::build(["aab", "aaaaaa", "b", "a"], &Counts).unwrap();
        let hits = index.search("a", 3, &Counts).unwrap();
        let found: Vec<usize> = hits.iter().map(|hit| hit.doc).collect();
        assert_eq!(found, [1, 3, 0]);
    }

    #[test]
    fn vectors_of_two_lengths_are_refused() {
        assert!(DenseIndex::build(["aab", "short"], &Counts).is_err());
        let index = DenseIndex::build(["a"], &Counts).unwrap();
        assert!(index.search("short", 3, &Counts).is_err());
    }

    #[test]
    fn a_vector_that_is_no_number_finds_nothing_and_is_not_found() {
        let index = DenseIndex::build(["broken", "ab", "broken"], &Counts).unwrap();
        let hits = index.search("a", 9, &Counts).unwrap();
        let found: Vec<usize> = hits.iter().map(|hit| hit.doc).collect();
        assert_eq!(found, [1]);
        assert!(index.search("broken", 9, &Counts).unwrap().is_empty());
    }

    #[test]
    fn nothing_is_found_where_nothing_is_or_nothing_is_wanted() {
        let none = DenseIndex::build(Vec::<&str>::new(), &Counts).unwrap();
        assert!(none.search("a", 5, &Counts).unwrap().is_empty());
        let index = DenseIndex::build(["a", "a"], &Counts).unwrap();
        assert!(index.search("a", 0, &Counts).unwrap().is_empty());
        let all = index.search("a", 99, &Counts).unwrap();
        let found: Vec<usize> = all.iter().map(|hit| hit.doc).collect();
        assert_eq!(found, [0, 1]);
    }
}
