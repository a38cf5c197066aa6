//! BM25: ranks texts by the words they share with a question.
//!
//! Takes texts, plain or as fields with weights; gives an index that answers many questions. What
//! each term adds to a text's score is worked out when the index is built, so that a question only
//! adds up.

use crate::Language;
use crate::inverted::{Counter, Hit, Inverted, Rows};
use crate::question::{light_verb_weights, without_fillers};
use crate::terms::{TermId, Terms, Vocabulary};

/// How words are weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25Settings {
    /// How soon more of the same word stops to add: 0 is at once.
    pub bm25_k1: f32,
    /// How much a long text must have more of a word: 0 is not at all, 1 in full proportion.
    pub bm25_b: f32,
}

impl Default for Bm25Settings {
    fn default() -> Self {
        Self {
            bm25_k1: 1.2,
            bm25_b: 0.75,
        }
    }
}

impl Bm25Settings {
    /// For texts of a sentence or two: a word rarely stands twice in one, and a longer sentence
    /// tells more rather than the same at greater length.
    pub const SENTENCES: Self = Self {
        bm25_k1: 0.4,
        bm25_b: 0.2,
    };
}

/// A question with so many different terms is a text of its own, in which a word is repeated because it matters.
const LONG_QUESTION_TERMS: usize = 30;

/// An index over texts of one language or several.
pub struct Bm25 {
    vocabulary: Vocabulary,
    index: Inverted,
}

/// What one term of a question added to the score of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The term as the index knows it: stemmed, in lower case.
    pub term: String,
    /// What it added; all terms together give the text's score.
    pub score: f32,
}

impl Bm25 {
    /// Indexes texts of one part each, numbered from 0 in their order.
    pub fn build<T: AsRef<str>>(
        texts: impl IntoIterator<Item = T>,
        language: Language,
        settings: &Bm25Settings,
    ) -> Self {
        let fields = texts.into_iter().map(|text| [(text, 1.0)]);
        Self::build_fields(fields, language, settings)
    }

    /// Of texts in parts, each with a weight: a word in a part of weight 2 counts twice.
    pub fn build_fields<T: AsRef<str>, F: IntoIterator<Item = (T, f32)>>(
        texts: impl IntoIterator<Item = F>,
        language: Language,
        settings: &Bm25Settings,
    ) -> Self {
        let texts = texts.into_iter().map(|text| (language, text));
        Self::build_languages(texts, language, settings)
    }

    /// Of texts in parts, each text in its own language. A question is taken to be in the main language unless it is
    /// plainly in another of them.
    pub fn build_languages<T: AsRef<str>, F: IntoIterator<Item = (T, f32)>>(
        texts: impl IntoIterator<Item = (Language, F)>,
        main: Language,
        settings: &Bm25Settings,
    ) -> Self {
        let mut vocabulary = Vocabulary::new(main);
        let mut counter = Counter::default();
        let mut rows = Rows::default();
        for (language, text) in texts {
            for (part, weight) in text {
                let count = |term| counter.add(term, weight);
                vocabulary.learn_in(language, part.as_ref(), count);
            }
            rows.push(counter.take());
        }
        Self {
            vocabulary,
            index: weighed(rows, settings),
        }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no text in the index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The best texts, best first; of equal ones the earlier. Texts without any of the question's
    /// terms are not among them.
    pub fn search(&self, question: &str, top_k: usize) -> Vec<Hit> {
        self.index.search(&self.query(question), top_k)
    }

    /// The score of every text, in their order.
    pub fn scores(&self, question: &str) -> Vec<f32> {
        self.index.scores(&self.query(question))
    }

    /// The terms of the indexed texts and their numbers.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// A question as terms with weights. A term that a long question repeats counts as often as it is said; in a short
    /// one that is mere wording, and it counts once. Fillers are left out; compounds of the question's words count for
    /// less than the words.
    pub fn query(&self, question: &str) -> Vec<(TermId, f32)> {
        let language = self.vocabulary.language_of(question);
        let question = &without_fillers(question, language);
        let mut query: Vec<(TermId, f32)> = Vec::new();
        for term in self.vocabulary.find(question) {
            match query.iter_mut().find(|(known, _)| *known == term) {
                Some((_, said)) => *said += 1.0,
                None => query.push((term, 1.0)),
            }
        }
        if query.len() < LONG_QUESTION_TERMS {
            query.iter_mut().for_each(|(_, weight)| *weight = 1.0);
        }
        for (term, weight) in self.vocabulary.compounds(question) {
            if query.iter().all(|(known, _)| *known != term) {
                query.push((term, weight));
            }
        }
        query
    }

    /// As [`Bm25::scores`], for terms with weights of one's own.
    pub fn scores_query(&self, query: &[(TermId, f32)]) -> Vec<f32> {
        self.index.scores(query)
    }

    /// What each term of a query adds to a text's score, the most first.
    pub fn explain_query(&self, query: &[(TermId, f32)], doc: usize) -> Vec<Contribution> {
        let mut all: Vec<Contribution> = query
            .iter()
            .map(|(term, factor)| (*term, factor * self.index.weight(*term, doc)))
            .filter(|(_, score)| *score > 0.0)
            .filter_map(|(term, score)| {
                let term = self.vocabulary.name(term)?.to_owned();
                Some(Contribution { term, score })
            })
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all
    }

    /// What a term adds to a text's score; 0 where it does not stand.
    pub fn weight(&self, term: TermId, doc: usize) -> f32 {
        self.index.weight(term, doc)
    }

    /// How many texts have a term.
    pub fn frequency(&self, term: TermId) -> usize {
        self.index.frequency(term)
    }
}

/// The terms of a question to an index that is kept elsewhere, with weights as [`Bm25::query`] gives them. Compounds are
/// told by [`crate::terms::compounds_among`].
pub fn question_terms(question: &str, language: Language) -> Vec<(String, f32)> {
    let question = without_fillers(question, language);
    let mut query: Vec<(String, f32)> = Vec::new();
    for term in Terms::new(language).telling(&question) {
        match query.iter_mut().find(|(known, _)| *known == term) {
            Some((_, said)) => *said += 1.0,
            None => query.push((term, 1.0)),
        }
    }
    if query.len() < LONG_QUESTION_TERMS {
        query.iter_mut().for_each(|(_, weight)| *weight = 1.0);
    }
    let terms: Vec<&str> = query.iter().map(|(term, _)| term.as_str()).collect();
    let factors = light_verb_weights(&terms, language);
    let both = query.iter_mut().zip(factors);
    both.for_each(|((_, weight), factor)| *weight *= factor);
    query
}

/// Rows of counts with BM25's weights.
pub(crate) fn weighed(rows: Rows, settings: &Bm25Settings) -> Inverted {
    let lengths: Vec<f32> = (0..rows.len())
        .map(|doc| rows.row(doc).iter().map(|(_, count)| count).sum())
        .collect();
    let mean = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(f32::MIN_POSITIVE);
    let Bm25Settings { bm25_k1, bm25_b } = *settings;
    let norms: Vec<f32> = lengths
        .iter()
        .map(|length| bm25_k1 * (1.0 - bm25_b + bm25_b * length / mean))
        .collect();
    let texts = rows.len();
    Inverted::new(rows, |doc, count, frequency| {
        let norm = norms.get(doc).copied().unwrap_or_default();
        rarity(texts, frequency) * count * (bm25_k1 + 1.0) / (count + norm)
    })
}

/// How rare a term is among the texts: ln(1 + (N − n + ½) / (n + ½)).
pub fn rarity(texts: usize, with_term: usize) -> f32 {
    let (texts, with_term) = (texts as f32, with_term as f32);
    ((texts - with_term + 0.5) / (with_term + 0.5)).ln_1p()
}

#[cfg(test)]
mod tests;
