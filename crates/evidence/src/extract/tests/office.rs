//! Promises about Word documents and books.

use super::made::{docx, packed};
use super::{ExtractLimits, FormatHint, cited, read, read_within, titles};
use crate::Error;
use crate::document::ParagraphRole;

const PROPERTIES: &str = "<cp:coreProperties xmlns:dc=\"dc\"><dc:title>Sleep &amp; work</dc:title>\
    <dc:creator>A. Person; B. Person</dc:creator><dcterms:created>2024-05-17T08:00:00Z</dcterms:created></cp:coreProperties>";

const BODY: &str = "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Methods</w:t></w:r></w:p>\
    <w:p><w:r><w:t>We asked </w:t></w:r><w:r><w:t>forty &lt;adult&gt; people.</w:t></w:r></w:p>\
    <w:p><w:pPr><w:pStyle w:val=\"berschrift2\"/></w:pPr><w:r><w:t>People</w:t></w:r></w:p>\
    <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>one</w:t></w:r></w:p>\
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Group</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>n</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
    <w:p><w:pPr><w:pStyle w:val=\"Own\"/></w:pPr><w:r><w:t>Deeper</w:t></w:r></w:p>\
    <w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del></w:p>";

#[test]
fn a_word_document_keeps_its_headings_lists_tables_and_properties() {
    let document = read(&docx(BODY, PROPERTIES), &FormatHint::default()).expect("it is a DOCX");
    assert_eq!(
        cited(&document),
        [
            (ParagraphRole::Heading, "Methods"),
            (ParagraphRole::Body, "We asked forty <adult> people."),
            (ParagraphRole::Heading, "People"),
            (ParagraphRole::ListItem, "one"),
            (ParagraphRole::TableRow, "Group | n"),
            (ParagraphRole::Heading, "Deeper"),
            (ParagraphRole::Body, "kept"),
        ]
    );
    assert_eq!(
        titles(&document),
        [(1, "Methods"), (2, "People"), (3, "Deeper")]
    );
    assert_eq!(document.about.title.as_deref(), Some("Sleep & work"));
    assert_eq!(document.about.authors, ["A. Person", "B. Person"]);
    assert_eq!(document.about.published.as_deref(), Some("2024-05-17"));
}

#[test]
fn a_part_that_grows_beyond_its_limit_is_refused() {
    let limits = ExtractLimits {
        zip_max_expanded_bytes: 100_000,
        ..ExtractLimits::default()
    };
    let bomb = docx(&" ".repeat(1_000_000), "");
    assert!(bomb.len() < 20_000);
    let error = read_within(&bomb, &FormatHint::default(), &limits).expect_err("it is a bomb");
    assert!(
        matches!(error, Error::TooLarge { setting, .. } if setting == "zip_max_expanded_bytes")
    );
}

#[test]
fn other_archives_are_named_and_broken_ones_are_said_to_be() {
    let workbook = packed(&[("xl/workbook.xml", b"<workbook/>")]);
    let error = read(&workbook, &FormatHint::default()).expect_err("it is no text");
    assert!(
        error.to_string().starts_with("this is an Excel workbook"),
        "{error}"
    );
    let mut broken = docx(BODY, PROPERTIES);
    broken.truncate(broken.len() / 2);
    assert!(matches!(
        read(&broken, &FormatHint::default()),
        Err(Error::Broken { .. })
    ));
}

#[test]
fn xml_that_breaks_off_gives_what_came_before() {
    let body = "<w:p><w:r><w:t>The first paragraph.</w:t></w:r></w:p><w:p></w:q></w:p>";
    let document = read(&docx(body, ""), &FormatHint::default()).expect("part of it can be read");
    assert_eq!(document.text, "The first paragraph.");
    assert_eq!(document.lost.len(), 1);
}

const PACKAGE: &str = "<package><metadata><dc:title>Street trees</dc:title><dc:title>A series</dc:title>\
    <dc:creator>A. Person</dc:creator><dc:creator>B. Person</dc:creator><dc:date>2021-03-01</dc:date></metadata>\
    <manifest><item id=\"two\" href=\"../Text/chapter%202.xhtml\"/><item id=\"one\" href=\"one.xhtml\"/>\
    <item id=\"picture\" href=\"tree.png\"/></manifest><spine><itemref idref=\"one\"/><itemref idref=\"two\"/></spine></package>";

fn epub(more: &[(&str, &[u8])]) -> Vec<u8> {
    let container =
        "<container><rootfiles><rootfile full-path=\"OEBPS/content.opf\"/></rootfiles></container>";
    let chapter = |title: &str, text: &str| {
        format!(
            "<?xml version=\"1.0\"?><html><head><title>x</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
        )
    };
    let one = chapter("Shade", "Trees cool the air.");
    let two = chapter("Night", "At night they keep streets warm.");
    let parts: [(&str, &[u8]); 5] = [
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("OEBPS/content.opf", PACKAGE.as_bytes()),
        ("Text/chapter 2.xhtml", two.as_bytes()),
        ("OEBPS/one.xhtml", one.as_bytes()),
    ];
    packed(&[&parts, more].concat())
}

#[test]
fn a_book_is_read_chapter_by_chapter_in_its_own_order() {
    let document = read(&epub(&[]), &FormatHint::default()).expect("it is an EPUB");
    assert_eq!(
        cited(&document),
        [
            (ParagraphRole::Heading, "Shade"),
            (ParagraphRole::Body, "Trees cool the air."),
            (ParagraphRole::Heading, "Night"),
            (ParagraphRole::Body, "At night they keep streets warm."),
        ]
    );
    assert_eq!(document.about.title.as_deref(), Some("Street trees"));
    assert_eq!(document.about.authors, ["A. Person", "B. Person"]);
    assert_eq!(document.about.published.as_deref(), Some("2021-03-01"));
}

#[test]
fn a_book_that_only_a_shop_s_program_opens_and_one_without_parts_are_told() {
    let lock = b"<encryption><CipherReference URI=\"OEBPS/one.xhtml\"/></encryption>";
    let locked = epub(&[("META-INF/encryption.xml", lock)]);
    let error = read(&locked, &FormatHint::default()).expect_err("it is protected");
    assert!(matches!(error, Error::Encrypted { .. }), "{error}");
    let fonts = b"<encryption><CipherReference URI=\"OEBPS/font.otf\"/></encryption>";
    let open = epub(&[("META-INF/encryption.xml", fonts)]);
    assert!(read(&open, &FormatHint::default()).is_ok());
    let empty = packed(&[("META-INF/container.xml", b"<container/>")]);
    let error = read(&empty, &FormatHint::default()).expect_err("it has no parts");
    assert!(
        error.to_string().starts_with("the EPUB is damaged"),
        "{error}"
    );
}
