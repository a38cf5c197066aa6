//! Pseudo-relevance feedback: asks again with the words that the best texts share.
//!
//! Takes a question and an index; reads the texts that BM25 finds best, and adds to the question
//! the terms that mark them (RM3). What the question itself says keeps a set share of the weight.

use serde::{Deserialize, Serialize};

use crate::bm25::Bm25;
use crate::inverted::{Counter, Hit};
use crate::terms::TermId;

/// How far a question is widened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedbackSettings {
    /// How many of the best texts are believed.
    pub feedback_texts: usize,
    /// How many of their terms are asked for.
    pub feedback_terms: usize,
    /// The share of weight that the question's own terms keep, 0 to 1.
    pub feedback_own_share: f32,
}

impl Default for FeedbackSettings {
    fn default() -> Self {
        Self {
            feedback_texts: 5,
            feedback_terms: 20,
            feedback_own_share: 0.7,
        }
    }
}

/// The question's terms and those added, with weights that sum to 1.
pub fn widened(index: &Bm25, question: &str, settings: &FeedbackSettings) -> Vec<(TermId, f32)> {
    let own = index.query(question);
    let found = index.search_query(&own, settings.feedback_texts);
    let added = shared_terms(index, &found, settings.feedback_terms);
    if added.is_empty() {
        return own;
    }
    let own_share = settings.feedback_own_share.clamp(0.0, 1.0);
    let mut query = Counter::default();
    for (terms, share) in [(own, own_share), (added, 1.0 - own_share)] {
        let sum: f32 = terms.iter().map(|(_, weight)| weight).sum();
        for (term, weight) in terms {
            query.add(term, share * weight / sum.max(f32::MIN_POSITIVE));
        }
    }
    query.take().filter(|(_, weight)| *weight > 0.0).collect()
}

/// The terms that stand out in the found texts: a better text speaks louder, a rarer term too.
fn shared_terms(index: &Bm25, found: &[Hit], wanted: usize) -> Vec<(TermId, f32)> {
    let mut shares = Counter::default();
    let all: f32 = found.iter().map(|hit| hit.score).sum();
    for hit in found {
        let terms = index.terms_of(hit.doc);
        let length: f32 = terms.iter().map(|(_, count)| count).sum();
        for (term, count) in terms {
            let share = (hit.score / all) * (count / length.max(1.0));
            shares.add(*term, share * index.rarity(*term));
        }
    }
    let mut terms: Vec<(TermId, f32)> = shares.take().collect();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    terms.truncate(wanted);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, bm25};

    fn index(texts: &[&str]) -> Bm25 {
        Bm25::build(texts, Language::ENGLISH, &bm25::Bm25Settings::default())
    }

    const TEXTS: [&str; 4] = [
        "aspirin lowers fever by blocking prostaglandin",
        "aspirin and prostaglandin synthesis",
        "prostaglandin makes pain",
        "football results",
    ];

    #[test]
    fn a_text_is_found_by_a_word_that_the_best_texts_share() {
        let index = index(&TEXTS);
        assert!(index.search("aspirin", 9).iter().all(|hit| hit.doc != 2));
        let hits = index.search_query(&widened(&index, "aspirin", &FeedbackSettings::default()), 9);
        let found: Vec<usize> = hits.iter().map(|hit| hit.doc).collect();
        assert!(found.contains(&2) && !found.contains(&3), "{found:?}");
    }

    #[test]
    fn the_questions_own_terms_keep_their_share() {
        let settings = FeedbackSettings {
            feedback_own_share: 0.6,
            ..FeedbackSettings::default()
        };
        let index = index(&TEXTS);
        let query = widened(&index, "fever pain", &settings);
        let sum: f32 = query.iter().map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-5);
        let own = index.query("fever pain");
        for (term, _) in own {
            let kept = query.iter().find(|(known, _)| *known == term).unwrap().1;
            assert!(kept >= 0.3, "{kept}");
        }
        assert_eq!(query, widened(&index, "fever pain", &settings));
    }

    #[test]
    fn a_question_that_finds_nothing_stays_as_it_is() {
        let settings = FeedbackSettings::default();
        assert!(widened(&index(&TEXTS), "unicorn", &settings).is_empty());
        assert!(widened(&index(&[]), "fever", &settings).is_empty());
        let none = FeedbackSettings {
            feedback_texts: 0,
            ..settings
        };
        let index = index(&TEXTS);
        assert_eq!(widened(&index, "fever", &none), index.query("fever"));
    }
}
