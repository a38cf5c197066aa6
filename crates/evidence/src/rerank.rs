//! Re-ranking: a slower, better judge looks at the first candidates again.
//!
//! Takes candidates and a judge that is handed in; gives them in the judge's order, with its word
//! added to what the locators said. What the judge was not shown stays below in its old order.

use crate::encode;
use crate::fusion::LocatorSupport;
use crate::locate::{LocateReason, PassageCandidate};

/// A model, or anything else, that reads a question and a passage together.
pub trait Reranker {
    /// Saved with every candidate: choose it once.
    fn name(&self) -> &str;

    /// A score for each passage; higher is better.
    fn score(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, encode::EncoderError>;
}

/// Puts the first `shown` candidates into the judge's order; of equal ones the earlier stays ahead.
/// `text` gives a candidate's passage.
pub fn rerank<'t>(
    mut candidates: Vec<PassageCandidate>,
    question: &str,
    shown: usize,
    text: impl Fn(&PassageCandidate) -> &'t str,
    judge: &dyn Reranker,
) -> Result<Vec<PassageCandidate>, encode::EncoderError> {
    let rest = candidates.split_off(shown.min(candidates.len()));
    let passages: Vec<&str> = candidates.iter().map(text).collect();
    let scores = judge.score(question, &passages)?;
    if scores.len() != candidates.len() || scores.iter().any(|score| score.is_nan()) {
        return Err(encode::EncoderError {
            model: judge.name().to_owned(),
            why: format!(
                "it gave {} usable scores for {} passages",
                scores.len(),
                candidates.len()
            ),
        });
    }
    let mut judged: Vec<(f32, PassageCandidate)> = scores.into_iter().zip(candidates).collect();
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let judged = (1..).zip(judged).map(|(rank, (score, mut candidate))| {
        candidate.support.push(LocatorSupport {
            locator: judge.name().to_owned(),
            rank,
            score,
            why: LocateReason {
                model: Some(judge.name().to_owned()),
                ..LocateReason::default()
            },
        });
        candidate
    });
    Ok(judged.chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::PassageKey;

    /// Gives the scores it was made with.
    struct Says(Vec<f32>);

    impl Reranker for Says {
        fn name(&self) -> &str {
            "judge"
        }

        fn score(&self, _: &str, _: &[&str]) -> Result<Vec<f32>, encode::EncoderError> {
            Ok(self.0.clone())
        }
    }

    fn judged(scores: &[f32], shown: usize) -> Result<Vec<PassageCandidate>, encode::EncoderError> {
        let candidate = |place: usize| PassageCandidate {
            key: PassageKey {
                source: "s".into(),
                passage: serde_json::from_str(&format!("\"p{place}\"")).unwrap(),
            },
            place,
            score: 1.0,
            support: Vec::new(),
        };
        let candidates = (0..4).map(candidate).collect();
        rerank(candidates, "?", shown, |_| "text", &Says(scores.to_vec()))
    }

    fn places(candidates: &[PassageCandidate]) -> Vec<usize> {
        candidates.iter().map(|one| one.place).collect()
    }

    #[test]
    fn what_was_shown_takes_the_judges_order_and_the_rest_stays_below() {
        let candidates = judged(&[0.1, 0.9, 0.1], 3).unwrap();
        assert_eq!(places(&candidates), [1, 0, 2, 3]);
        let said = &candidates[0].support[0];
        assert_eq!((said.locator.as_str(), said.rank), ("judge", 1));
        assert!(candidates[3].support.is_empty());
    }

    #[test]
    fn a_judge_that_drops_or_doubles_a_passage_is_refused() {
        assert!(judged(&[0.1, 0.2], 3).is_err());
        assert!(judged(&[0.1, 0.2, 0.3, 0.4], 3).is_err());
    }

    #[test]
    fn a_score_that_is_no_number_is_refused() {
        assert!(judged(&[0.1, f32::NAN, 0.3], 3).is_err());
    }

    #[test]
    fn none_or_more_than_there_are_may_be_shown() {
        assert_eq!(places(&judged(&[], 0).unwrap()), [0, 1, 2, 3]);
        let all = judged(&[1.0, 2.0, 3.0, 4.0], 99).unwrap();
        assert_eq!(places(&all), [3, 2, 1, 0]);
    }
}
