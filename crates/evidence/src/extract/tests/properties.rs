//! Whatever the bytes: no panic, and every place in the document is a place in its text.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{FormatHint, made, named, read};
use crate::Document;

const NAMES: [&str; 6] = ["a.html", "a.md", "a.txt", "a.json", "a.csv", "a.bin"];

fn keeps_its_places(document: &Document) {
    let text = &document.text;
    let mut end = 0;
    for paragraph in &document.paragraphs {
        let said = document
            .at(paragraph.span)
            .expect("a paragraph is in the text");
        assert!(!said.trim().is_empty(), "a paragraph says something");
        assert!(paragraph.span.start >= end, "paragraphs do not overlap");
        assert!(
            paragraph
                .section
                .is_none_or(|section| section < document.sections.len())
        );
        end = paragraph.span.end;
    }
    for section in &document.sections {
        let said = document.at(section.span).expect("a section is in the text");
        assert!(
            said.starts_with(&section.title),
            "a section begins with its title"
        );
    }
    let mut end = 0;
    for page in &document.pages {
        document.at(page.span).expect("a page is in the text");
        assert_eq!(page.span.start, end, "there is no gap between pages");
        end = page.span.end;
    }
    assert!(document.pages.is_empty() || end == text.len());
    assert!(
        !text.contains(['\u{200b}', '\u{202e}', '\u{ad}', '\0']),
        "nothing is hidden in it"
    );
}

fn check(bytes: &[u8], hint: &FormatHint<'_>) {
    if let Ok(document) = read(bytes, hint) {
        keeps_its_places(&document);
    }
}

fn piece_of_page() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ a-zé\u{200b}\u{202e}ﬁ.&;<>\"'=/-]{0,12}",
        4 => prop::sample::select(vec![
            "<p>", "</p>", "<div>", "</div>", "<h2>", "</h2>", "<ul><li>", "</li></ul>", "<table><tr><td>",
            "</td><td>", "</td></tr>", "</table>", "<b>", "</b>", "<br>", "<pre>", "</pre>", "<script>",
            "</script>", "<!--", "-->", "<title>", "</title>", "<article>", "<svg>", "<blockquote>", "<a href='",
            "<p style='display:none'>", "&amp;", "&#0;", "<![CDATA[", "<select><option>", "<template>", "</body>",
        ]).prop_map(str::to_owned),
        1 => (1_usize..700).prop_map(|depth| "<div>".repeat(depth)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..600), name in 0_usize..6) {
        check(&bytes, &named(NAMES[name]));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|[\n#*>|=,;{}\\[\\]\"-]){0,300}", name in 0_usize..6) {
        check(text.as_bytes(), &named(NAMES[name]));
    }

    #[test]
    fn any_page_is_read_or_refused(pieces in vec(piece_of_page(), 0..60)) {
        let page = format!("<html><body>{}", pieces.concat());
        check(page.as_bytes(), &FormatHint::default());
    }

    #[test]
    fn a_changed_pdf_is_read_or_refused(changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let mut bytes = made::pdf(&[
            &["1 Introduction", "Some words that go on in the next line, which is inter-", "rupted here."],
            &["A second page with (brackets) in it."],
        ]);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        check(&bytes, &FormatHint::default());
        check(&bytes[..cut.index(bytes.len())], &FormatHint::default());
    }

    #[test]
    fn a_changed_word_document_is_read_or_refused(changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), body in "(<w:p>|</w:p>|<w:r><w:t>|</w:t></w:r>|<w:tbl><w:tr><w:tc>|</w:tc></w:tr></w:tbl>|[a-z &;]){0,30}") {
        let mut bytes = made::docx(&body, "<a><title>x</title></a>");
        check(&bytes, &FormatHint::default());
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        check(&bytes, &FormatHint::default());
    }
}
