//! Stop words: those that stand in every text and so tell nothing about one.

use crate::Language;
use crate::fixed_hash::FixedSet;

/// The stop words of one language; none for a language without a list.
pub(super) struct StopWords(FixedSet<&'static str>);

impl StopWords {
    pub(super) fn new(language: Language) -> Self {
        let lines = list(language).lines().filter(|line| !line.starts_with('#'));
        Self(lines.flat_map(str::split_whitespace).collect())
    }

    /// Whether this lower-case word is one.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

fn list(language: Language) -> &'static str {
    match language.code() {
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
