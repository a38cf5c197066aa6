use proptest::prelude::*;

use super::{Passage, PassageSettings, passages};
use crate::Document;
use crate::document::{DocumentBuilder, DocumentMetadata, ParagraphRole};

fn built(pieces: &[(ParagraphRole, &str)]) -> Document {
    let mut builder = DocumentBuilder::new(DocumentMetadata::default());
    for (role, text) in pieces {
        match role {
            ParagraphRole::Heading => builder.heading(1, text),
            _ => builder.piece(*role, text),
        };
    }
    builder.build()
}

fn cut(document: &Document) -> Vec<Passage> {
    passages(document, &PassageSettings::default())
}

fn texts(document: &Document) -> Vec<&str> {
    let spans: Vec<_> = cut(document).into_iter().map(|p| p.span).collect();
    spans
        .into_iter()
        .filter_map(|span| document.at(span))
        .collect()
}

#[test]
fn a_passage_stays_within_its_section() {
    let document = built(&[
        (ParagraphRole::Heading, "Methods"),
        (ParagraphRole::Body, "We asked people."),
        (ParagraphRole::Heading, "Results"),
        (ParagraphRole::Body, "They answered."),
    ]);
    assert_eq!(texts(&document), ["We asked people.", "They answered."]);
    assert_eq!(cut(&document)[1].sections, ["Results"]);
}

#[test]
fn a_list_stays_with_the_sentence_that_leads_into_it() {
    let long = "The first paragraph goes on for a while, as paragraphs do. ".repeat(8);
    let document = built(&[
        (ParagraphRole::Body, &long),
        (ParagraphRole::Body, "Three things matter:"),
        (ParagraphRole::ListItem, "Time."),
        (ParagraphRole::ListItem, "Money."),
    ]);
    let list = "Three things matter:\n\nTime.\n\nMoney.";
    assert_eq!(texts(&document), [&format!("{}\n\n{list}", long.trim())]);
    let longer = long.repeat(3);
    let document = built(&[
        (ParagraphRole::Body, &longer),
        (
            ParagraphRole::Body,
            "Three things matter, and each of them was asked about in every one of the interviews that we held with people, namely:",
        ),
        (ParagraphRole::ListItem, "Time."),
    ]);
    let last = *texts(&document).last().unwrap();
    assert!(last.starts_with("Three things matter") && last.ends_with("Time."));
}

#[test]
fn a_term_stays_with_its_definition_and_a_further_part_names_it() {
    let long = "The option goes on to say what it does in some detail. ".repeat(9);
    let document = built(&[
        (ParagraphRole::Term, "-a"),
        (ParagraphRole::ListItem, &long),
        (ParagraphRole::Term, "-b, --both"),
        (ParagraphRole::ListItem, &long),
        (ParagraphRole::ListItem, &long),
        (ParagraphRole::ListItem, &long),
    ]);
    let parts = texts(&document);
    assert!(parts[0].starts_with("-a\n\nThe option"));
    assert!(parts[1].starts_with("-b, --both\n\nThe option"));
    assert_eq!(parts.len(), 4, "each long paragraph is a part of its own");
    let needs = cut(&document)[3].needs.clone();
    assert_eq!(document.at(needs[0]), Some("-b, --both"));
}

#[test]
fn code_stays_with_what_it_shows() {
    let long = "Surround the statements with a transaction, since each is synced. ".repeat(7);
    let document = built(&[
        (ParagraphRole::Body, &long),
        (
            ParagraphRole::Code,
            "BEGIN;\nINSERT INTO t VALUES (1);\nCOMMIT;",
        ),
        (ParagraphRole::Body, "This is another matter."),
    ]);
    assert!(texts(&document)[0].contains("COMMIT;"));
}

#[test]
fn a_further_part_of_a_long_table_names_its_head() {
    let row =
        "Centre 12 | 40 people | 12.5 (3.2) | 9.5 to 15.5 | not reached at the end of the year";
    let mut pieces = vec![
        (ParagraphRole::Caption, "Table 1. Outcomes by centre."),
        (
            ParagraphRole::TableRow,
            "Centre | n | mean (SD) | interval | median",
        ),
    ];
    pieces.extend(std::iter::repeat_n((ParagraphRole::TableRow, row), 40));
    let document = built(&pieces);
    let found = cut(&document);
    assert!(found.len() > 2);
    assert_eq!(found[0].needs, []);
    for part in &found[1..] {
        let needed = document.at(part.needs[0]).unwrap();
        assert_eq!(
            needed,
            "Table 1. Outcomes by centre.\n\nCentre | n | mean (SD) | interval | median"
        );
    }
}

#[test]
fn a_row_of_a_table_is_not_cut() {
    let document = built(&[(
        ParagraphRole::TableRow,
        "A. Jones | 5.0 mg. | It fell. It rose.",
    )]);
    assert_eq!(cut(&document)[0].sentences.len(), 1);
}

#[test]
fn a_short_end_joins_the_passage_before_it() {
    let long = "This sentence is one of many that fill a paragraph of some length. ".repeat(8);
    let document = built(&[
        (ParagraphRole::Body, &long),
        (ParagraphRole::Body, "So it ended."),
    ]);
    assert_eq!(cut(&document).len(), 1);
    let very_long = "This sentence is one of many. ".repeat(41) + "So it ended.";
    let document = built(&[(ParagraphRole::Body, &very_long)]);
    let found = cut(&document);
    assert_eq!(found.len(), 1, "the rest of a cut paragraph is short too");
}

#[test]
fn references_are_marked_under_their_title_and_without_one() {
    let listed = [
        (
            ParagraphRole::Body,
            "[1] Smith J, Doe A. Heart failure in adults. Lancet 2004;12(3):45–67.",
        ),
        (
            ParagraphRole::Body,
            "[2] Jones, B., & Lee, C. (2011). On walking. doi:10.1000/182",
        ),
        (
            ParagraphRole::Body,
            "[3] Meier K. et al. Sleep and work. BMJ 2019; 285:2486-2497.",
        ),
    ];
    let said = (
        ParagraphRole::Body,
        "In 2004 Smith et al. asked 40 people how they slept.",
    );
    let without = [&[said][..], &listed].concat();
    let marks: Vec<bool> = cut(&built(&without)).iter().map(|p| p.references).collect();
    assert_eq!(marks, [false, true]);
    let titled = [
        said,
        (ParagraphRole::Heading, "7. References"),
        (ParagraphRole::Body, "Smith, Heart failure."),
    ];
    let marks: Vec<bool> = cut(&built(&titled)).iter().map(|p| p.references).collect();
    assert_eq!(marks, [false, true]);
}

#[test]
fn a_passage_keeps_its_name_when_another_section_changes() {
    let before = built(&[
        (ParagraphRole::Heading, "A"),
        (ParagraphRole::Body, "One."),
        (ParagraphRole::Heading, "B"),
        (ParagraphRole::Body, "Two."),
    ]);
    let after = built(&[
        (ParagraphRole::Heading, "A"),
        (ParagraphRole::Body, "Changed."),
        (ParagraphRole::Heading, "B"),
        (ParagraphRole::Body, "Two."),
    ]);
    assert_eq!(cut(&before)[1].id, cut(&after)[1].id);
    assert_eq!(cut(&before), cut(&before));
}

#[test]
fn a_passage_says_on_which_page_it_begins() {
    let mut builder = DocumentBuilder::new(DocumentMetadata::default());
    builder
        .page(4)
        .heading(1, "A")
        .piece(ParagraphRole::Body, "One.");
    builder
        .page(5)
        .heading(1, "B")
        .piece(ParagraphRole::Body, "Two.");
    let pages: Vec<_> = cut(&builder.build()).iter().map(|p| p.page).collect();
    assert_eq!(pages, [Some(4), Some(5)]);
}

const ROLES: [ParagraphRole; 7] = [
    ParagraphRole::Heading,
    ParagraphRole::Body,
    ParagraphRole::ListItem,
    ParagraphRole::TableRow,
    ParagraphRole::Caption,
    ParagraphRole::Quote,
    ParagraphRole::Code,
];

#[test]
fn thousands_of_sections_are_cut_and_their_references_marked() {
    let mut builder = DocumentBuilder::new(DocumentMetadata::default());
    for n in 0..5_000_u32 {
        let title = if n % 2 == 0 { "References" } else { "Results" };
        builder.heading((n % 2 + 1) as u8, title);
        builder.piece(ParagraphRole::Body, &format!("What paragraph {n} says."));
    }
    let found = cut(&builder.build());
    // Every second section stands inside the references before it.
    assert_eq!(found.len(), 5_000);
    assert!(found.iter().all(|passage| passage.references));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_body_is_covered_exactly_once(
        pieces in prop::collection::vec((prop::sample::select(&ROLES[..]), "([A-Za-zä.:]{1,12} ){1,80}"), 0..14),
    ) {
        let pieces: Vec<(ParagraphRole, &str)> = pieces.iter().map(|(role, text)| (*role, text.as_str())).collect();
        let document = built(&pieces);
        let found = cut(&document);
        let mut names: Vec<&str> = found.iter().map(|p| p.id.as_str()).collect();
        let mut held = vec![0_u8; document.text.len()];
        for passage in &found {
            prop_assert!(document.at(passage.span).is_some());
            prop_assert!(passage.sentences.iter().all(|s| passage.span.holds(*s)));
            prop_assert!(passage.needs.iter().all(|s| s.end <= passage.span.start));
            for byte in passage.sentences.iter().flat_map(|s| s.range()) {
                held[byte] += 1;
            }
        }
        for paragraph in &document.paragraphs {
            let wanted = u8::from(paragraph.role != ParagraphRole::Heading);
            for byte in paragraph.span.range() {
                let white = document.text.as_bytes()[byte].is_ascii_whitespace();
                prop_assert!(held[byte] == wanted || (white && held[byte] <= wanted));
            }
        }
        names.sort_unstable();
        names.dedup();
        prop_assert_eq!(names.len(), found.len());
    }
}
