//! The terms of a text: what is counted when texts are compared.

use rust_stemmers::{Algorithm, Stemmer};

use crate::{Language, Span};

/// The words of a text and where they stand: runs of letters and digits.
pub fn words(text: &str) -> impl Iterator<Item = Span> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let start = loop {
            let (at, c) = rest.next()?;
            if c.is_alphanumeric() {
                break at;
            }
        };
        let mut end = text.len();
        while let Some((at, c)) = rest.peek() {
            if !c.is_alphanumeric() {
                end = *at;
                break;
            }
            rest.next();
        }
        Some(Span::new(start, end))
    })
}

/// Turns words into terms: lower case, stemmed.
pub struct Terms {
    stemmer: Option<Stemmer>,
}

impl Terms {
    pub fn new(language: Language) -> Self {
        Self {
            stemmer: algorithm(language).map(Stemmer::create),
        }
    }

    pub fn of(&self, text: &str) -> Vec<String> {
        words(text)
            .filter_map(|span| span.of(text))
            .map(|word| self.term(word))
            .collect()
    }

    pub fn term(&self, word: &str) -> String {
        let lower = word.to_lowercase();
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(&lower).into_owned(),
            None => lower,
        }
    }
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
