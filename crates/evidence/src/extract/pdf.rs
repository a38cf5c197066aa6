//! PDF: text in reading order with its pages, without running heads, feet and page numbers.
//!
//! A library finds letters, columns, lines and tables; ours is what makes a text of them: words that
//! were broken at line ends, paragraphs that go on over a page, headings and their levels.

mod flow;
mod furniture;
mod items;
mod nesting;

use std::panic::{AssertUnwindSafe, catch_unwind};

use unpdf::{ErrorKind, PageSelection, ParseOptions};

use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits};
use crate::Document;
use crate::document::DocumentMetadata;

/// Titles that a program wrote and no person.
const NO_TITLES: &[&str] = &[
    "untitled",
    "microsoft word",
    "powerpoint",
    "slide 1",
    "document1",
];

/// A page with a longer side, about seventy metres, was made to do harm.
const PAGE_MAX_POINTS: f32 = 200_000.0;

/// How many pages without text a sentence names one by one.
const NAMED_PAGES: usize = 10;

pub(super) fn read(
    bytes: &[u8],
    password: Option<&str>,
    limits: &ExtractLimits,
) -> Result<Document, Error> {
    let pdf = parse(bytes, password, limits)?;
    let mut items = items::page_items(&pdf);
    furniture::drop_running_lines(&mut items, pdf.pages.len());
    items::join_split_words(&mut items);
    let mut pieces = Pieces::new(about(&pdf, &items), limits);
    say_what_is_lost(&pdf, limits, &mut pieces);
    let numbers = pdf.pages.iter().map(|page| page.number);
    flow::write(items, numbers, &mut pieces);
    let pictures = pdf.pages.iter().any(|page| page.image_op_count > 0);
    let why = if pictures || pdf.extraction_quality.is_scan_pdf {
        "its pages are pictures; text recognition (OCR) can add it"
    } else {
        "its pages show none"
    };
    pieces.build(DocumentFormat::Pdf, why)
}

fn parse(
    bytes: &[u8],
    password: Option<&str>,
    limits: &ExtractLimits,
) -> Result<unpdf::Document, Error> {
    if nesting::is_too_deep(bytes) {
        return Err(Error::broken(
            DocumentFormat::Pdf,
            "its objects are nested without end",
        ));
    }
    let mut options = ParseOptions::new().lenient().sequential();
    if let Some(password) = password {
        options = options.with_password(password);
    }
    // Pages are numbered from 1; a document with fewer is refused if a range is asked of it.
    let outline = outline(bytes, &options);
    if outline.as_ref().is_some_and(has_huge_page) {
        return Err(Error::broken(
            DocumentFormat::Pdf,
            "its pages are larger than any that can be printed",
        ));
    }
    let count = outline.map(|outline| outline.pages.len());
    if count.is_some_and(|count| count > limits.pdf_max_pages as usize) {
        options = options.with_pages(PageSelection::Range(1..=limits.pdf_max_pages.max(1)));
    }
    // The library is large and young. A file that makes it panic is a broken file to us, and
    // nothing of the half-read document is used afterwards.
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        unpdf::parse_bytes_with_options(bytes, options)
    }));
    match parsed {
        Ok(Ok(pdf)) => Ok(pdf),
        Ok(Err(error)) => Err(match error.kind() {
            ErrorKind::Encrypted | ErrorKind::InvalidPassword => Error::Encrypted {
                format: DocumentFormat::Pdf,
            },
            _ => Error::broken(DocumentFormat::Pdf, error),
        }),
        Err(_) => Err(Error::broken(
            DocumentFormat::Pdf,
            "its parts contradict each other",
        )),
    }
}

/// The pages without what stands on them.
fn outline(bytes: &[u8], options: &ParseOptions) -> Option<unpdf::Document> {
    let options = options.clone().with_text(false);
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        unpdf::parse_bytes_with_options(bytes, options).ok()
    }));
    parsed.ok().flatten()
}

/// The library looks for columns point by point, so that its memory grows with the size of the page.
fn has_huge_page(outline: &unpdf::Document) -> bool {
    let huge = |page: &unpdf::Page| page.width.max(page.height) > PAGE_MAX_POINTS;
    outline.pages.iter().any(huge)
}

fn about(pdf: &unpdf::Document, items: &[items::PageItem]) -> DocumentMetadata {
    let told = pdf.metadata.title.clone().filter(|title| is_title(title));
    let authors = pdf.metadata.author.as_deref().unwrap_or_default();
    let authors = authors
        .split([';', ','])
        .flat_map(|part| part.split(" and "));
    let authors = authors.map(|name| name.trim().to_owned());
    DocumentMetadata {
        title: told.or_else(|| items::title(items)),
        authors: authors.filter(|name| !name.is_empty()).collect(),
        // A file says when it was made, not when its text was published.
        published: None,
        doi: None,
        language: None,
    }
}

fn is_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let is_file = [
        ".pdf", ".doc", ".docx", ".tex", ".dvi", ".indd", ".qxd", ".ps",
    ];
    title.chars().filter(|c| c.is_alphabetic()).count() >= 4
        && !NO_TITLES.iter().any(|none| title.starts_with(none))
        && !is_file.iter().any(|ending| title.ends_with(ending))
}

fn say_what_is_lost(pdf: &unpdf::Document, limits: &ExtractLimits, pieces: &mut Pieces) {
    let empty = pdf.pages.iter().filter(|page| page.elements.is_empty());
    let pictures = empty.filter(|page| page.image_op_count > 0);
    let pictures: Vec<String> = pictures.map(|page| page.number.to_string()).collect();
    match pictures.len() {
        0 => {}
        count if count <= NAMED_PAGES => {
            pieces.lost(format!(
                "Only pictures and no text on page {}.",
                pictures.join(", ")
            ));
        }
        count => pieces.lost(format!("Only pictures and no text on {count} pages.")),
    }
    let quality = &pdf.extraction_quality;
    if quality.suppressed_text_runs > 0 {
        pieces.lost("Some text is set in fonts that do not tell their letters and was left out.");
    }
    if quality.undecodable_content_streams > 0 || quality.pages_incomplete {
        pieces.lost("The file is damaged; some pages or parts of pages are missing.");
    }
    let count = pdf.metadata.page_count;
    if count > limits.pdf_max_pages {
        let max = limits.pdf_max_pages;
        pieces.lost(format!(
            "It has {count} pages; those after page {max} were left out (\"pdf_max_pages\")."
        ));
    }
}
