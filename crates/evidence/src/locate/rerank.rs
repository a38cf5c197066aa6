//! Puts candidates into a better order with what a model says of them. The model is asked elsewhere: it may be on another machine.

use super::index::CONTEXT_LOCATOR;
use super::{LocateReason, PassageCandidate};
use crate::fusion::LocatorSupport;

/// What the model's opinion counts; the rest is for the words. Chosen on SciFact's train split, where joining ranks is worse:
/// how much nearer a passage lies says more than how many are nearer.
const MODEL_SHARE: f32 = 0.6;

/// Ranks the first candidates by their words and by a model's scores of them, one for each, higher is better: cosines, or any
/// scale that begins at 0. Candidates that the model was not shown stay below in their old order.
pub fn rerank(
    mut candidates: Vec<PassageCandidate>,
    model: &str,
    scores: &[f32],
) -> Vec<PassageCandidate> {
    let rest = candidates.split_off(scores.len().min(candidates.len()));
    let usable = |score: &f32| if score.is_finite() { *score } else { 0.0 };
    let scores: Vec<f32> = scores.iter().map(usable).collect();
    // Cosines are taken as they are: where none is high, the words count more.
    let scale = scores.iter().copied().fold(1.0, f32::max);
    let most_words = candidates
        .iter()
        .map(by_words)
        .fold(f32::MIN_POSITIVE, f32::max);
    let judged = candidates.into_iter().zip(&scores);
    let mut judged: Vec<PassageCandidate> = judged
        .map(|(mut candidate, score)| {
            let words = (1.0 - MODEL_SHARE) * by_words(&candidate) / most_words;
            candidate.score = words + MODEL_SHARE * score / scale;
            candidate.support.push(LocatorSupport {
                locator: "encoder".to_owned(),
                rank: 1 + scores.iter().filter(|other| *other > score).count(),
                score: *score,
                why: LocateReason {
                    model: Some(model.to_owned()),
                    ..LocateReason::default()
                },
            });
            candidate
        })
        .collect();
    judged.sort_by(|a, b| b.score.total_cmp(&a.score));
    judged.into_iter().chain(rest).collect()
}

/// Words and pieces together; 0 for a candidate that only other locators found.
fn by_words(candidate: &PassageCandidate) -> f32 {
    let mut support = candidate.support.iter();
    let words = support.find(|one| one.locator == CONTEXT_LOCATOR);
    words.map_or(0.0, |one| one.score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::PassageKey;

    fn candidates(words: &[f32]) -> Vec<PassageCandidate> {
        let candidate = |(place, &score): (usize, &f32)| PassageCandidate {
            key: PassageKey {
                source: "s".into(),
                passage: serde_json::from_str(&format!("\"p{place}\"")).unwrap(),
            },
            place,
            score: 0.01,
            support: vec![LocatorSupport {
                locator: CONTEXT_LOCATOR.to_owned(),
                rank: place + 1,
                score,
                why: LocateReason::default(),
            }],
        };
        words.iter().enumerate().map(candidate).collect()
    }

    fn order(words: &[f32], scores: &[f32]) -> Vec<usize> {
        let ranked = rerank(candidates(words), "m", scores);
        ranked.iter().map(|one| one.place).collect()
    }

    #[test]
    fn words_and_meaning_count_together_and_what_was_not_shown_stays_below() {
        assert_eq!(order(&[9.0, 8.0, 7.0, 6.0], &[0.1, 0.2, 0.7]), [2, 1, 0, 3]);
        assert_eq!(order(&[9.0, 1.0], &[0.3, 0.4]), [0, 1]);
        assert_eq!(order(&[9.0, 8.0], &[]), [0, 1]);
        let ranked = rerank(candidates(&[2.0, 2.0]), "m", &[0.1, 0.5]);
        let said = &ranked[0].support[1];
        assert_eq!((&*said.locator, said.rank, said.score), ("encoder", 1, 0.5));
        assert_eq!(said.why.model.as_deref(), Some("m"));
    }

    #[test]
    fn scores_of_any_scale_are_taken_and_what_is_no_number_is_nothing() {
        assert_eq!(order(&[5.0, 5.0, 5.0], &[3.0, 40.0, 12.0]), [1, 2, 0]);
        assert_eq!(order(&[5.0, 5.0], &[f32::NAN, 0.1]), [1, 0]);
        assert_eq!(order(&[0.0, 0.0], &[0.1, 0.2, 0.3]), [1, 0]);
    }
}
