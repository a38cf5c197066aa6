//! Hands the pieces a reader finds to the document, cleaned and within the limit.

use super::wrap::{self, WrapWords};
use super::{DocumentFormat, Error, ExtractLimits, clean};
use crate::document::{DocumentBuilder, DocumentMetadata, ParagraphRole};
use crate::{Document, Language};

/// A document's title is cut here, and a section's is none: longer ones are text that was mistaken
/// for a title.
const TITLE_MAX_CHARS: usize = 300;

/// From this length on, the text itself tells its language best.
const TELLING_BYTES: usize = 1_000;

/// More authors than the largest collaborations sign with.
const AUTHORS_MAX: usize = 5_000;

/// A document in the making by one of the readers.
pub(super) struct Pieces {
    builder: DocumentBuilder,
    text_max_bytes: usize,
    /// Whether the document says which language it is in.
    language_told: bool,
    /// Nothing more is taken once the limit was reached.
    full: bool,
}

impl Pieces {
    pub(super) fn new(about: DocumentMetadata, limits: &ExtractLimits) -> Self {
        Self {
            language_told: about.language.is_some(),
            builder: DocumentBuilder::new(tidy(about)),
            text_max_bytes: limits.text_max_bytes,
            full: false,
        }
    }

    pub(super) fn page(&mut self, number: u32) {
        self.builder.page(number);
    }

    /// A heading; a paragraph where it is too long to be one. Every passage under a heading bears its
    /// words, so a long one would be copied without bound.
    pub(super) fn heading(&mut self, level: u8, title: &str) {
        let title = clean::line(title);
        if title.chars().count() > TITLE_MAX_CHARS {
            return self.piece(ParagraphRole::Body, &title);
        }
        let title = self.within(&title);
        self.builder.heading(level, title);
    }

    pub(super) fn piece(&mut self, role: ParagraphRole, text: &str) {
        let text = match role {
            ParagraphRole::Code => clean::lines(text),
            _ => clean::line(text),
        };
        let text = self.within(&text);
        self.builder.piece(role, text);
    }

    /// A paragraph whose parts stand on pages that follow each other. Broken words are put together.
    pub(super) fn over_pages(&mut self, role: ParagraphRole, parts: &[(u32, String)]) {
        let mut text = String::new();
        let mut begins = Vec::new();
        for (page, part) in parts {
            let part = clean::line(part);
            wrap::go_on(&mut text, &part, &WrapWords::default());
            begins.push((*page, text.len().saturating_sub(part.len())));
        }
        let kept = self.within(&text);
        begins.retain(|(_, at)| *at < kept.len());
        // The first page was begun before the paragraph.
        let mut last = begins.first().map_or(0, |(page, _)| *page);
        let later = begins.into_iter().filter(|(page, _)| {
            let turns = *page > last;
            last = last.max(*page);
            turns
        });
        let later: Vec<(u32, usize)> = later.collect();
        self.builder.piece_over_pages(role, kept, &later);
    }

    /// One row of a table, by its cells.
    pub(super) fn row(&mut self, cells: &[String]) {
        let cells: Vec<String> = cells.iter().map(|cell| clean::line(cell)).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            self.piece(ParagraphRole::TableRow, &cells.join(" | "));
        }
    }

    pub(super) fn lost(&mut self, what: impl Into<String>) {
        self.builder.lost(what);
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// The document, unless nothing to read was found.
    pub(super) fn build(self, format: DocumentFormat, why_empty: &str) -> Result<Document, Error> {
        let mut document = self.builder.build();
        // A page's own word on its language is often that of its template.
        if self.language_told && document.text.len() >= TELLING_BYTES {
            let detected = Language::detect(&document.text);
            document.about.language = detected.or(document.about.language);
        }
        if document.text.is_empty() {
            return Err(Error::NoText {
                format,
                why: why_empty.to_owned(),
            });
        }
        Ok(document)
    }

    /// As much of a text as there is room for.
    fn within<'t>(&mut self, text: &'t str) -> &'t str {
        if self.full {
            return "";
        }
        let room = self
            .text_max_bytes
            .saturating_sub(self.builder.next_start());
        if text.len() <= room {
            return text;
        }
        self.full = true;
        self.builder.lost(format!(
            "The text is longer than {} bytes; the rest was left out (\"text_max_bytes\").",
            self.text_max_bytes
        ));
        let cut = &text[..text.floor_char_boundary(room)];
        cut.rfind(char::is_whitespace)
            .map_or(cut, |end| &cut[..end])
    }
}

/// A longer one is none.
const DOI_MAX_BYTES: usize = 200;

fn tidy(about: DocumentMetadata) -> DocumentMetadata {
    let shortened = |text: String| -> Option<String> {
        let text: String = clean::line(&text).chars().take(TITLE_MAX_CHARS).collect();
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let mut authors: Vec<String> = Vec::new();
    for author in about.authors.into_iter().filter_map(shortened) {
        if authors.len() < AUTHORS_MAX && authors.last() != Some(&author) {
            authors.push(author);
        }
    }
    DocumentMetadata {
        title: about.title.and_then(shortened),
        authors,
        doi: about.doi.as_deref().and_then(doi),
        ..about
    }
}

/// A DOI as it is written anywhere: bare, after "doi:", or as a resolver's address.
fn doi(told: &str) -> Option<String> {
    let at = told.find("10.")?;
    let doi = told
        .get(at..)?
        .trim()
        .trim_end_matches(['.', ',', ';', '"', '\'']);
    let (prefix, suffix) = doi.split_once('/')?;
    let digits = prefix.get(3..)?;
    let known = digits.len() >= 4 && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let whole = !suffix.is_empty() && !doi.contains(char::is_whitespace);
    (known && whole && doi.len() <= DOI_MAX_BYTES).then(|| doi.to_owned())
}
