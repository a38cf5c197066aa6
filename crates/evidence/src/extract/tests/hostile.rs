//! Bad input of every kind: no panic, and work that grows with the input only. A test here that does
//! not end within seconds has found work that grows with the square.

use super::made::{file, packed, pdf};
use super::{FormatHint, cited, named, read};
use crate::Error;
use crate::document::ParagraphRole;
use crate::passage::{PassageSettings, passages};

const PAGE_BYTES: usize = 32 * 1_024;
const TEXT_BYTES: usize = 128 * 1_024;

fn filled(with: &str, bytes: usize) -> String {
    with.repeat(bytes / with.len())
}

#[test]
fn a_page_of_one_thing_repeated_is_read() {
    for thing in [
        "<div>", "</p>", "</x>", "<!--x-->", "<!---", "<li>x", "x", "&", "<a ",
    ] {
        let page = format!(
            "<html><body><p>Some words stand here.</p>{}",
            filled(thing, PAGE_BYTES)
        );
        let read = read(page.as_bytes(), &FormatHint::default());
        let document = read.unwrap_or_else(|error| panic!("{thing}: {error}"));
        assert!(
            document.text.starts_with("Some words stand here."),
            "{thing}"
        );
    }
}

#[test]
fn a_link_over_the_end_of_a_paragraph_is_read() {
    for page in [
        "<body><div>x<a href='y'><p>é</a> and more words</p></div>",
        "<body><div>x<a href='y'><div>é</div></a>and more words</div>",
    ] {
        let document = read(page.as_bytes(), &FormatHint::default()).expect(page);
        assert!(document.text.contains("and more words"), "{page}");
    }
}

#[test]
fn text_of_one_thing_repeated_is_read() {
    for thing in [
        "A.\n",
        "a-\n",
        "a",
        "1. a\n",
        "a\n\n",
        "(a.)",
        "[5] ",
        "METHODS\n\n",
    ] {
        for name in ["a.txt", "a.md", "a.csv"] {
            let document = read(filled(thing, TEXT_BYTES).as_bytes(), &named(name));
            assert!(document.is_ok(), "{thing:?} as {name}");
        }
    }
}

#[test]
fn a_page_that_names_many_authors_keeps_a_bounded_number() {
    let metas: String = (0..20_000)
        .map(|n| format!("<meta name=citation_author content='Person {n}'>"))
        .collect();
    let page = format!("<html><head>{metas}</head><body><p>We asked people.</p></body></html>");
    let document = read(page.as_bytes(), &FormatHint::default()).expect("it is a page");
    assert_eq!(document.about.authors.len(), 5_000);
}

#[test]
fn a_heading_too_long_to_be_one_is_a_paragraph_and_is_not_copied_into_passages() {
    let heading = "word ".repeat(2_000);
    let text = format!("# {heading}\n\nWhat it says.\n");
    let document = read(text.as_bytes(), &named("a.md")).expect("it is Markdown");
    assert!(document.sections.is_empty());
    assert_eq!(cited(&document)[1], (ParagraphRole::Body, "What it says."));
    for passage in passages(&document, &PassageSettings::default()) {
        assert!(passage.sections.is_empty());
    }
}

#[test]
fn a_pdf_whose_pages_hold_themselves_is_refused_or_read() {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 /Parent 3 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [2 0 R] /Count 1 /Parent 2 0 R >>".to_owned(),
    ];
    assert!(read(&file(&objects, ""), &FormatHint::default()).is_err());
}

#[test]
fn a_pdf_whose_tables_point_at_themselves_is_refused_or_read() {
    let mut bytes = pdf(&[&["One page of text."]]);
    let at = bytes.len();
    bytes.extend(
        format!(
            "xref\n0 0\ntrailer\n<< /Root 1 0 R /Size 6 /Prev {at} >>\nstartxref\n{at}\n%%EOF\n"
        )
        .bytes(),
    );
    match read(&bytes, &FormatHint::default()) {
        Ok(document) => assert!(document.text.contains("One page")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

#[test]
fn an_archive_that_says_it_is_small_is_counted_as_it_grows() {
    let mut bomb = packed(&[("word/document.xml", &vec![b' '; 65 << 20])]);
    // The stated sizes stand in the header before the name, and in the directory.
    let size = (65_u32 << 20).to_le_bytes();
    let places: Vec<usize> = (0..bomb.len() - 4)
        .filter(|at| bomb[*at..*at + 4] == size)
        .collect();
    for at in places {
        bomb[at..at + 4].copy_from_slice(&100_u32.to_le_bytes());
    }
    assert!(read(&bomb, &FormatHint::default()).is_err());
}

#[test]
fn ascii_that_is_said_to_be_in_two_byte_units_is_read_as_it_is() {
    let hint = FormatHint {
        content_type: Some("text/plain; charset=utf-16"),
        ..FormatHint::default()
    };
    let document = read(b"Plain words stand here.", &hint).expect("it is text");
    assert_eq!(document.text, "Plain words stand here.");
}

#[test]
fn text_in_two_byte_units_without_a_mark_is_read_in_any_script() {
    for words in [
        "Plain words stand here.",
        "Съешь же ещё этих мягких булок, да выпей чаю.",
    ] {
        let wide: Vec<u8> = words.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let document = read(&wide, &FormatHint::default()).expect("it is text");
        assert_eq!(document.text, words);
    }
}

#[test]
fn bytes_of_one_language_that_are_said_to_be_utf8_keep_their_letters() {
    let hint = FormatHint {
        content_type: Some("text/html; charset=utf-8"),
        ..FormatHint::default()
    };
    let page = b"<html><body><p>\x93Die Gr\xf6\xdfe der St\xe4dte\x94 w\xe4chst f\xfcr \xe4ltere Leute.</p></body></html>";
    let document = read(page, &hint).expect("it is a page");
    assert_eq!(
        document.text,
        "“Die Größe der Städte” wächst für ältere Leute."
    );
}

#[test]
fn every_error_travels_between_processes() {
    use super::DocumentFormat;
    for error in [
        Error::Empty,
        Error::too_large(10, 5, "document_max_bytes"),
        Error::Encrypted {
            format: DocumentFormat::Pdf,
        },
        Error::NoText {
            format: DocumentFormat::Html,
            why: "only markup".to_owned(),
        },
        Error::NotADocument {
            found: "a PNG image".to_owned(),
        },
        Error::broken(DocumentFormat::Docx, "its end is missing"),
    ] {
        let sent = serde_json::to_string(&error).expect("it serialises");
        let back: Error = serde_json::from_str(&sent).expect("it reads back");
        assert_eq!(back, error);
    }
}
