//! Verbs such as "make" and "happen", which tell little of what a question is about.

use std::collections::BTreeSet;

use crate::terms::{Terms, plain_letters};
use crate::{Language, lists};

const VERBS: &str = include_str!("light_verbs.txt");

/// A question of fewer telling words needs each of them: one may ask about the program "make".
const WORDS_LEAST: usize = 3;

/// What such a verb counts where another word counts 1.
const LIGHT: f32 = 0.4;

/// What each of a question's terms counts, in their order: a light verb less than others.
pub fn light_verb_weights(terms: &[&str], language: Language) -> Vec<f32> {
    let verbs = lists::entries(VERBS, language.code());
    let stemmed = Terms::new(language);
    let verbs: BTreeSet<String> = verbs
        .into_iter()
        .map(|verb| stemmed.term(&plain_letters(verb)))
        .collect();
    let is_light = |term: &&str| terms.len() >= WORDS_LEAST && verbs.contains(*term);
    let weight = |term: &&str| if is_light(term) { LIGHT } else { 1.0 };
    terms.iter().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_of_all_subjects_counts_less_beside_other_words() {
        let weights = |terms: &[&str]| light_verb_weights(terms, Language::ENGLISH);
        assert_eq!(weights(&["street", "tree", "make"]), [1.0, 1.0, LIGHT]);
        assert_eq!(weights(&["make", "parallel"]), [1.0, 1.0]);
    }
}
