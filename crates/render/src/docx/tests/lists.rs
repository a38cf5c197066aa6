//! Items of lists: one mark each, and all that belongs to an item under it.

use super::super::body::{BULLETS, DocxBody, ListPosition, ParagraphStyle};
use super::{Paragraph, paragraphs, text_of, with_text};

/// The paragraphs between the heading of the first section and that of the second.
fn shown(text: &str) -> Vec<Paragraph> {
    let all = paragraphs(&text_of(&with_text(text))).into_iter();
    let from = all.skip_while(|one| one.words != "How much do trees cool a street?");
    let section = from.skip(1);
    section.take_while(|one| one.style != "Heading1").collect()
}

/// The level of the mark, how far the words stand in, and the words.
fn told(all: &[Paragraph]) -> Vec<(Option<usize>, Option<usize>, &str)> {
    let one = |one: &Paragraph| (one.mark.map(|(_, level)| level), one.left);
    let words = all.iter().map(|one| one.words.as_str());
    all.iter()
        .map(one)
        .zip(words)
        .map(|((level, left), words)| (level, left, words))
        .collect()
}

#[test]
fn later_paragraphs_of_an_item_stand_under_its_words_without_a_mark() {
    let all = shown("- first\n\n  second\n\n      code\n\n  - inner\n\n    under\n\nafter");
    assert_eq!(
        told(&all),
        [
            (Some(0), Some(360), "first"),
            (None, Some(360), "second"),
            (None, Some(360), "code"),
            (Some(1), Some(720), "inner"),
            (None, Some(720), "under"),
            (None, None, "after"),
        ]
    );
}

#[test]
fn an_item_that_begins_with_a_long_quote_or_a_heading_has_one_mark() {
    let all = shown("1. > said\n   >\n   > and said\n   >\n   > - a\n\n   own\n2. # lead\n");
    assert_eq!(
        told(&all),
        [
            (Some(0), Some(720), "said"),
            (None, Some(720), "and said"),
            (Some(1), Some(1080), "a"),
            (None, Some(360), "own"),
            (Some(0), Some(360), "lead"),
        ]
    );
    let styles: Vec<&str> = all.iter().map(|one| one.style.as_str()).collect();
    assert_eq!(styles, ["Quote", "Quote", "Quote", "Normal", "Heading2"]);
}

#[test]
fn an_item_without_words_of_its_own_keeps_its_number() {
    let all = shown("1. a\n2.\n3. | h |\n   | --- |\n   | c |\n4. - inner\n5. b\n");
    let outer = all[0].mark;
    assert!(outer.is_some());
    let numbered = all.iter().filter(|one| one.mark == outer);
    let words: Vec<&str> = numbered.map(|one| one.words.as_str()).collect();
    assert_eq!(words, ["a", "", "", "", "b"]);
    let cell = all.iter().position(|one| one.words == "h").unwrap();
    assert_eq!(all[cell - 1].mark, outer);
}

#[test]
fn a_table_in_an_item_stands_under_it_and_ends_at_the_margin() {
    let text = text_of(&with_text(
        "- a\n\n  | h | i |\n  | --- | --- |\n  | c | d |\n",
    ));
    assert!(text.contains("<w:tblInd w:w=\"360\" w:type=\"dxa\"/>"));
    assert_eq!(text.matches("<w:gridCol w:w=\"4355\"/>").count(), 2);
}

#[test]
fn lists_deeper_than_word_counts_stay_on_its_last_level() {
    let mut body = DocxBody::default();
    body.open(
        ParagraphStyle::Text,
        ListPosition::Marked {
            list: BULLETS,
            depth: 40,
            quoted: false,
        },
    );
    assert!(body.xml.contains("<w:ilvl w:val=\"8\"/>"));
    assert!(body.xml.contains("w:left=\"3240\""));
}

#[test]
fn the_marks_of_a_list_in_a_quote_stand_in_the_quote() {
    let text = text_of(&with_text("> said\n>\n> - a\n>\n>   b\n\n- > quoted"));
    for (hanging, words) in [(360, "a"), (720, "quoted")] {
        let indent = format!("<w:ind w:left=\"720\" w:hanging=\"{hanging}\"/></w:pPr>");
        let run = format!("<w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\">{words}</w:t>");
        assert!(text.contains(&format!("{indent}{run}")), "{words}");
    }
}

#[test]
fn citations_among_the_words_of_a_link_stand_behind_it() {
    let all = shown("See [the **plan [1]** of *[3, 4]* old](https://orsby.example/p).");
    let words: Vec<&str> = all.iter().map(|one| one.words.as_str()).collect();
    assert_eq!(words, ["See the plan of old [1] [3, 4]."]);
    let text = text_of(&with_text("[the plan [1]](https://orsby.example/p)"));
    assert!(text.contains(">the plan</w:t></w:r></w:hyperlink>"));
    let broken = shown("See [the plan [1] of](http://[::1/).");
    assert_eq!(broken[0].words, "See the plan of [1].");
}
