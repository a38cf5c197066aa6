//! A review of a draft: six scores, the items found, and the verdict, which code alone computes.

use fathom_render::report::EXTRACTIVE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::draft::DraftPlace;
pub use fathom_render::report::review::{ReviewCategory, ReviewScores, ReviewVerdict, Severity};

/// The weighted score, 0 to 10. A score outside its range counts as the nearest within.
pub fn weighted_score(scores: &ReviewScores) -> f64 {
    let weighed = [
        (scores.accuracy, 0.25),
        (scores.completeness, 0.20),
        (scores.coherence, 0.20),
        (scores.citation, 0.15),
        (scores.methodology, 0.10),
        (scores.style, 0.10),
    ];
    let within = |score: f64| {
        if score.is_nan() {
            0.0
        } else {
            score.clamp(0.0, 10.0)
        }
    };
    weighed
        .iter()
        .map(|(score, weight)| within(*score) * weight)
        .sum()
}

/// Something that a draft could do better.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRemark {
    /// What kind of shortcoming it is.
    pub category: ReviewCategory,
    /// How grave it is.
    pub severity: Severity,
    /// The part of the draft that it is about.
    pub place: DraftPlace,
    /// What is wrong, in a sentence.
    pub description: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// Code found it, so it is no matter of opinion.
    pub proven: bool,
}

/// What a reviewer says; the arithmetic is done elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewOpinion {
    /// A score for each of six respects, 0 to 10.
    pub scores: ReviewScores,
    /// What could be better.
    pub items: Vec<ReviewRemark>,
    /// The opinion in a sentence or two.
    pub summary: String,
}

/// A reviewer's opinion with what follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Critique {
    /// The draft it is about.
    pub version: u32,
    /// Who reviewed it; nothing where nobody did, and in runs of versions that did not keep it.
    #[serde(default)]
    pub by: Option<String>,
    /// As the reviewer gave them; all 0 where nobody reviewed.
    pub scores: ReviewScores,
    /// The weighted score, 0 to 10; 0 where nobody reviewed.
    pub score: f64,
    /// What is proven and what the reviewer said, the gravest first.
    pub items: Vec<ReviewRemark>,
    /// Whether the draft is approved, revised or rejected.
    pub verdict: ReviewVerdict,
    /// 0 to 1: what another revision may bring.
    pub potential: f64,
    /// The reviewer's opinion in a sentence or two.
    pub summary: String,
    /// Why no other draft is written, whatever the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_revision: Option<NoRevision>,
}

/// Why a draft is not written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoRevision {
    /// Nothing was found that a part could be written anew for: the draft would be the same.
    NothingToChange,
    /// The model is too slow for what is left of the run's time.
    NoTime,
}

/// From where on a draft is good enough, or not worth a revision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReviewThresholds {
    /// The least score of an approved draft.
    pub approve_score: f64,
    /// An approved draft has at most so many major remarks.
    pub approve_major_most: usize,
    /// A draft of this score is revised even where no iteration is left.
    pub revise_score: f64,
}

impl Default for ReviewThresholds {
    fn default() -> Self {
        Self {
            approve_score: 7.5,
            approve_major_most: 3,
            revise_score: 5.0,
        }
    }
}

impl Critique {
    /// Whether a language model gave the scores; those of the brief are for its own use.
    pub fn is_by_model(&self) -> bool {
        self.by.as_deref().is_some_and(|by| by != EXTRACTIVE)
    }

    /// Judges a draft by a reviewer's opinion and the items that are known already.
    pub fn new(
        version: u32,
        opinion: ReviewOpinion,
        known: Vec<ReviewRemark>,
        iterations_left: bool,
        thresholds: &ReviewThresholds,
    ) -> Self {
        let score = weighted_score(&opinion.scores);
        let mut items = known;
        items.extend(opinion.items);
        items.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.place.cmp(&b.place)));
        let count = |severity| {
            items
                .iter()
                .filter(|item| item.severity == severity)
                .count()
        };
        let (critical, major) = (count(Severity::Critical), count(Severity::Major));
        let good = score >= thresholds.approve_score && major <= thresholds.approve_major_most;
        let verdict = if good && critical == 0 {
            ReviewVerdict::Approve
        } else if score >= thresholds.revise_score || iterations_left {
            ReviewVerdict::Revise
        } else {
            ReviewVerdict::Reject
        };
        Self {
            by: None,
            version,
            scores: opinion.scores,
            score,
            potential: potential(critical, major, count(Severity::Minor)),
            items,
            verdict,
            summary: opinion.summary,
            no_revision: None,
        }
    }

    /// Takes a draft that nobody can review by what code has proven of it: only a critical item speaks against it.
    pub fn without_review(version: u32, mut known: Vec<ReviewRemark>) -> Self {
        known.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.place.cmp(&b.place)));
        let critical = known.iter().any(|item| item.severity == Severity::Critical);
        Self {
            by: None,
            version,
            scores: ReviewScores::default(),
            score: 0.0,
            items: known,
            verdict: if critical {
                ReviewVerdict::Reject
            } else {
                ReviewVerdict::Approve
            },
            potential: 0.0,
            summary: String::new(),
            no_revision: None,
        }
    }

    /// Whether a remark is critical, which no score outweighs.
    pub fn has_critical(&self) -> bool {
        self.items
            .iter()
            .any(|item| item.severity == Severity::Critical)
    }
}

fn potential(critical: usize, major: usize, minor: usize) -> f64 {
    let kept = 1.0 - 0.3 * critical as f64;
    let gain = 0.5 + (0.05 * minor as f64).min(0.3) - (0.15 * major as f64).min(0.5);
    (kept * gain).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(severity: Severity) -> ReviewRemark {
        ReviewRemark {
            category: ReviewCategory::Citation,
            severity,
            place: DraftPlace::Whole,
            description: String::new(),
            fix: None,
            proven: true,
        }
    }

    fn judge(score: f64, proven: &[Severity], iterations_left: bool) -> Critique {
        let opinion = ReviewOpinion {
            scores: ReviewScores {
                accuracy: score,
                completeness: score,
                coherence: score,
                citation: score,
                methodology: score,
                style: score,
            },
            ..ReviewOpinion::default()
        };
        let proven = proven.iter().copied().map(item).collect();
        Critique::new(
            1,
            opinion,
            proven,
            iterations_left,
            &ReviewThresholds::default(),
        )
    }

    #[test]
    fn the_weights_add_up_to_one_and_scores_out_of_range_gain_nothing() {
        assert!((judge(10.0, &[], true).score - 10.0).abs() < 1e-9);
        assert!((judge(1e9, &[], true).score - 10.0).abs() < 1e-9);
        assert_eq!(judge(f64::NAN, &[], true).score, 0.0);
        let accurate = ReviewScores {
            accuracy: 8.0,
            ..ReviewScores::default()
        };
        assert!((weighted_score(&accurate) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_draft_is_approved_by_score_without_critical_items_and_with_few_major_ones() {
        use Severity::{Critical, Major, Minor};
        assert_eq!(
            judge(7.5, &[Major, Major, Major, Minor], true).verdict,
            ReviewVerdict::Approve
        );
        assert_eq!(judge(7.4, &[], true).verdict, ReviewVerdict::Revise);
        assert_eq!(judge(9.0, &[Major; 4], true).verdict, ReviewVerdict::Revise);
        assert_eq!(
            judge(10.0, &[Critical], true).verdict,
            ReviewVerdict::Revise
        );
    }

    #[test]
    fn a_poor_draft_is_revised_while_iterations_remain_and_rejected_after() {
        assert_eq!(judge(2.0, &[], true).verdict, ReviewVerdict::Revise);
        assert_eq!(judge(2.0, &[], false).verdict, ReviewVerdict::Reject);
        assert_eq!(judge(5.0, &[], false).verdict, ReviewVerdict::Revise);
    }

    #[test]
    fn the_potential_follows_its_formula_and_stays_within_zero_and_one() {
        use Severity::{Critical, Major, Minor};
        let at = |items: &[Severity]| judge(6.0, items, true).potential;
        assert!((at(&[]) - 0.5).abs() < 1e-9);
        assert!((at(&[Minor; 2]) - 0.6).abs() < 1e-9);
        assert!((at(&[Critical, Major]) - 0.7 * 0.35).abs() < 1e-9);
        assert_eq!(at(&[Critical; 9]), 0.0);
    }
}
