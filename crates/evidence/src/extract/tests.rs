//! What every reader promises, through the one door they share.

mod hostile;
mod made;
mod manuals;
mod office;
mod pages;
mod pdfs;
mod properties;
mod texts;

use super::{DocumentFormat, ExtractLimits, FormatHint, read, read_within};
use crate::document::ParagraphRole;
use crate::{Document, Error};

fn named(file_name: &str) -> FormatHint<'_> {
    FormatHint {
        file_name: Some(file_name),
        ..FormatHint::default()
    }
}

/// The paragraphs with their roles, as they would be cited.
fn cited(document: &Document) -> Vec<(ParagraphRole, &str)> {
    let paragraphs = document.paragraphs.iter();
    let cited = paragraphs.map(|paragraph| {
        let text = document
            .at(paragraph.span)
            .expect("the span is in the text");
        (paragraph.role, text)
    });
    cited.collect()
}

fn titles(document: &Document) -> Vec<(u8, &str)> {
    let sections = document.sections.iter();
    sections
        .map(|section| (section.level, section.title.as_str()))
        .collect()
}

#[test]
fn nothing_is_told_apart_from_something_unreadable() {
    assert_eq!(read(b"", &FormatHint::default()), Err(Error::Empty));
    assert_eq!(read(b" \n\t ", &FormatHint::default()), Err(Error::Empty));
    let marks = "\u{200b}\u{202e}\u{feff}".as_bytes();
    assert!(matches!(
        read(marks, &FormatHint::default()),
        Err(Error::NoText { .. })
    ));
}

#[test]
fn what_is_no_document_is_named() {
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let error = read(image, &named("paper.pdf")).expect_err("it is a picture");
    assert_eq!(
        error.to_string(),
        "this is a PNG image and cannot be read: give HTML, PDF, DOCX, EPUB, Markdown, plain text, JSON or CSV"
    );
    let noise: Vec<u8> = (0..4_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8)
        .collect();
    assert!(matches!(
        read(&noise, &FormatHint::default()),
        Err(Error::NotADocument { .. })
    ));
}

#[test]
fn the_bytes_decide_over_content_type_and_name() {
    let hint = FormatHint {
        content_type: Some("application/pdf"),
        file_name: Some("paper.pdf"),
        ..FormatHint::default()
    };
    let page = b"<!DOCTYPE html><html><body><p>Access to this paper was denied.</p></body></html>";
    let document = read(page, &hint).expect("it is a page");
    assert_eq!(document.text, "Access to this paper was denied.");
    let pdf = made::pdf(&[&["Hello from a PDF"]]);
    let wrong = FormatHint {
        content_type: Some("text/html"),
        ..FormatHint::default()
    };
    assert_eq!(read(&pdf, &wrong).expect("it is a PDF").pages.len(), 1);
}

#[test]
fn a_file_beyond_its_limit_is_refused_with_the_setting_to_raise() {
    let limits = ExtractLimits {
        document_max_bytes: 10,
        ..ExtractLimits::default()
    };
    let error = read_within(b"more than ten bytes", &FormatHint::default(), &limits)
        .expect_err("too large");
    assert!(
        error.to_string().ends_with("raise \"document_max_bytes\""),
        "{error}"
    );
}

#[test]
fn text_beyond_its_limit_is_left_out_and_the_document_says_so() {
    let limits = ExtractLimits {
        text_max_bytes: 60,
        ..ExtractLimits::default()
    };
    let text =
        "One paragraph of this text.\n\nAnother one that is cut in the middle of it.\n\nA third.";
    let document =
        read_within(text.as_bytes(), &FormatHint::default(), &limits).expect("it is text");
    assert_eq!(
        document.text,
        "One paragraph of this text.\n\nAnother one that is cut in the"
    );
    assert_eq!(document.lost.len(), 1);
    assert!(document.lost[0].contains("text_max_bytes"));
}

#[test]
fn a_document_travels_between_processes() {
    let document = read(&made::pdf(&[&["One page"]]), &FormatHint::default()).expect("it is a PDF");
    let sent = serde_json::to_string(&document).expect("it serialises");
    assert_eq!(
        serde_json::from_str::<Document>(&sent).expect("it reads back"),
        document
    );
}

#[test]
fn marks_that_hide_words_do_not_reach_the_text() {
    let page = "<html><body><p>The pa\u{200b}tient \u{202e}recov\u{ad}ered fully in the \u{2066}study\u{2069} of forty people.</p></body></html>";
    let document = read(page.as_bytes(), &FormatHint::default()).expect("it is a page");
    assert_eq!(
        document.text,
        "The patient recovered fully in the study of forty people."
    );
}
