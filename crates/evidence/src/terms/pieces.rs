//! Pieces of words, three characters each, for an index that is kept on a disk.
//!
//! The index keeps in how many passages each piece stands; which pieces a passage has is told by its text, when it is a
//! candidate. Weighed as [`crate::ngrams`] weighs them.

use super::{Terms, fold, tokens};
use crate::Language;
use crate::bm25::rarity;
use crate::fixed_hash::FixedMap;
use crate::inverted::Counter;
use crate::ngrams::NgramSettings;

/// Three characters of a word, with a mark where it begins and ends.
pub type Piece = u64;

/// Bits that hold any character.
const CHARACTER_BITS: u32 = 21;

/// Hands over the pieces of a token in order.
pub(super) fn each(token: &str, mut take: impl FnMut(Piece)) {
    let mut piece = ['\0', '\0', '<'];
    let marked = token.chars().chain(std::iter::once('>'));
    for (nth, c) in marked.enumerate() {
        piece = [piece[1], piece[2], c];
        if nth > 0 {
            take(pack(piece));
        }
    }
}

pub(super) fn pack(piece: [char; 3]) -> Piece {
    let add = |sum, c: char| sum << CHARACTER_BITS | u64::from(u32::from(c));
    piece.into_iter().fold(0, add)
}

/// The pieces of a question, each with what it weighs among the passages of an index.
pub struct PieceQuery {
    terms: Terms,
    /// The place of each piece among the weights.
    places: FixedMap<Piece, u32>,
    weights: Vec<f32>,
    mean_length: f32,
}

impl PieceQuery {
    /// Of a question to passages of one language: so many, of so many pieces on average. `frequency` tells in how many of
    /// them a piece stands.
    pub fn new(
        question: &str,
        language: Language,
        passages: usize,
        mean_length: f32,
        mut frequency: impl FnMut(Piece) -> usize,
    ) -> Self {
        let terms = Terms::new(language);
        let (mut places, mut said) = (FixedMap::default(), Vec::new());
        tokens::each(question, |token, _| {
            if !terms.stop.has(token) {
                each(&fold::without_accents(token), |piece| {
                    let next = said.len();
                    let place = *places.entry(piece).or_insert(next as u32) as usize;
                    if place == next {
                        said.push((piece, 0.0));
                    }
                    if let Some((_, said)) = said.get_mut(place) {
                        *said += 1.0;
                    }
                });
            }
        });
        let weight = |(piece, said): (Piece, f32)| match frequency(piece) {
            0 => 0.0,
            found => said * rarity(passages.max(found), found),
        };
        Self {
            weights: said.into_iter().map(weight).collect(),
            terms,
            places,
            mean_length: mean_length.max(f32::MIN_POSITIVE),
        }
    }

    /// How much a passage shares with the question; its parts have weights.
    pub fn score<'t>(&self, parts: impl IntoIterator<Item = (&'t str, f32)>) -> f32 {
        let (mut counts, mut length) = (Counter::default(), 0.0_f32);
        for (part, weight) in parts {
            tokens::each(part, |token, _| {
                if !self.terms.stop.has(token) {
                    each(&fold::without_accents(token), |piece| {
                        length += weight;
                        if let Some(place) = self.places.get(&piece) {
                            counts.add(*place, weight);
                        }
                    });
                }
            });
        }
        let NgramSettings {
            ngram_k1, ngram_b, ..
        } = NgramSettings::default();
        let norm = ngram_k1 * (1.0 - ngram_b + ngram_b * length / self.mean_length);
        let added = counts.take().map(|(place, count)| {
            let weight = self
                .weights
                .get(place as usize)
                .copied()
                .unwrap_or_default();
            weight * count * (ngram_k1 + 1.0) / (count + norm)
        });
        added.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ngrams::Ngrams;
    use crate::terms::PassageCounter;

    #[test]
    fn passages_score_as_in_an_index_in_memory() {
        let texts = [
            "fish swim fast",
            "genes were hypermethylated",
            "Über den Fisch",
            "a",
        ];
        let question = "methylation of the fish";
        let fields = texts.iter().map(|text| [(text, 1.0)]);
        let memory = Ngrams::build_fields(fields, Language::ENGLISH, &NgramSettings::default());
        let mut counter = PassageCounter::new(Language::ENGLISH);
        let mut length = 0;
        for text in texts {
            counter.add_text(text);
            length += counter.finish().1.pieces;
        }
        let mean = length as f32 / texts.len() as f32;
        let query = PieceQuery::new(question, Language::ENGLISH, texts.len(), mean, |piece| {
            let found = counter.pieces().find(|(other, _)| *other == piece);
            found.map_or(0, |(_, passages)| passages as usize)
        });
        for (text, expected) in texts.iter().zip(memory.scores(question)) {
            let score = query.score([(*text, 1.0)]);
            assert!(
                (score - expected).abs() < 1e-4,
                "{text}: {score} {expected}"
            );
        }
    }

    #[test]
    fn a_word_is_cut_as_in_memory() {
        let cut = |token: &str| {
            let mut all = Vec::new();
            each(token, |piece| all.push(piece));
            all
        };
        assert_eq!(cut("a"), [pack(['<', 'a', '>'])]);
        assert_eq!(cut("cell").len(), 4);
        assert!(cut("").is_empty());
    }
}
