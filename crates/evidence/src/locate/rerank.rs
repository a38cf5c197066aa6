//! Puts passages into a better order with what a model says of them. The model is asked elsewhere: it may be on another machine.

/// What the words count beside a model's opinion, which counts 1. Of use from 0.3 to 0.7, on questions over manuals and
/// trials and on SciFact's train split. Joining ranks is worse: how much nearer a passage lies says more than how many are
/// nearer.
const WORDS_SHARE: f32 = 0.5;

/// The order, best first, of passages by their scores for words and by a model's, one for each of the first: cosines, or
/// any scale that begins at 0. Passages that the model was not shown stay below in their old order.
pub fn rerank(words: &[f32], model: &[f32]) -> Vec<usize> {
    let shown = words.len().min(model.len());
    let usable = |score: &f32| if score.is_finite() { *score } else { 0.0 };
    let highest = |scores: &[f32], least: f32| scores.iter().map(usable).fold(least, f32::max);
    // Cosines are taken as they are: where none is high, the words count more.
    let (scale, most_words) = (highest(model, 1.0), highest(words, f32::MIN_POSITIVE));
    let both = words.iter().zip(model);
    let scores: Vec<f32> = both
        .map(|(words, model)| usable(model) / scale + WORDS_SHARE * usable(words) / most_words)
        .collect();
    let score = |place: &usize| scores.get(*place).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..shown).collect();
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    order.extend(shown..words.len());
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_meaning_count_together_and_what_was_not_shown_stays_below() {
        let words = [9.0, 8.0, 7.0, 6.0];
        assert_eq!(rerank(&words, &[0.1, 0.2, 0.7]), [2, 1, 0, 3]);
        assert_eq!(rerank(&[9.0, 1.0], &[0.3, 0.4]), [0, 1]);
        assert_eq!(rerank(&[9.0, 8.0], &[]), [0, 1]);
    }

    #[test]
    fn scores_of_any_scale_are_taken_and_what_is_no_number_is_nothing() {
        assert_eq!(rerank(&[5.0, 5.0, 5.0], &[3.0, 40.0, 12.0]), [1, 2, 0]);
        assert_eq!(rerank(&[5.0, 5.0], &[f32::NAN, 0.1]), [1, 0]);
        assert_eq!(rerank(&[0.0, 0.0], &[0.1, 0.2, 0.3]), [1, 0]);
    }
}
