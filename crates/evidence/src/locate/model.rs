//! What a model says of passages, as one more ranking. The model is asked elsewhere: it may be on another machine.

use super::{LocateQuestion, LocateReason, Locator, RankedPassage};
use crate::encode::EncoderError;
use crate::inverted::Hit;

/// How much an encoder counts in fusion beside the words, where they count 1. Chosen on SciFact's train split.
pub const ENCODER_WEIGHT: f32 = 1.0;

/// The scores of a model for one question.
pub struct ModelScores<'m> {
    /// The model's name.
    pub model: &'m str,
    /// Passages by their place in the index, with any numbers of which higher is better. Those that the model was not shown
    /// are missing.
    pub scores: &'m [(usize, f32)],
}

impl Locator for ModelScores<'_> {
    fn name(&self) -> &str {
        "encoder"
    }

    /// The question is the one that the model was asked.
    fn locate(
        &self,
        _: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, EncoderError> {
        let scores = self.scores.iter().filter(|(_, score)| score.is_finite());
        let mut hits: Vec<Hit> = scores.map(|&(doc, score)| Hit { doc, score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
        hits.truncate(top_n);
        Ok(super::lexical::found(hits, |_| LocateReason {
            model: Some(self.model.to_owned()),
            ..LocateReason::default()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_what_is_no_number_is_left_out() {
        let scores = [(7, 0.2), (3, 0.9), (4, f32::NAN), (1, 0.2)];
        let scores = ModelScores {
            model: "m",
            scores: &scores,
        };
        let places = |top_n: usize| -> Vec<usize> {
            let found = scores.locate("?".into(), top_n).unwrap();
            found.iter().map(|one| one.place).collect()
        };
        assert_eq!(places(9), [3, 1, 7]);
        assert_eq!(places(1), [3]);
    }
}
