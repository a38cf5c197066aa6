//! Counts the terms of passages for an index that is kept on a disk.
//!
//! Takes passages of one language, one after another; gives the terms of each with their counts, and at the end the
//! words that were met and in how many passages each piece of a word stands. A word is cut, stemmed and taken to pieces
//! once, however often it is met.

use std::ops::Range;

use super::pieces::{self, Piece};
use super::{TermId, Terms, fold, tokens};
use crate::Language;
use crate::fixed_hash::FixedMap;
use crate::interner::Interner;
use crate::inverted::Counter;

/// Counts passages of one language.
pub struct PassageCounter {
    terms: Terms,
    /// Words as they are written.
    words: Interner,
    /// By the number of the word. What it gives lies in two dense lists.
    known: Vec<KnownWord>,
    word_terms: Vec<TermId>,
    word_pieces: Vec<u32>,
    /// Terms.
    names: Interner,
    piece_ids: FixedMap<Piece, u32>,
    pieces: Vec<PieceCount>,
    counter: Counter,
    /// Of the passage that is being counted.
    length: PassageLength,
    passages: u32,
}

/// How long a passage is, words of headings included by their weights and stop words left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassageLength {
    /// In terms.
    pub words: u32,
    /// In pieces of words.
    pub pieces: u32,
}

/// A word that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordForm<'c> {
    /// As it is written.
    pub word: &'c str,
    /// Whether it stands so in a text, and not in a heading alone.
    pub in_text: bool,
}

struct KnownWord {
    in_text: bool,
    /// Its terms, by their places in the list: mostly one, none for a stop word.
    terms: Range<u32>,
    /// The pieces of them all, by their places in the list.
    pieces: Range<u32>,
}

#[derive(Default)]
struct PieceCount {
    piece: Piece,
    passages: u32,
    /// The last passage that it was met in, counted from 1.
    last: u32,
}

impl PassageCounter {
    /// For texts of this language.
    pub fn new(language: Language) -> Self {
        Self {
            terms: Terms::new(language),
            words: Interner::default(),
            known: Vec::new(),
            word_terms: Vec::new(),
            word_pieces: Vec::new(),
            names: Interner::default(),
            piece_ids: FixedMap::default(),
            pieces: Vec::new(),
            counter: Counter::default(),
            length: PassageLength::default(),
            passages: 0,
        }
    }

    /// Adds the text of the passage that is being counted.
    pub fn add_text(&mut self, text: &str) {
        self.add(text, 1, true);
    }

    /// Adds a title or headings above the passage, whose words count this often.
    pub fn add_heading(&mut self, text: &str, weight: u32) {
        self.add(text, weight, false);
    }

    /// Ends a passage: hands over its terms with their counts in the order in which they were met, and gives its length.
    pub fn finish(&mut self, mut take: impl FnMut(TermId, u32)) -> PassageLength {
        self.passages += 1;
        for (term, count) in self.counter.take() {
            take(term, count as u32);
        }
        std::mem::take(&mut self.length)
    }

    /// The term that has this number.
    pub fn name(&self, term: TermId) -> Option<&str> {
        self.names.get(term)
    }

    /// Every word that was met and tells something, in the order in which they were met.
    pub fn forms(&self) -> impl Iterator<Item = WordForm<'_>> {
        let all = self.words.iter().zip(&self.known);
        let telling = all.filter(|(_, known)| !known.terms.is_empty());
        telling.map(|(word, known)| WordForm {
            word,
            in_text: known.in_text,
        })
    }

    /// Every piece with the number of passages that have it, in no order that means anything.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, u32)> {
        self.pieces.iter().map(|one| (one.piece, one.passages))
    }

    fn add(&mut self, text: &str, weight: u32, in_text: bool) {
        tokens::each_word(text, |word, joined| {
            self.count(word, weight, in_text && !joined, joined);
        });
    }

    fn count(&mut self, word: &str, weight: u32, in_text: bool, is_token: bool) {
        let number = self.words.number(word) as usize;
        if number == self.known.len() {
            self.learn(word, is_token);
        }
        let Some(known) = self.known.get_mut(number) else {
            return;
        };
        known.in_text |= in_text;
        let passage = self.passages + 1;
        let terms = listed(&self.word_terms, &known.terms);
        for term in terms {
            self.counter.add(*term, weight as f32);
        }
        let pieces = listed(&self.word_pieces, &known.pieces);
        for piece in pieces {
            if let Some(piece) = self.pieces.get_mut(*piece as usize)
                && piece.last != passage
            {
                piece.last = passage;
                piece.passages += 1;
            }
        }
        self.length.words += weight * terms.len() as u32;
        self.length.pieces += weight * pieces.len() as u32;
    }

    /// Adds what the newest word gives.
    fn learn(&mut self, word: &str, is_token: bool) {
        let (terms, pieces) = (self.word_terms.len() as u32, self.word_pieces.len() as u32);
        for token in self.terms.telling_tokens(word, is_token) {
            self.learn_token(&token);
        }
        self.known.push(KnownWord {
            in_text: false,
            terms: terms..self.word_terms.len() as u32,
            pieces: pieces..self.word_pieces.len() as u32,
        });
    }

    fn learn_token(&mut self, token: &str) {
        let term = self.names.number(&self.terms.finished(token));
        self.word_terms.push(term);
        pieces::each(&fold::without_accents(token), |piece| {
            let next = self.pieces.len() as u32;
            let id = *self.piece_ids.entry(piece).or_insert(next);
            if id == next {
                self.pieces.push(PieceCount {
                    piece,
                    ..PieceCount::default()
                });
            }
            self.word_pieces.push(id);
        });
    }
}

fn listed<'l, T>(list: &'l [T], places: &Range<u32>) -> &'l [T] {
    let places = places.start as usize..places.end as usize;
    list.get(places).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_counted_as_an_index_in_memory_counts_it() {
        let mut counter = PassageCounter::new(Language::ENGLISH);
        counter.add_heading("Trees", 2);
        counter.add_text("The tree and the IL-6 trees");
        let mut terms = Vec::new();
        let length = counter.finish(|term, count| terms.push((term, count)));
        let named: Vec<(&str, u32)> = terms
            .iter()
            .map(|(term, count)| (counter.name(*term).unwrap(), *count))
            .collect();
        assert_eq!(named, [("tree", 4), ("il", 1), ("6", 1), ("il6", 1)]);
        assert_eq!(length.words, 7);
        // Twice "Trees", then "tree", "IL", "6", "il6", "trees".
        assert_eq!(length.pieces, 2 * 5 + 4 + 2 + 1 + 3 + 5);
    }

    #[test]
    fn a_word_of_a_heading_alone_does_not_stand_in_the_text() {
        let mut counter = PassageCounter::new(Language::ENGLISH);
        counter.add_heading("Ginkgo", 1);
        counter.add_text("The ginkgo sheds");
        counter.finish(|_, _| {});
        let mut forms: Vec<_> = counter.forms().map(|f| (f.word, f.in_text)).collect();
        forms.sort_unstable();
        assert_eq!(
            forms,
            [("Ginkgo", false), ("ginkgo", true), ("sheds", true)]
        );
    }

    #[test]
    fn a_piece_counts_once_a_passage() {
        let mut counter = PassageCounter::new(Language::ENGLISH);
        for text in ["cat cat", "cats", "dog"] {
            counter.add_text(text);
            counter.finish(|_, _| {});
        }
        let ca = pieces::pack(['<', 'c', 'a']);
        let count = counter.pieces().find(|(piece, _)| *piece == ca);
        assert_eq!(count, Some((ca, 2)));
    }
}
