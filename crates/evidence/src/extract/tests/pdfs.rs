//! Promises about PDFs.

use super::made::{file, pdf, placed_pdf};
use super::{ExtractLimits, FormatHint, cited, read, read_within, titles};
use crate::Error;
use crate::document::ParagraphRole;

#[test]
fn words_broken_at_line_ends_are_whole_and_pages_are_known() {
    let first = [
        "It was found that people who work at night sleep less than those who do not, and the inter-",
        "vention did not change this in any of the groups that were looked at during the whole year.",
    ];
    let document = read(
        &pdf(&[&first, &["The second page says something else."]]),
        &FormatHint::default(),
    );
    let document = document.expect("it is a PDF");
    assert!(
        document.text.contains("the intervention did not change"),
        "{}",
        document.text
    );
    assert_eq!(document.pages.len(), 2);
    let last = document.paragraphs.last().expect("there is text");
    assert_eq!(last.page, Some(2));
}

#[test]
fn running_heads_and_page_numbers_are_left_out() {
    let pages: Vec<Vec<(u32, u32, u32, &str)>> = ["alpha", "beta", "gamma", "delta"]
        .iter()
        .zip(["1", "2", "3", "4"])
        .map(|(word, number)| {
            vec![
                (72, 760, 9, "Journal of Sleep, volume 7"),
                (72, 600, 11, *word),
                (
                    72,
                    560,
                    11,
                    "is what this page is about, and it says so in a sentence of its own.",
                ),
                (
                    72,
                    400,
                    11,
                    "Another paragraph stands in the middle of the page, far from its edges.",
                ),
                (300, 30, 9, number),
            ]
        })
        .collect();
    let document = read(&placed_pdf(&pages), &FormatHint::default()).expect("it is a PDF");
    assert!(
        !document.text.contains("Journal of Sleep"),
        "{}",
        document.text
    );
    assert_eq!(
        document.text.matches("is what this page is about").count(),
        4
    );
}

#[test]
fn a_paragraph_that_goes_on_over_a_page_is_one_and_keeps_both_pages() {
    let first =
        ["The people who took part in this study were asked about their sleep and about their"];
    let second =
        ["work in the week before, and all of them answered the questions that were put to them."];
    let document = read(&pdf(&[&first, &second]), &FormatHint::default()).expect("it is a PDF");
    assert_eq!(document.paragraphs.len(), 1);
    assert!(document.text.contains("about their work in the week"));
    let page = &document.pages[1];
    assert!(
        document
            .at(page.span)
            .expect("in the text")
            .starts_with("work in the week")
    );
    assert_eq!(document.pages[0].span.end, page.span.start);
    // A quote has the page it stands on, wherever its paragraph begins.
    let at = |words: &str| document.page_at(document.text.find(words).expect("it is there"));
    assert_eq!(at("took part in this study"), Some(1));
    assert_eq!(at("answered the questions"), Some(2));
}

#[test]
fn numbered_and_known_headings_make_sections() {
    let page = vec![
        (72, 740, 14, "1 Introduction"),
        (
            72,
            712,
            11,
            "Sleep matters to people who work at night, and we know little about it so far, which",
        ),
        (
            72,
            698,
            11,
            "is why we asked those who know it best: the people themselves and their families at home.",
        ),
        (
            72,
            684,
            11,
            "Nobody had asked them before this study began in the spring of the year.",
        ),
        (72, 640, 14, "2 Methods"),
        (
            72,
            612,
            11,
            "We asked forty adults in one town to wear a watch for two weeks in the summer, and to write",
        ),
        (
            72,
            598,
            11,
            "down when they went to bed and when they rose again on each of the days that followed.",
        ),
        (
            72,
            584,
            11,
            "All of them did so, but for two who had lost their watches in the meantime.",
        ),
    ];
    let document = read(&placed_pdf(&[page]), &FormatHint::default()).expect("it is a PDF");
    assert_eq!(
        titles(&document),
        [(1, "1 Introduction"), (1, "2 Methods")],
        "{:?}",
        cited(&document)
    );
    assert!(
        cited(&document)
            .iter()
            .any(|(role, text)| *role == ParagraphRole::Body && text.starts_with("We asked"))
    );
}

#[test]
fn two_columns_are_read_one_after_the_other() {
    let mut lines = Vec::new();
    let left = [
        "left one is here and goes",
        "left two is here and goes",
        "left three is here and",
        "left four ends the side.",
    ];
    let right = [
        "right one is here and is",
        "right two is here and is",
        "right three is here too",
        "right four ends it all.",
    ];
    for (row, (left, right)) in left.iter().zip(right).enumerate() {
        let y = 700 - 14 * row as u32;
        lines.push((60, y, 10, *left));
        lines.push((330, y, 10, right));
    }
    let document = read(&placed_pdf(&[lines]), &FormatHint::default()).expect("it is a PDF");
    let left_end = document
        .text
        .find("left four")
        .expect("the left column is there");
    let right_start = document
        .text
        .find("right one")
        .expect("the right column is there");
    assert!(left_end < right_start, "{}", document.text);
}

#[test]
fn a_pdf_without_text_says_so() {
    let empty = placed_pdf(&[Vec::new()]);
    assert!(matches!(
        read(&empty, &FormatHint::default()),
        Err(Error::NoText { .. })
    ));
}

#[test]
fn a_protected_pdf_asks_for_a_copy_that_opens() {
    let rc4 = "/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 \
        /O <0102030405060708091011121314151617181920212223242526272829303132> \
        /U <3231302928272625242322212019181716151413121110090807060504030201> >> /ID [<00> <00>]";
    let (hash, key) = ("0a".repeat(48), "0b".repeat(32));
    let aes_256 = format!(
        "/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /P -44 /O <{hash}> /U <{hash}> /OE <{key}> /UE <{key}> \
         /Perms <{}> /CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /StdCF /StrF /StdCF >> /ID [<00> <00>]",
        "0c".repeat(16)
    );
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [] /Count 0 >>".to_owned(),
    ];
    for encryption in [rc4, &aes_256] {
        let error =
            read(&file(&objects, encryption), &FormatHint::default()).expect_err("it is protected");
        assert!(matches!(error, Error::Encrypted { .. }), "{error}");
        assert!(error.to_string().contains("a copy that needs none"));
    }
}

#[test]
fn a_broken_pdf_is_an_error_or_a_part() {
    let whole = pdf(&[&["The first page of it."], &["The second page of it."]]);
    for end in (5..whole.len()).step_by(37) {
        match read(&whole[..end], &FormatHint::default()) {
            Ok(document) => assert!(!document.text.is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(matches!(
        read(b"%PDF-1.7\nnothing of the kind", &FormatHint::default()),
        Err(Error::Broken { .. })
    ));
}

#[test]
fn pages_beyond_the_limit_are_left_out_and_counted() {
    let limits = ExtractLimits {
        pdf_max_pages: 2,
        ..ExtractLimits::default()
    };
    let whole = pdf(&[
        &["Page one says this."],
        &["Page two says that."],
        &["Page three is left out."],
    ]);
    let document = read_within(&whole, &FormatHint::default(), &limits).expect("it is a PDF");
    assert_eq!(document.pages.len(), 2);
    assert!(!document.text.contains("three"));
}

#[test]
fn deep_objects_in_a_pdf_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = ["<< /Type /Catalog /Pages 2 0 R >>".to_owned(), deep];
    assert!(read(&file(&objects, ""), &FormatHint::default()).is_err());
}

#[test]
fn a_page_of_many_kilometres_is_refused_before_its_text_is_read() {
    let lines = vec![
        (72, 700, 11, "Some words stand here."),
        (4_000_000_000, 686, 11, "Others stand far away."),
        (72, 672, 11, "And some stand here again."),
    ];
    let pdf = String::from_utf8(placed_pdf(&[lines])).unwrap();
    let pdf = pdf.replace("[0 0 612 792]", "[0 0 40000000000 792]");
    let error = read(pdf.as_bytes(), &FormatHint::default()).expect_err("it is too wide");
    assert!(error.to_string().contains("larger than any"), "{error}");
}
