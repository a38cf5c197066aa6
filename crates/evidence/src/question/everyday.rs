//! The words that documents have for what people say: "database" for "db", "placebo" for "dummy drug".

use super::answer_kind::plain_words;
use crate::{Language, lists};

const EVERYDAY: &str = include_str!("everyday.txt");

/// What documents call the everyday things in a question. Nothing where it has none of the table's words.
pub fn document_words(question: &str, language: Language) -> Vec<&'static str> {
    let asked = plain_words(question);
    let says = |phrases: &str| {
        let mut phrases = phrases.split(',');
        phrases.any(|phrase| asked.contains(&format!(" {} ", phrase.trim())))
    };
    let pairs = lists::lines(EVERYDAY, language.code()).filter_map(|line| line.split_once('='));
    let meant = pairs.filter(|(everyday, _)| says(everyday));
    meant
        .flat_map(|(_, words)| words.split(','))
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
