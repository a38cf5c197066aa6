//! Stop words: those that stand in every text and so tell nothing about one.

use crate::Language;
use crate::fixed_hash::FixedSet;

/// The stop words of one language; none for a language without a list.
pub(super) struct StopWords(FixedSet<&'static str>);

impl StopWords {
    pub(super) fn new(language: Language) -> Self {
        Self(stop_words(language.code()).collect())
    }

    /// Whether this lower-case word is one.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// The stop words of the language with this code, in lower case.
pub(crate) fn stop_words(code: &str) -> impl Iterator<Item = &'static str> {
    let lines = list(code).lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}

fn list(code: &str) -> &'static str {
    match code {
        "de" => include_str!("stop/de.txt"),
        "en" => include_str!("stop/en.txt"),
        "es" => include_str!("stop/es.txt"),
        "fr" => include_str!("stop/fr.txt"),
        "it" => include_str!("stop/it.txt"),
        "nl" => include_str!("stop/nl.txt"),
        "pt" => include_str!("stop/pt.txt"),
        _ => "",
    }
}
