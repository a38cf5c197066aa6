use super::{Document, DocumentBuilder, DocumentMetadata, ParagraphRole};

fn report() -> Document {
    let mut builder = DocumentBuilder::new(DocumentMetadata::default());
    builder.page(1);
    builder.piece(ParagraphRole::Body, "Before any heading.");
    builder.heading(1, "Methods");
    builder.piece(ParagraphRole::Body, "We asked 40 people.");
    builder.heading(2, "Participants");
    builder.piece(ParagraphRole::Body, "They were adults.");
    builder.page(2);
    builder.heading(1, "Results");
    builder.piece(ParagraphRole::ListItem, "They were adults.");
    builder.build()
}

#[test]
fn every_span_gives_back_what_was_put_in() {
    let document = report();
    let said: Vec<&str> = document
        .paragraphs
        .iter()
        .filter_map(|paragraph| document.at(paragraph.span))
        .collect();
    assert_eq!(
        said,
        [
            "Before any heading.",
            "Methods",
            "We asked 40 people.",
            "Participants",
            "They were adults.",
            "Results",
            "They were adults.",
        ]
    );
}

#[test]
fn a_section_holds_the_sections_inside_it_and_ends_before_the_next() {
    let document = report();
    let texts: Vec<&str> = document
        .sections
        .iter()
        .filter_map(|section| document.at(section.span))
        .collect();
    assert_eq!(
        texts,
        [
            "Methods\n\nWe asked 40 people.\n\nParticipants\n\nThey were adults.",
            "Participants\n\nThey were adults.",
            "Results\n\nThey were adults.",
        ]
    );
    let adults = &document.paragraphs[4];
    assert_eq!(document.trail(adults), ["Methods", "Participants"]);
    assert_eq!(document.trail(&document.paragraphs[0]), [""; 0]);
}

#[test]
fn pages_cover_the_text_without_gaps() {
    let document = report();
    let pages: Vec<(u32, usize, usize)> = document
        .pages
        .iter()
        .map(|page| (page.number, page.span.start, page.span.end))
        .collect();
    let [first, second] = pages[..] else {
        panic!("two pages were put in, {} came out", pages.len());
    };
    assert_eq!((first.0, first.1, second.0), (1, 0, 2));
    assert_eq!((first.2, second.2), (second.1, document.text.len()));
    assert_eq!(document.paragraphs[6].page, Some(2));
}

#[test]
fn a_paragraph_keeps_its_name_when_others_change() {
    let before = report();
    let mut builder = DocumentBuilder::new(DocumentMetadata::default());
    builder.piece(ParagraphRole::Body, "Something new.");
    builder.piece(ParagraphRole::Body, "We  asked 40\npeople.");
    let after = builder.build();
    assert_eq!(before.paragraphs[2].id, after.paragraphs[1].id);
}

#[test]
fn equal_paragraphs_have_names_of_their_own() {
    let document = report();
    assert_ne!(document.paragraphs[4].id, document.paragraphs[6].id);
}
