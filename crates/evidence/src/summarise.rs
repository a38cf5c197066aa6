//! How well single sentences of documents answer a question, and what speaks against showing one.
//!
//! Takes sentences with where they stand; gives a score for each, in their order. Which of them are shown is left to
//! the caller.

mod relevance;
mod signs;

use serde::{Deserialize, Serialize};

use crate::terms::Terms;
use crate::vector::meaningful;
use crate::{Document, Language, Passage, Span};

/// What the signs for and against a sentence count beside its relevance. Found on training claims with
/// their rationales.
const TELLING_SHARE: f64 = 0.08;
const AGAINST_SHARE: f64 = 0.5;

/// One sentence of one document.
#[derive(Clone, Copy, Debug)]
pub struct SummarySentence<'d> {
    /// Which document, as the caller counts them.
    pub source: usize,
    /// Which of its passages.
    pub passage: usize,
    /// In the document's text.
    pub span: Span,
    /// Its words.
    pub text: &'d str,
    /// From 0 for the first of its document to 1 for the last.
    pub place: f64,
    /// Titles of the sections around it.
    pub sections: &'d [String],
}

/// The sentences of a document that may be shown: all but those of its list of references.
pub fn sentences_of<'d>(
    source: usize,
    document: &'d Document,
    passages: &'d [Passage],
) -> Vec<SummarySentence<'d>> {
    let whole = document.text.len().max(1) as f64;
    let shown = passages
        .iter()
        .enumerate()
        .filter(|(_, passage)| !passage.references);
    let each = shown.flat_map(|(nth, passage)| {
        passage
            .sentences
            .iter()
            .map(move |span| (nth, passage, *span))
    });
    each.filter_map(|(passage, holder, span)| {
        Some(SummarySentence {
            source,
            passage,
            span,
            text: document.at(span)?,
            place: span.start as f64 / whole,
            sections: &holder.sections,
        })
    })
    .collect()
}

/// How well a sentence answers, and what that rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentenceScore {
    /// What it is ranked by; higher is better, below 0 should not be shown.
    pub total: f64,
    /// The share of the question's rare words that it has, 0 to 1.
    pub relevance: f64,
    /// Section, numbers, telling words and place, 0 to 1.
    pub telling: f64,
    /// What speaks against showing it alone, 0 to 1.
    pub against: f64,
}

/// Scores each sentence for a question, in the order given.
pub fn scores(
    question: &str,
    sentences: &[SummarySentence<'_>],
    language: Language,
) -> Vec<SentenceScore> {
    let terms = Terms::new(language);
    let said: Vec<Vec<String>> = sentences
        .iter()
        .map(|s| meaningful(s.text, &terms))
        .collect();
    let asked = meaningful(question, &terms);
    let relevance = relevance::relevances(&asked, &said);
    let each = sentences.iter().zip(relevance);
    each.map(|(sentence, relevance)| {
        let (telling, against) = (signs::telling(sentence), signs::against(sentence.text));
        let total = relevance + TELLING_SHARE * telling - AGAINST_SHARE * against;
        SentenceScore {
            total,
            relevance,
            telling,
            against,
        }
    })
    .collect()
}

#[cfg(test)]
mod tests;
