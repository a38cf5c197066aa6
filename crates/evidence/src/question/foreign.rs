//! The language of a question that no English rule fits.
//!
//! A question is too short for letters alone to tell its language, so its small words are counted
//! where it is written in Latin letters; another script tells by itself.

use crate::Language;
use crate::terms::Terms;

/// Languages with a list of small words.
const LISTED: [&str; 6] = ["de", "es", "fr", "it", "nl", "pt"];

/// How many small words more than English has must speak for another language.
const ENOUGH_WORDS: usize = 2;

/// Letters before this one are Latin.
const LATIN_END: char = '\u{250}';

/// The language it is asked in; English where nothing speaks for another.
pub(super) fn language(question: &str) -> Language {
    let count = |language: Language| {
        let terms = Terms::new(language);
        let words = question.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| terms.is_stop(word)).count()
    };
    let english = count(Language::ENGLISH);
    let listed = LISTED.iter().filter_map(|code| code.parse().ok());
    let counted = listed.map(|language: Language| (count(language), language));
    let best = counted.max_by_key(|(count, language)| (*count, std::cmp::Reverse(*language)));
    match best {
        Some((count, language)) if count >= english + ENOUGH_WORDS => language,
        _ if is_latin(question) => Language::ENGLISH,
        _ => Language::likeliest(question).unwrap_or(Language::ENGLISH),
    }
}

/// Whether any letter is Latin, or there is none.
fn is_latin(text: &str) -> bool {
    let mut letters = text.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_none() || letters.any(|c| c < LATIN_END)
}
