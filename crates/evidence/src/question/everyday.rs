//! The words that documents have for what people say: "database" for "db", "placebo" for "dummy drug".

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::answer_kind::plain_words;
use crate::fixed_hash::FixedMap;
use crate::{Language, lists};

const EVERYDAY: &str = include_str!("everyday.txt");

/// The sections of the table.
const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "it", "pt", "nl"];

/// The phrases of the table by their language and first word. It has a thousand lines, and every word of a question is looked
/// up in it.
static PHRASES: LazyLock<FixedMap<(&str, &str), Vec<EverydayPhrase>>> = LazyLock::new(read);

struct EverydayPhrase {
    /// With a blank before and after it.
    phrase: String,
    /// What documents say instead, with commas between.
    words: &'static str,
    /// Where it stands among those of its language.
    line: usize,
}

fn read() -> FixedMap<(&'static str, &'static str), Vec<EverydayPhrase>> {
    let mut phrases: FixedMap<_, Vec<EverydayPhrase>> = FixedMap::default();
    for language in LANGUAGES {
        let pairs = lists::lines(EVERYDAY, language).map(|line| line.split_once('='));
        for (line, (everyday, words)) in pairs.flatten().enumerate() {
            for phrase in everyday.split(',').map(str::trim) {
                let first = phrase.split(' ').next().unwrap_or_default();
                let same = phrases.entry((language, first)).or_default();
                same.push(EverydayPhrase {
                    phrase: format!(" {phrase} "),
                    words,
                    line,
                });
            }
        }
    }
    phrases
}

/// What documents call the everyday things in a question. Nothing where it has none of the table's words.
pub fn document_words(question: &str, language: Language) -> Vec<&'static str> {
    let asked = plain_words(question);
    let words = asked.split_whitespace();
    let likely = words.filter_map(|word| PHRASES.get(&(language.code(), word)));
    let said = likely.flatten().filter(|one| asked.contains(&one.phrase));
    // In the order of the table, each line once.
    let said: BTreeMap<usize, &str> = said.map(|one| (one.line, one.words)).collect();
    said.into_values()
        .flat_map(|words| words.split(','))
        .map(str::trim)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_put_in_the_words_of_documents_too() {
        let english = |question| document_words(question, Language::ENGLISH);
        assert_eq!(
            english("What's the biggest one db file can get?"),
            ["maximum", "limit", "database", "received"]
        );
        assert_eq!(english("Does it beat a dummy drug?"), ["placebo"]);
        assert!(english("Which shell is this?").is_empty());
        let german = document_words("Was, wenn eine Platte stirbt?", "de".parse().unwrap());
        assert_eq!(german, ["ausfällt", "ausfallen", "defekt"]);
    }
}
