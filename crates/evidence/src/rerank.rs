//! Re-ranking: a slower, better judge looks at the first candidates again.
//!
//! Takes candidates and a judge that is handed in; gives them in the judge's order, with its word
//! added to what the locators said. What the judge was not shown stays below in its old order.

use crate::encode;
use crate::fusion::Support;
use crate::locate::{Candidate, Reason};

/// A model, or anything else, that reads a question and a passage together.
pub trait Reranker {
    /// Saved with every candidate: choose it once.
    fn name(&self) -> &str;

    /// A score for each passage; higher is better.
    fn score(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, encode::Error>;
}

/// Puts the first `shown` candidates into the judge's order; of equal ones the earlier stays ahead.
/// `text` gives a candidate's passage.
pub fn rerank<'t>(
    mut candidates: Vec<Candidate>,
    question: &str,
    shown: usize,
    text: impl Fn(&Candidate) -> &'t str,
    judge: &dyn Reranker,
) -> Result<Vec<Candidate>, encode::Error> {
    let rest = candidates.split_off(shown.min(candidates.len()));
    let passages: Vec<&str> = candidates.iter().map(text).collect();
    let scores = judge.score(question, &passages)?;
    if scores.len() != candidates.len() || scores.iter().any(|score| score.is_nan()) {
        return Err(encode::Error {
            model: judge.name().to_owned(),
            why: format!(
                "it gave {} usable scores for {} passages",
                scores.len(),
                candidates.len()
            ),
        });
    }
    let mut judged: Vec<(f32, Candidate)> = scores.into_iter().zip(candidates).collect();
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let judged = (1..).zip(judged).map(|(rank, (score, mut candidate))| {
        candidate.support.push(Support {
            locator: judge.name().to_owned(),
            rank,
            score,
            why: Reason {
                model: Some(judge.name().to_owned()),
                ..Reason::default()
            },
        });
        candidate
    });
    Ok(judged.chain(rest).collect())
}
