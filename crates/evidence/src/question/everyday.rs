//! The words that documents have for what people say: "database" for "db", "placebo" for "dummy drug".

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::answer_kind::plain_words;
use crate::Language;

const EVERYDAY: &str = include_str!("everyday.txt");

/// The phrases of the table by their language and first word. It has a thousand lines, and every word of a question is looked
/// up in it.
static PHRASES: LazyLock<HashMap<(&str, &str), Vec<EverydayPhrase>>> = LazyLock::new(read);

struct EverydayPhrase {
    /// With a blank before and after it.
    phrase: String,
    /// What documents say instead, with commas between.
    words: &'static str,
    /// Where it stands in the table.
    line: usize,
}

fn read() -> HashMap<(&'static str, &'static str), Vec<EverydayPhrase>> {
    let mut phrases: HashMap<_, Vec<EverydayPhrase>> = HashMap::new();
    let mut language = "";
    for (line, text) in EVERYDAY.lines().enumerate() {
        if let Some(code) = text.strip_prefix('[') {
            language = code.trim_end_matches(']');
        }
        let pair = text.split_once('=').filter(|_| !text.starts_with('#'));
        let Some((everyday, words)) = pair else {
            continue;
        };
        for phrase in everyday.split(',').map(str::trim) {
            let first = phrase.split(' ').next().unwrap_or_default();
            phrases
                .entry((language, first))
                .or_default()
                .push(EverydayPhrase {
                    phrase: format!(" {phrase} "),
                    words,
                    line,
                });
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
