use proptest::prelude::*;

use super::{sentences, states_an_aim};
use crate::Language;

fn split<'t>(language: &str, text: &'t str) -> Vec<&'t str> {
    let language: Language = language.parse().unwrap();
    let spans = sentences(text, language);
    spans.iter().filter_map(|span| span.of(text)).collect()
}

/// Each line is one text; `|` stands where a sentence ends and `⏎` for a line's end.
const TEXTS: &str = include_str!("tests.txt");

#[test]
fn sentences_end_where_a_reader_would_end_them() {
    let mut wrong = Vec::new();
    for line in crate::lists::lines(TEXTS, "texts") {
        let (language, marked) = line.split_once(' ').unwrap();
        let marked = marked.replace('⏎', "\n");
        let wanted: Vec<&str> = marked.split('|').map(str::trim).collect();
        let text = marked.replace('|', "");
        let found = split(language, &text);
        if found != wanted {
            wrong.push(format!("\nwanted {wanted:#?}\nfound {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_paragraph_break_always_ends_a_sentence() {
    assert_eq!(
        split("en", "A title\n\nand a text"),
        ["A title", "and a text"]
    );
    assert_eq!(
        split("en", "See Fig.\n\n2 is a number."),
        ["See Fig.", "2 is a number."]
    );
}

#[test]
fn a_long_text_without_a_stop_is_one_sentence() {
    let text = "word ".repeat(200_000);
    assert_eq!(split("en", &text), [text.trim()]);
    let names = "und der United Nations ".repeat(5_000);
    assert_eq!(split("en", &names), [names.trim()]);
    let unbroken = "ä".repeat(500_000);
    assert_eq!(split("de", &unbroken), [unbroken.as_str()]);
}

#[test]
fn a_long_text_is_cut_where_a_short_one_is() {
    let one = "The dose was 5.2 mg in Fig. 2 of the report. ";
    let text = one.repeat(5_000);
    let found = split("en", &text);
    assert_eq!(found.len(), 5_000);
    assert!(found.iter().all(|sentence| *sentence == one.trim()));
}

#[test]
fn brackets_quotes_and_stops_without_end_are_borne() {
    for odd in [
        "(", "\"", ".", "A. ", "? ", "[1]", ".) ", "... ", "e.g. ", "“",
    ] {
        let text = odd.repeat(100_000 / odd.len());
        holds(&text, "en");
    }
}

/// In order, apart from each other, trimmed, and nothing that is not white left out.
fn holds(text: &str, language: &str) {
    let spans = sentences(text, language.parse().unwrap());
    let mut at = 0;
    for span in spans {
        assert!(span.start >= at && span.end > span.start);
        assert!(text[at..span.start].trim().is_empty());
        let inside = span.of(text).unwrap();
        assert_eq!(inside, inside.trim());
        at = span.end;
    }
    assert!(text[at..].trim().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_is_lost_between_sentences(text in "\\PC{0,200}") {
        holds(&text, "en");
    }

    #[test]
    fn nothing_is_lost_in_text_like_text(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..60),
        language in prop::sample::select(&["en", "de", "ja", "fr", "xx"][..]),
    ) {
        holds(&parts.concat(), language);
    }
}

const PARTS: &[&str] = &[
    "The ",
    "heart",
    " ",
    ". ",
    ".",
    "\n",
    "\n\n",
    "et al. ",
    "(",
    ")",
    "[3]",
    "\"",
    "”",
    "“",
    "J. ",
    "Fig. ",
    "2",
    "0.5",
    "。",
    "「",
    "」",
    "と",
    "…",
    "... ",
    "! ",
    "? ",
    "e.g. ",
    "Über",
    "- ",
    "1. ",
    "p < .05",
    "\u{a0}",
    "\u{2028}",
    "\r\n",
    "versus ",
    "vitamin B. ",
    "words.12 ",
    ",",
    "I ",
];

#[test]
fn an_aim_is_told_from_a_result() {
    let aim = |text: &str, language: &str| states_an_aim(text, language.parse().unwrap());
    assert!(aim("We compared two doses of the drug in children.", "en"));
    assert!(aim(
        "The aim of this trial was to find the better dose.",
        "en"
    ));
    assert!(aim("Ziel der Studie war ein Vergleich zweier Dosen.", "de"));
    assert!(!aim(
        "Pain lasted 8 h with one dose and 12 h with the other.",
        "en"
    ));
    assert!(!aim("The test command is used to compare strings.", "en"));
}
