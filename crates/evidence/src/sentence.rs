//! Where the sentences of a text stand.

use crate::{Language, Span};

/// The sentences of a text in order, without the white space between them. Abbreviations,
/// initials and decimal points do not end one.
pub fn sentences(text: &str, language: Language) -> Vec<Span> {
    sentencex::get_sentence_boundaries(language.code(), text)
        .into_iter()
        .map(|found| Span::new(found.start_byte, found.end_byte).trimmed(text))
        .filter(|span| !span.is_empty())
        .collect()
}
