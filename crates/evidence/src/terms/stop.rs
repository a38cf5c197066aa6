//! Stop words: those that stand in every text and so tell nothing about one.

use std::sync::LazyLock;

use crate::Language;
use crate::fixed_hash::{FixedMap, FixedSet};

/// Languages that have a list.
const LISTED: [&str; 7] = ["de", "en", "es", "fr", "it", "nl", "pt"];

static SETS: LazyLock<FixedMap<&str, FixedSet<&str>>> = LazyLock::new(|| {
    let sets = LISTED
        .iter()
        .map(|code| (*code, stop_words(code).collect()));
    sets.collect()
});

/// The stop words of one language; none for a language without a list.
pub(super) struct StopWords(Option<&'static FixedSet<&'static str>>);

impl StopWords {
    pub(super) fn new(language: Language) -> Self {
        Self(SETS.get(language.code()))
    }

    /// Whether this lower-case word is one.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.is_some_and(|words| words.contains(word))
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
