//! Character n-grams: ranks texts by the pieces of words they share with a question.
//!
//! Where BM25 wants the same term, this finds parts of it: `methylation` in `hypermethylated`,
//! a misspelt name, a compound that is written apart. Weighed as BM25 weighs words.

use crate::Language;
use crate::bm25::{self, weighed};
use crate::fixed_hash::FixedMap;
use crate::inverted::{Counter, Inverted, Rows};
use crate::terms::Vocabulary;

/// How words are cut and weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NgramSettings {
    /// Characters a piece; a shorter word is one piece.
    pub(crate) ngram_chars: usize,
    /// As [`bm25::Bm25Settings::bm25_k1`], for pieces.
    pub(crate) ngram_k1: f32,
    /// As [`bm25::Bm25Settings::bm25_b`], for pieces.
    pub(crate) ngram_b: f32,
}

impl Default for NgramSettings {
    fn default() -> Self {
        Self {
            ngram_chars: 3,
            ngram_k1: 2.0,
            ngram_b: 0.8,
        }
    }
}

impl NgramSettings {
    /// For texts of a sentence or two, as [`bm25::Bm25Settings::SENTENCES`].
    pub(crate) const SENTENCES: Self = Self {
        ngram_chars: 4,
        ngram_k1: 0.4,
        ngram_b: 0.2,
    };
}

type PieceIds = FixedMap<Box<str>, u32>;

/// An index over the pieces of the words of texts.
pub(crate) struct Ngrams {
    vocabulary: Vocabulary,
    /// The pieces of each term of the vocabulary.
    pieces: Vec<Vec<u32>>,
    ids: PieceIds,
    index: Inverted,
    chars: usize,
}

impl Ngrams {
    /// Of texts in parts, each with a weight, as [`bm25::Bm25::build_fields`].
    pub(crate) fn build_fields<T: AsRef<str>, F: IntoIterator<Item = (T, f32)>>(
        texts: impl IntoIterator<Item = F>,
        language: Language,
        settings: &NgramSettings,
    ) -> Self {
        let chars = settings.ngram_chars.max(2);
        let mut vocabulary = Vocabulary::unstemmed(language);
        let (mut ids, mut pieces) = (PieceIds::default(), Vec::new());
        let (mut counter, mut rows) = (Counter::default(), Rows::default());
        let mut words = Vec::new();
        for text in texts {
            words.clear();
            for (part, weight) in text {
                vocabulary.learn(part.as_ref(), |word| words.push((word, weight)));
            }
            while let Some(name) = vocabulary.name(pieces.len() as u32) {
                pieces.push(learnt(name, chars, &mut ids));
            }
            for (word, weight) in &words {
                let of_word = pieces.get(*word as usize).map_or(&[][..], Vec::as_slice);
                of_word
                    .iter()
                    .for_each(|piece| counter.add(*piece, *weight));
            }
            rows.push(counter.take());
        }
        let settings = bm25::Bm25Settings {
            bm25_k1: settings.ngram_k1,
            bm25_b: settings.ngram_b,
        };
        Self {
            vocabulary,
            pieces,
            ids,
            index: weighed(rows, &settings),
            chars,
        }
    }

    /// The score of every text, in their order.
    pub(crate) fn scores(&self, question: &str) -> Vec<f32> {
        self.index.scores(&self.query(question))
    }

    fn query(&self, question: &str) -> Vec<(u32, f32)> {
        let mut counter = Counter::default();
        for word in self.vocabulary.terms().telling(question) {
            for piece in self.pieces_of(&word) {
                counter.add(piece, 1.0);
            }
        }
        counter.take().collect()
    }

    fn pieces_of(&self, word: &str) -> Vec<u32> {
        match self.vocabulary.id(word) {
            Some(id) => self.pieces.get(id as usize).cloned().unwrap_or_default(),
            None => cut(word, self.chars)
                .into_iter()
                .filter_map(|piece| self.ids.get(piece.as_str()).copied())
                .collect(),
        }
    }
}

fn learnt(word: &str, chars: usize, ids: &mut PieceIds) -> Vec<u32> {
    let mut pieces = Vec::new();
    for piece in cut(word, chars) {
        let next = ids.len() as u32;
        pieces.push(*ids.entry(piece.into()).or_insert(next));
    }
    pieces
}

/// The pieces of a word, with a mark where it begins and ends.
fn cut(word: &str, chars: usize) -> Vec<String> {
    let marked: Vec<char> = std::iter::once('<')
        .chain(word.chars())
        .chain(std::iter::once('>'))
        .collect();
    if marked.len() <= chars {
        return vec![marked.into_iter().collect()];
    }
    marked
        .windows(chars)
        .map(|piece| piece.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(texts: &[&str], settings: &NgramSettings) -> Ngrams {
        let fields = texts.iter().map(|text| [(text, 1.0)]);
        Ngrams::build_fields(fields, Language::ENGLISH, settings)
    }

    fn index(texts: &[&str]) -> Ngrams {
        built(texts, &NgramSettings::default())
    }

    /// The texts that share a piece with the question.
    fn found(index: &Ngrams, question: &str) -> Vec<usize> {
        let scores = index.scores(question);
        (0..scores.len())
            .filter(|text| scores[*text] > 0.0)
            .collect()
    }

    #[test]
    fn a_word_is_cut_with_its_ends_marked() {
        assert_eq!(cut("cell", 3), ["<ce", "cel", "ell", "ll>"]);
        assert_eq!(cut("a", 3), ["<a>"]);
        assert_eq!(cut("", 3), ["<>"]);
        assert_eq!(cut("übel", 5), ["<übel", "übel>"]);
    }

    #[test]
    fn a_part_of_a_word_and_a_misspelt_one_are_found() {
        let index = index(&["fish swim", "genes were hypermethylated"]);
        assert_eq!(found(&index, "methylation"), [1]);
        assert_eq!(found(&index, "hypermetylated"), [1]);
    }

    #[test]
    fn nothing_is_found_where_nothing_is_or_nothing_is_asked() {
        assert!(found(&index(&[]), "cat").is_empty());
        let index = index(&["cat"]);
        for question in ["", "the", "xyzzy"] {
            assert!(found(&index, question).is_empty(), "{question}");
        }
    }

    #[test]
    fn pieces_of_no_length_are_taken_as_two_characters() {
        let settings = NgramSettings {
            ngram_chars: 0,
            ..NgramSettings::default()
        };
        let index = built(&["cat"], &settings);
        assert_eq!(found(&index, "cat"), [0]);
    }
}
