//! The names a text uses: words with a capital where a sentence does not ask for one.

use crate::Span;

use super::reading::words;

/// The words of a sentence that are part of names. The first word of a sentence counts only when it
/// holds a second capital, for it would have one anyway.
pub(crate) fn names(sentence: &str) -> Vec<Span> {
    let all: Vec<Span> = words(sentence).collect();
    let headline = is_headline(sentence, &all);
    let named = |(i, span): (usize, &Span)| {
        let word = span.of(sentence).unwrap_or_default();
        let capitals = word.chars().filter(|c| c.is_uppercase()).count();
        let opens = i == 0 || follows_a_stop(sentence, *span);
        let counts = if opens || headline {
            capitals > 1
        } else {
            capitals > 0
        };
        (counts && word.chars().count() > 1).then_some(*span)
    };
    all.iter().enumerate().filter_map(named).collect()
}

/// A title, in which nearly every word has a capital, names nothing by them.
fn is_headline(sentence: &str, words: &[Span]) -> bool {
    let capital = |span: &&Span| {
        span.of(sentence)
            .is_some_and(|w| w.starts_with(char::is_uppercase))
    };
    words.len() > 3 && words.iter().filter(capital).count() * 10 > words.len() * 7
}

/// Behind a full stop, a colon or an opening quotation mark.
fn follows_a_stop(sentence: &str, span: Span) -> bool {
    let before = sentence.get(..span.start).unwrap_or_default().trim_end();
    before.ends_with(['.', ':', '!', '?', '"', '“', '‘', '(', '•', '*'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_capitals_within_a_sentence() {
        let text = "The team of Marie Curie met WHO staff. They left Paris early.";
        let read: Vec<&str> = names(text)
            .iter()
            .filter_map(|span| span.of(text))
            .collect();
        assert_eq!(read, ["Marie", "Curie", "WHO", "Paris"]);
        assert_eq!(names("Effects Of Aspirin On Stroke"), []);
    }
}
