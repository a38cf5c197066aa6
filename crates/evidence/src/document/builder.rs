//! Puts a document together from pieces in reading order.

use super::{
    Document, DocumentMetadata, PageStart, Paragraph, ParagraphId, ParagraphRole, Section,
};
use crate::fixed_hash::FixedMap;
use crate::{Language, Span};

/// Between two paragraphs of a document's text.
const BREAK: &str = "\n\n";

/// Hexadecimal digits of a paragraph's hash: a clash in one document is beyond chance.
const ID_DIGITS: usize = 16;

/// A document in the making. Pieces are given in reading order.
#[derive(Debug, Default)]
pub struct DocumentBuilder {
    text: String,
    about: DocumentMetadata,
    paragraphs: Vec<Paragraph>,
    sections: Vec<Section>,
    /// Indices of the sections that have not ended, outermost first.
    open: Vec<usize>,
    /// Where each page begins, with its number.
    page_starts: Vec<(u32, usize)>,
    lost: Vec<String>,
    /// How often a text was seen: equal paragraphs are told apart by their order.
    seen: FixedMap<String, usize>,
}

impl DocumentBuilder {
    /// An empty document with what is known about it.
    pub fn new(about: DocumentMetadata) -> Self {
        Self {
            about,
            ..Self::default()
        }
    }

    /// What follows stands on this page.
    pub fn page(&mut self, number: u32) -> &mut Self {
        self.page_starts.push((number, self.text.len()));
        self
    }

    /// A heading, and the section it opens. Level 1 is the highest.
    pub fn heading(&mut self, level: u8, title: &str) -> &mut Self {
        let title = title.trim();
        if title.is_empty() {
            return self;
        }
        let level = level.max(1);
        self.close_sections(level);
        let start = self.next_start();
        let section = Section {
            title: title.to_owned(),
            level,
            parent: self.open.last().copied(),
            span: Span::new(start, start),
        };
        self.open.push(self.sections.len());
        self.sections.push(section);
        self.piece(ParagraphRole::Heading, title)
    }

    /// One paragraph; nothing is added when it is blank.
    pub fn piece(&mut self, role: ParagraphRole, text: &str) -> &mut Self {
        let text = text.trim();
        if text.is_empty() {
            return self;
        }
        let start = self.next_start();
        if start > self.text.len() {
            self.text.push_str(BREAK);
        }
        self.text.push_str(text);
        let paragraph = Paragraph {
            id: self.name(text),
            span: Span::new(start, self.text.len()),
            role,
            section: self.sections.len().checked_sub(1),
            page: self.page_starts.last().map(|(number, _)| *number),
        };
        self.paragraphs.push(paragraph);
        self
    }

    /// One paragraph that goes on over pages: each with its number, and where in the paragraph's
    /// (trimmed) text it begins.
    pub(crate) fn piece_over_pages(
        &mut self,
        role: ParagraphRole,
        text: &str,
        pages: &[(u32, usize)],
    ) -> &mut Self {
        let text = text.trim();
        let start = self.next_start();
        self.piece(role, text);
        for (number, at) in pages {
            let at = text.floor_char_boundary(*at);
            self.page_starts
                .push((*number, (start + at).min(self.text.len())));
        }
        self
    }

    /// Something could not be read; says it in a sentence for people.
    pub fn lost(&mut self, what: impl Into<String>) -> &mut Self {
        self.lost.push(what.into());
        self
    }

    /// Where a piece given now would begin. Readers use it to keep a text within its limit.
    pub(crate) fn next_start(&self) -> usize {
        if self.text.is_empty() {
            0
        } else {
            self.text.len() + BREAK.len()
        }
    }

    /// The finished document.
    pub fn build(mut self) -> Document {
        self.close_sections(0);
        if self.about.language.is_none() {
            self.about.language = Language::detect(&self.text);
        }
        let pages = self.pages();
        Document {
            text: self.text,
            about: self.about,
            paragraphs: self.paragraphs,
            sections: self.sections,
            pages,
            lost: self.lost,
        }
    }

    /// Ends every open section that a heading of this level does not stand inside.
    fn close_sections(&mut self, level: u8) {
        while let Some(section) = self
            .open
            .last()
            .and_then(|&last| self.sections.get_mut(last))
        {
            if section.level < level {
                break;
            }
            section.span.end = self.text.len();
            self.open.pop();
        }
    }

    fn name(&mut self, text: &str) -> ParagraphId {
        // Nearly every paragraph has single blanks between its words already.
        let single_blanks =
            text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.contains("  ");
        let hash = if single_blanks {
            blake3::hash(text.as_bytes())
        } else {
            let words: Vec<&str> = text.split_whitespace().collect();
            blake3::hash(words.join(" ").as_bytes())
        };
        let hash = hash.to_hex();
        let short = hash[..ID_DIGITS].to_owned();
        let times = self.seen.entry(short.clone()).or_insert(0);
        *times += 1;
        ParagraphId(match *times {
            1 => short,
            n => format!("{short}.{n}"),
        })
    }

    fn pages(&self) -> Vec<PageStart> {
        let ends = self.page_starts.iter().skip(1).map(|(_, start)| *start);
        let ends = ends.chain([self.text.len()]);
        let starts = self.page_starts.iter();
        let page = |(&(number, start), end)| PageStart {
            number,
            span: Span::new(start, end),
        };
        starts.zip(ends).map(page).collect()
    }
}
