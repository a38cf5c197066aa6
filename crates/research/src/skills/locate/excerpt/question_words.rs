//! What the words of a question count, and how many of them a sentence has.

use std::collections::BTreeSet;

use fathom_evidence::Language;
use fathom_evidence::question::{AskedThing, document_words, light_verb_weights};
use fathom_evidence::terms::Terms;

use super::sentence::Sentence;
use crate::library::WordMention;

/// The words of a question that tell what it is about, as terms, each once.
pub(crate) fn telling(terms: &Terms, question: &str) -> BTreeSet<String> {
    terms.telling(question).into_iter().collect()
}

/// The share of some terms that texts have, 0 to 1.
pub(crate) fn coverage<const N: usize>(
    terms: &Terms,
    wanted: &BTreeSet<String>,
    texts: [&str; N],
) -> f64 {
    share_held(
        wanted,
        &texts.iter().flat_map(|text| terms.telling(text)).collect(),
    )
}

fn share_held(wanted: &BTreeSet<String>, held: &BTreeSet<String>) -> f64 {
    wanted.intersection(held).count() as f64 / wanted.len().max(1) as f64
}

/// The telling words of a question and what each counts: the more, the fewer passages have it.
pub(crate) struct QuestionWords {
    terms: Terms,
    weighed: Vec<(String, f64)>,
    /// What documents say for everyday words of the question.
    meant: BTreeSet<String>,
    /// The thing of a question that asks what it is.
    thing: Option<AskedThing>,
}

impl QuestionWords {
    /// Where the documents were not counted, all words count the same.
    pub(crate) fn new(question: &str, language: Language, mentions: &[WordMention]) -> Self {
        let terms = Terms::new(language);
        let weight = |term: &String| {
            let mut mentions = mentions.iter();
            let mention = mentions.find(|one| terms.term(&one.word) == *term);
            mention.map_or(1.0, |one| {
                (1.0 + one.of as f64 / (one.passages as f64 + 0.5)).ln()
            })
        };
        let wanted: Vec<String> = telling(&terms, question).into_iter().collect();
        let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let natural = light_verb_weights(&names, language);
        let weighed = wanted.into_iter().zip(natural).map(|(term, natural)| {
            let weight = weight(&term) * f64::from(natural);
            (term, weight)
        });
        Self {
            weighed: weighed.collect(),
            meant: telling(&terms, &document_words(question, language).join(" ")),
            thing: AskedThing::read(question, language),
            terms,
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.weighed.len()
    }

    /// Whether the question asks what a thing is.
    pub(super) fn ask_for_thing(&self) -> bool {
        self.thing.is_some()
    }

    /// With the words of a part of the question counting so much more.
    #[must_use]
    pub(crate) fn stressing(mut self, part: &str, factor: f64) -> Self {
        let stressed = telling(&self.terms, part);
        for (term, weight) in &mut self.weighed {
            if stressed.contains(term) {
                *weight *= factor;
            }
        }
        self
    }

    /// Whether a sentence tells what the thing is that is asked for.
    pub(super) fn defined_in(&self, sentence: &str) -> bool {
        let thing = self.thing.as_ref();
        thing.is_some_and(|thing| thing.is_told_in(sentence))
    }

    /// Whether a sentence is the first under the name of the thing that is asked for.
    pub(super) fn named_above(&self, sentence: &Sentence) -> bool {
        let heading = sentence.headings.last().filter(|_| sentence.first);
        let both = self.thing.as_ref().zip(heading);
        both.is_some_and(|(thing, heading)| thing.is_name(heading))
    }

    /// The terms that tell what a text is about, to be compared more than once.
    pub(super) fn terms_of(&self, text: &str) -> BTreeSet<String> {
        telling(&self.terms, text)
    }

    /// The share of what documents say for them that a text's terms have, 0 to 1.
    pub(super) fn meant(&self, held: &BTreeSet<String>) -> f64 {
        share_held(&self.meant, held)
    }

    /// The share of them that a text has, all counting alike.
    pub(super) fn share(&self, text: &str) -> f64 {
        let wanted = self.weighed.iter().map(|(term, _)| term.clone()).collect();
        coverage(&self.terms, &wanted, [text])
    }

    /// The weighed share of them that texts have, 0 to 1.
    pub(crate) fn covered<const N: usize>(&self, texts: [&str; N]) -> f64 {
        self.covered_by(&texts.map(|text| self.terms_of(text)).each_ref())
    }

    /// The same of the terms of texts.
    pub(super) fn covered_by(&self, held: &[&BTreeSet<String>]) -> f64 {
        let all: f64 = self.weighed.iter().map(|(_, weight)| weight).sum();
        let is_held = |term: &String| held.iter().any(|one| one.contains(term));
        let has = self.weighed.iter().filter(|(term, _)| is_held(term));
        has.map(|(_, weight)| weight).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    }
}
