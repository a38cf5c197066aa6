//! The terms of a text: what is counted when texts are compared.
//!
//! Takes text; gives terms: lower case, stemmed, without accents. A number stays whole (`2.5`), a
//! name with a digit is found with and without its hyphen (`IL-6`, `IL6`), and scripts written
//! without spaces are cut into pairs of characters. [`Vocabulary`] numbers terms and remembers
//! each word it has met, so that no word is stemmed twice.

mod common_words;
mod compounds;
mod fold;
mod passage_counter;
mod pieces;
mod stop;
mod tokens;
mod vocabulary;

use rust_stemmers::{Algorithm, Stemmer};

use crate::{Language, Span};

pub use common_words::{is_common_english, resembles_common_english};
pub use compounds::{CompoundTerms, compounds_among, compounds_with, has_compounds};
pub use passage_counter::{PassageCounter, PassageLength, WordForm};
pub use pieces::{Piece, PieceQuery};
pub(crate) use stop::stop_words;
pub use tokens::words;
pub use vocabulary::{TermId, Vocabulary};

/// Turns the words of one language into terms.
pub struct Terms {
    stemmer: Option<Stemmer>,
    stop: stop::StopWords,
}

impl Terms {
    /// For a language without a stemmer or a list of stop words, words stay as they are.
    pub fn new(language: Language) -> Self {
        Self {
            stemmer: algorithm(language).map(Stemmer::create),
            stop: stop::StopWords::new(language),
        }
    }

    /// Every term of a text in order, stop words included.
    pub fn of(&self, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        tokens::each(text, |token, _| all.push(self.finished(token)));
        all
    }

    /// The terms that tell what a text is about: those of its words that are no stop words.
    pub fn telling(&self, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        self.each_telling(text, |term, _| all.push(term));
        all
    }

    /// The telling terms and the words they come from.
    pub fn telling_at(&self, text: &str) -> Vec<(String, Span)> {
        let mut all = Vec::new();
        self.each_telling(text, |term, span| all.push((term, span)));
        all
    }

    /// The term of one word.
    pub fn term(&self, word: &str) -> String {
        self.finished(&fold::lower(word))
    }

    /// Whether a word, in any case, tells nothing in this language.
    pub fn is_stop(&self, word: &str) -> bool {
        self.stop.has(&fold::lower(word))
    }

    fn each_telling(&self, text: &str, mut take: impl FnMut(String, Span)) {
        tokens::each(text, |token, span| {
            if !self.stop.has(token) {
                take(self.finished(token), span);
            }
        });
    }

    /// The tokens of a word as it is written that are no stop words; the word itself where it is a token already.
    fn telling_tokens(&self, word: &str, is_token: bool) -> Vec<String> {
        let mut telling = Vec::new();
        self.each_telling_token(word, is_token, |token| telling.push(token.to_owned()));
        telling
    }

    fn each_telling_token(&self, word: &str, is_token: bool, mut take: impl FnMut(&str)) {
        let mut take = |token: &str| {
            if !self.stop.has(token) {
                take(token);
            }
        };
        if is_token {
            take(word);
        } else {
            tokens::each(word, |token, _| take(token));
        }
    }

    /// The term of a token, which is in lower case already.
    fn finished(&self, token: &str) -> String {
        // What has a digit in it is a number or a name: it has no endings.
        let stem = match &self.stemmer {
            Some(stemmer) if !token.bytes().any(|byte| byte.is_ascii_digit()) => {
                stemmer.stem(token)
            }
            _ => token.into(),
        };
        // Accents are folded last: the stemmers of French or Spanish read them.
        fold::without_accents(&stem).into_owned()
    }
}

/// In small letters without accents: how words of a question are compared with those of a list.
pub(crate) fn plain_letters(text: &str) -> String {
    fold::without_accents(&fold::lower(text)).into_owned()
}

fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language.code() {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" | "nn" | "no" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
