//! Finds words that written prose should do without.
//!
//! Takes Markdown and a list of words; gives each place where one of them stands in any of its
//! forms. Quotes, titles and code are left alone: those words are somebody else's.

use serde::{Deserialize, Serialize};

use crate::claim::lexicon::lines;
use crate::claim::{BlockKind, blocks, quoted, quotes_of};
use crate::terms::{Terms, words};
use crate::{Language, Span};

/// A word of the list, and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Banned {
    /// As the list has it.
    pub word: String,
    /// Where it stands in the text.
    pub span: Span,
}

/// The words that are banned unless settings name others.
pub fn default_words() -> Vec<String> {
    lines(include_str!("banned.txt"))
        .map(str::to_owned)
        .collect()
}

/// Every banned word in a Markdown text, in order.
pub fn banned(text: &str, list: &[String], language: Language) -> Vec<Banned> {
    let terms = Terms::new(language);
    let wanted: Vec<(&String, Vec<String>)> =
        list.iter().map(|word| (word, terms.of(word))).collect();
    let mut found = Vec::new();
    for block in blocks(text) {
        if matches!(block.place, BlockKind::Heading | BlockKind::Quote) {
            continue;
        }
        let inside = quotes_of(&block.words, &quoted(&block.words));
        let spans: Vec<Span> = words(&block.words).collect();
        let said: Vec<String> = spans
            .iter()
            .map(|s| terms.term(s.of(&block.words).unwrap_or_default()))
            .collect();
        for (i, first) in spans.iter().enumerate() {
            let rest = said.get(i..).unwrap_or_default();
            let hit = wanted
                .iter()
                .find(|(_, w)| !w.is_empty() && rest.starts_with(w));
            let Some((word, parts)) = hit else { continue };
            let last = spans.get(i + parts.len() - 1).unwrap_or(first);
            let place = Span::new(first.start, last.end);
            if !inside.iter().any(|quote| quote.overlaps(place)) {
                let span = block.origin(place, text);
                found.push(Banned {
                    word: (*word).clone(),
                    span,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let all = banned(text, &default_words(), Language::ENGLISH);
        all.iter().filter_map(|one| one.span.of(text)).collect()
    }

    #[test]
    fn banned_words_are_found_in_every_form() {
        let text =
            "We delved into it, *leveraging* cutting-edge tools and game-changers; a robust plan.";
        assert_eq!(
            found(text),
            [
                "delved",
                "leveraging",
                "cutting-edge",
                "game-changers",
                "robust"
            ]
        );
    }

    #[test]
    fn quotes_titles_and_code_are_left_alone() {
        let text = "# A robust landscape\n\nHe called it “a pivotal realm” and `unlock`ed nothing.\n\n> a holistic view\n\n```\nharness\n```\n";
        assert_eq!(found(text), Vec::<&str>::new());
    }
}
