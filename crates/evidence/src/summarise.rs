//! Which sentences of documents answer a question, and which few to show.
//!
//! Takes sentences with where they stand; gives places in that list, so that whatever is shown can
//! be cited to the byte. Nothing is written here: a summary is a choice of sentences.

mod central;
mod relevance;
mod signs;

use serde::{Deserialize, Serialize};

use crate::terms::Terms;
use crate::vector::{cosine, meaningful, vectors};
use crate::{Document, Language, Passage, Span};

use central::centrality;

/// Sentences that are weighed against each other when few are chosen.
const MAX_POOL: usize = 200;

/// How much a sentence loses for repeating one that was chosen, against what it says itself.
const REPEAT_SHARE: f64 = 0.4;

/// Sentences more alike than this say the same.
const SAME: f64 = 0.8;

/// What the signs for and against a sentence count beside its relevance, and what its place among
/// the others counts when few are chosen. Found on training claims with their rationales.
const TELLING_SHARE: f64 = 0.08;
const AGAINST_SHARE: f64 = 0.5;
const CENTRAL_SHARE: f64 = 0.1;

/// A lead has so many sentences.
const LEAD_SENTENCES: usize = 2;

/// Against a sentence speaks so much that it is not shown: a question, boilerplate, a bare heading.
const NOT_SHOWN: f64 = 0.6;

/// One sentence of one document.
#[derive(Clone, Copy, Debug)]
pub struct SummarySentence<'d> {
    /// Which document, as the caller counts them.
    pub source: usize,
    /// Which of its passages.
    pub passage: usize,
    /// In the document's text.
    pub span: Span,
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
    let relevance = relevance::of(&asked, &said);
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

/// Chooses sentences that answer a question without repeating each other, best first, up to a
/// number of words. One sentence is given even where it is longer, if any bears on the question.
pub fn select(
    question: &str,
    sentences: &[SummarySentence<'_>],
    max_words: usize,
    language: Language,
) -> Vec<usize> {
    let scores = scores(question, sentences, language);
    let mut pool: Vec<usize> = (0..sentences.len())
        .filter(|at| scores[*at].relevance > 0.0 && scores[*at].total > 0.0)
        .filter(|at| scores[*at].against < NOT_SHOWN)
        .collect();
    pool.sort_by(|a, b| scores[*b].total.total_cmp(&scores[*a].total).then(a.cmp(b)));
    pool.truncate(MAX_POOL);
    let texts: Vec<&str> = pool.iter().map(|at| sentences[*at].text).collect();
    let central = centrality(&texts, language);
    let worth: Vec<f64> = pool
        .iter()
        .zip(central)
        .map(|(at, central)| scores[*at].total + CENTRAL_SHARE * central)
        .collect();
    let chosen = without_repeats(&texts, &worth, max_words, language);
    chosen.into_iter().map(|nth| pool[nth]).collect()
}

/// The worthiest texts, each counted for less the more it repeats one that was chosen before it.
fn without_repeats(
    texts: &[&str],
    worth: &[f64],
    max_words: usize,
    language: Language,
) -> Vec<usize> {
    let vectors = vectors(texts, &Terms::new(language));
    let mut chosen: Vec<usize> = Vec::new();
    let mut open: Vec<usize> = (0..texts.len()).collect();
    // How like each text is to the nearest that was chosen.
    let mut repeats = vec![0.0_f64; texts.len()];
    let mut words = 0;
    loop {
        let value = |nth: usize| (1.0 - REPEAT_SHARE) * worth[nth] - REPEAT_SHARE * repeats[nth];
        let best = open
            .iter()
            .copied()
            .max_by(|a, b| value(*a).total_cmp(&value(*b)).then(b.cmp(a)));
        let Some(best) = best else {
            return chosen;
        };
        let length = texts[best].split_whitespace().count();
        open.retain(|nth| *nth != best);
        if chosen.is_empty() || words + length <= max_words {
            chosen.push(best);
            words += length;
            for nth in &open {
                repeats[*nth] = repeats[*nth].max(cosine(&vectors[*nth], &vectors[best]));
            }
            open.retain(|nth| repeats[*nth] < SAME);
        }
    }
}

/// One or two sentences that say what a document is about, in reading order.
pub fn lead(document: &Document, passages: &[Passage]) -> Vec<Span> {
    let all = sentences_of(0, document, passages);
    let head = &all[..all.len().min(MAX_POOL)];
    let texts: Vec<&str> = head.iter().map(|s| s.text).collect();
    let central = centrality(&texts, document.language());
    let top = central.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let value = |at: &usize| {
        let first = 1.5 * (1.0 - *at as f64 / 5.0).max(0.0);
        central[*at] / top + first + 0.3 * signs::telling(&head[*at])
            - 2.0 * signs::against(head[*at].text)
    };
    let mut best: Vec<usize> = (0..head.len()).filter(|at| value(at) > 0.0).collect();
    best.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
    best.truncate(LEAD_SENTENCES);
    best.sort_unstable();
    best.into_iter().map(|at| head[at].span).collect()
}

#[cfg(test)]
mod tests;
