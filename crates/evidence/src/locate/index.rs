//! Passages of several documents, indexed once, asked many questions.

use std::sync::Arc;

use super::rules::by_rule;
use super::{
    LocateQuestion, LocateReason, LocateSettings, LocatorRules, PassageCandidate, PassageKey,
};
use crate::bm25::{Bm25, Bm25Settings};
use crate::diversity::cover;
use crate::fusion::{Fused, Ranking, fuse};
use crate::inverted::best;
use crate::ngrams::{NgramSettings, Ngrams};
use crate::passage::Passage;
use crate::{Document, Language};

/// Passages that are shorter than this on average, in bytes, are weighed as sentences.
pub const SENTENCE_BYTES: usize = 250;

/// How much more a word of the title counts than one of the passage, where there are several documents.
pub const TITLE_WEIGHT: f32 = 2.0;

/// What pieces of words count beside whole words.
pub const PIECES_SHARE: f32 = 0.6;

/// What a passage borrows of the score of each passage beside it: an answer often says "it" or "the trial" where the
/// sentence before it has the name.
pub const NEIGHBOUR_SHARE: f32 = 0.2;

/// What a rule counts beside the words, which count 1: what a review asks about a trial shares few words with the answer.
const RULES_WEIGHT: f32 = 2.0;

/// What a part of the question is worth each time it was answered again.
const COVER_DECAY: f32 = 0.8;

/// So many terms say why a passage was found; more only fill the record.
const REASON_TERMS: usize = 8;

/// Saved with candidates.
pub(super) const CONTEXT_LOCATOR: &str = "context";
const RULES_LOCATOR: &str = "rules";

/// One passage of an index. Passages of one source stand together, in their order.
#[derive(Clone, Debug)]
pub struct PassageEntry {
    /// Names the passage among those of all sources.
    pub key: PassageKey,
    /// Which passage of its document it is, counted from 0. Places in the index count otherwise, since lists of
    /// references are left out of it.
    pub passage: usize,
    /// The title of its document; empty where there is none.
    pub title: Arc<str>,
    /// The titles of the sections around it, outermost first.
    pub sections: Vec<String>,
    /// Its words.
    pub text: String,
    /// The language of its document; nothing where that cannot be told.
    pub language: Option<Language>,
}

impl PassageEntry {
    /// The passages of one document, without its lists of references: they name everything and say nothing. A passage
    /// whose span lies outside the document is left out too. [`PassageEntry::passage`] tells which ones are kept.
    pub fn from_document(source: &str, document: &Document, passages: &[Passage]) -> Vec<Self> {
        let title: Arc<str> = document.about.title.as_deref().unwrap_or_default().into();
        let entry = |(number, passage): (usize, &Passage)| {
            Some(Self {
                passage: number,
                key: PassageKey {
                    source: source.to_owned(),
                    passage: passage.id.clone(),
                },
                title: Arc::clone(&title),
                sections: passage.sections.clone(),
                text: document.at(passage.span)?.to_owned(),
                language: document.about.language,
            })
        };
        let numbered = passages.iter().enumerate();
        let said = numbered.filter(|(_, passage)| !passage.references);
        said.filter_map(entry).collect()
    }
}

/// Indexes over passages: their words with those of the titles and headings above them, and pieces of the words.
pub struct PassageIndex {
    entries: Vec<PassageEntry>,
    /// Of each entry, the number of its source.
    sources: Vec<usize>,
    words: Bm25,
    pieces: Ngrams,
    rules: Option<LocatorRules>,
}

impl PassageIndex {
    /// Indexes the entries in their order; none is left out. Entries without a language are taken to be in this one.
    pub fn new(entries: Vec<PassageEntry>, language: Language) -> Self {
        let sources = numbered(&entries);
        let several = sources.last().is_some_and(|last| *last > 0);
        let fields = |entry: &PassageEntry| {
            let title = several.then(|| (Arc::clone(&entry.title), TITLE_WEIGHT));
            let sections: Arc<str> = entry.sections.join(" ").into();
            let text: Arc<str> = entry.text.as_str().into();
            title.into_iter().chain([(sections, 1.0), (text, 1.0)])
        };
        let bytes: usize = entries.iter().map(|entry| entry.text.len()).sum();
        let (words, pieces) = if bytes / entries.len().max(1) < SENTENCE_BYTES {
            (Bm25Settings::SENTENCES, NgramSettings::SENTENCES)
        } else {
            (Bm25Settings::default(), NgramSettings::default())
        };
        let texts = entries
            .iter()
            .map(|entry| (entry.language.unwrap_or(language), fields(entry)));
        let words = Bm25::build_languages(texts, language, &words);
        let pieces = Ngrams::build_fields(entries.iter().map(fields), language, &pieces);
        Self {
            sources,
            words,
            pieces,
            rules: None,
            entries,
        }
    }

    /// With rules that also rank what the words find.
    #[must_use]
    pub fn with_rules(mut self, rules: LocatorRules) -> Self {
        self.rules = Some(rules);
        self
    }

    /// The entries as they were given. A candidate's place counts them from 0.
    pub fn entries(&self) -> &[PassageEntry] {
        &self.entries
    }

    /// The index of words alone.
    pub fn words(&self) -> &Bm25 {
        &self.words
    }

    /// The candidates for a question, best first.
    pub fn locate<'q>(
        &self,
        question: impl Into<LocateQuestion<'q>>,
        settings: &LocateSettings,
    ) -> Vec<PassageCandidate> {
        let question = question.into();
        let by_words = self.by_words(question.text, settings);
        let rules = self.rules.as_ref().filter(|_| settings.use_structure);
        let rule = rules.and_then(|rules| rules.rule(question));
        let by_rule = rule.map(|rule| by_rule(rule, &by_words, &self.entries, &self.words));
        let fused = fuse([
            Ranking {
                locator: CONTEXT_LOCATOR.to_owned(),
                weight: 1.0,
                found: by_words,
            },
            Ranking {
                locator: RULES_LOCATOR.to_owned(),
                weight: RULES_WEIGHT,
                found: by_rule.unwrap_or_default(),
            },
        ]);
        self.chosen(question.text, fused, settings)
    }

    /// Words and pieces measure the same thing, what a passage shares with the question, so that their scores are added;
    /// ranks would lose by how much one passage is ahead of the next.
    fn by_words(
        &self,
        question: &str,
        settings: &LocateSettings,
    ) -> Vec<(usize, f32, LocateReason)> {
        let query = self.words.query(question);
        let mut own = self.words.scores_query(&query);
        let pieces = self.pieces.scores(question);
        let highest = |scores: &[f32]| scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let (most_words, most_pieces) = (highest(&own), highest(&pieces));
        for (score, pieces) in own.iter_mut().zip(&pieces) {
            *score = *score / most_words + PIECES_SHARE * pieces / most_pieces;
        }
        let scores = if settings.use_structure {
            borrowed(&own, &self.sources)
        } else {
            own.clone()
        };
        let reason = |place: usize, score: f32| {
            let terms = self.words.explain_query(&query, place).into_iter();
            LocateReason {
                neighbours: own.get(place).is_some_and(|own| score > *own),
                terms: terms.map(|one| one.term).take(REASON_TERMS).collect(),
                ..LocateReason::default()
            }
        };
        let found = best(&scores, settings.per_query_top_n).into_iter();
        found
            .map(|hit| (hit.doc, hit.score, reason(hit.doc, hit.score)))
            .collect()
    }

    /// The best, or those that together answer all parts of the question, in the order of choice.
    fn chosen(
        &self,
        question: &str,
        fused: Vec<Fused<usize, LocateReason>>,
        settings: &LocateSettings,
    ) -> Vec<PassageCandidate> {
        let order = if settings.cover {
            self.covering(question, &fused, settings.top_k)
        } else {
            (0..fused.len().min(settings.top_k)).collect()
        };
        let mut fused: Vec<Option<_>> = fused.into_iter().map(Some).collect();
        let candidate = |nth: usize| {
            let one: Fused<usize, LocateReason> = fused.get_mut(nth)?.take()?;
            Some(PassageCandidate {
                key: self.entries.get(one.item)?.key.clone(),
                place: one.item,
                score: one.score,
                support: one.support,
            })
        };
        order.into_iter().filter_map(candidate).collect()
    }

    fn covering(
        &self,
        question: &str,
        fused: &[Fused<usize, LocateReason>],
        top_k: usize,
    ) -> Vec<usize> {
        let query = self.words.query(question);
        let scores: Vec<f32> = fused.iter().map(|one| one.score).collect();
        let answers = |one: &Fused<usize, LocateReason>| {
            let terms = query.iter();
            let weights = terms.map(|(term, _)| self.words.weight(*term, one.item));
            weights.collect()
        };
        let parts: Vec<Vec<f32>> = fused.iter().map(answers).collect();
        cover(&scores, &parts, top_k, COVER_DECAY)
    }
}

/// Each score with a share of those beside it, within one source.
fn borrowed(own: &[f32], sources: &[usize]) -> Vec<f32> {
    let mut scores = own.to_vec();
    let pairs = own.windows(2).zip(sources.windows(2)).enumerate();
    for (place, (own, sources)) in pairs {
        if let ([before, after], [source, next]) = (own, sources)
            && source == next
        {
            scores[place] += NEIGHBOUR_SHARE * after;
            scores[place + 1] += NEIGHBOUR_SHARE * before;
        }
    }
    scores
}

/// Of each entry, the number of its source: from 0, one more where another source begins.
fn numbered(entries: &[PassageEntry]) -> Vec<usize> {
    let mut number = 0;
    let mut before: Option<&str> = None;
    let mut numbers = Vec::with_capacity(entries.len());
    for entry in entries {
        let source = entry.key.source.as_str();
        if before.is_some_and(|before| before != source) {
            number += 1;
        }
        before = Some(source);
        numbers.push(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_borrows_only_within_its_source() {
        let scores = borrowed(&[1.0, 0.0, 0.0, 2.0], &[0, 0, 1, 1]);
        assert_eq!(scores, [1.0, 0.2, 0.4, 2.0]);
    }
}
