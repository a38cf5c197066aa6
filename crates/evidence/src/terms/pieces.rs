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
    /// What each word that was met gives, by the word as it is written: a word is cut once.
    known: FixedMap<Box<str>, MatchedPieces>,
    counts: Counter,
}

/// The pieces of a word.
struct MatchedPieces {
    count: u32,
    /// The places of those that the question has.
    asked: Box<[u32]>,
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
            known: FixedMap::default(),
            counts: Counter::default(),
        }
    }

    /// How much a passage shares with the question; its parts have weights.
    pub fn score<'t>(&mut self, parts: impl IntoIterator<Item = (&'t str, f32)>) -> f32 {
        let mut length = 0.0_f32;
        for (part, weight) in parts {
            tokens::each_word(part, |word, joined| {
                if !self.known.contains_key(word) {
                    let pieces = self.pieces_of(word, joined);
                    self.known.insert(word.into(), pieces);
                }
                if let Some(pieces) = self.known.get(word) {
                    length += weight * pieces.count as f32;
                    for place in &pieces.asked {
                        self.counts.add(*place, weight);
                    }
                }
            });
        }
        let NgramSettings {
            ngram_k1, ngram_b, ..
        } = NgramSettings::default();
        let norm = ngram_k1 * (1.0 - ngram_b + ngram_b * length / self.mean_length);
        let added = self.counts.take().map(|(place, count)| {
            let weight = self.weights.get(place as usize);
            weight.copied().unwrap_or_default() * count * (ngram_k1 + 1.0) / (count + norm)
        });
        added.sum()
    }

    fn pieces_of(&self, word: &str, is_token: bool) -> MatchedPieces {
        let (mut count, mut asked) = (0, Vec::new());
        self.terms.each_telling_token(word, is_token, |token| {
            each(&fold::without_accents(token), |piece| {
                count += 1;
                asked.extend(self.places.get(&piece));
            });
        });
        MatchedPieces {
            count,
            asked: asked.into(),
        }
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
            length += counter.finish(|_, _| {}).pieces;
        }
        let mean = length as f32 / texts.len() as f32;
        let mut query = PieceQuery::new(question, Language::ENGLISH, texts.len(), mean, |piece| {
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
