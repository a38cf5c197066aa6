//! Long texts without the marks that the readers of words go by: no panic, and work that grows with
//! the text only. A test here that does not end within seconds has found work that grows with the
//! square.

use crate::document::{DocumentBuilder, DocumentMetadata, ParagraphRole};
use crate::passage::{PassageSettings, passages};
use crate::{Language, duplicate, sentences};

const BYTES: usize = 16 * 1_024;

const REPEATED: [&str; 12] = [
    "a",
    "漢",
    "a.",
    ". ",
    "…",
    "a\n\n",
    "\n",
    "(a.) ",
    "[5] ",
    ")",
    "\u{202e}\u{200b}",
    "e.g. ",
];

fn filled(with: &str) -> String {
    with.repeat(BYTES / with.len())
}

#[test]
fn every_character_that_is_seen_is_in_a_sentence() {
    for thing in REPEATED {
        let text = filled(thing);
        let spans = sentences(&text, Language::ENGLISH);
        let held: usize = spans
            .iter()
            .filter_map(|span| span.of(&text))
            .map(seen)
            .sum();
        assert_eq!(held, seen(&text), "{thing:?}");
    }
}

fn seen(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

#[test]
fn a_long_text_of_one_thing_is_cut_and_compared() {
    for thing in REPEATED {
        let text = filled(thing);
        let mut builder = DocumentBuilder::new(DocumentMetadata::default());
        builder.piece(ParagraphRole::Body, &text);
        let document = builder.build();
        let passages = passages(&document, &PassageSettings::default());
        let cut = passages.iter().all(|one| one.text(&document).is_some());
        assert!(cut, "{thing:?}");
        let groups = duplicate::documents(&[&text, &text]);
        assert!(groups.len() <= 2, "{thing:?}");
    }
}
