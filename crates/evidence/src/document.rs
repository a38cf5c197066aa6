//! A document that was read: its clean text, and what stands where in it.
//!
//! Takes pieces in reading order from a reader of some format; gives one text in which every
//! paragraph, section and page has its exact place. Readers are in [`crate::extract`].

mod builder;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Language, Span};

pub use builder::DocumentBuilder;

/// One document. Every span in it refers to `text`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// All that was read, in the order in which people read it. Every span refers to it.
    pub text: String,
    /// What the document says about itself.
    pub about: DocumentMetadata,
    /// In reading order; they do not overlap. Headings are among them.
    pub paragraphs: Vec<Paragraph>,
    /// In reading order. A section ends where the next of the same or a higher level begins.
    pub sections: Vec<Section>,
    /// Of documents that have pages, in order and without gaps.
    pub pages: Vec<PageStart>,
    /// What could not be read, in sentences for people. Empty when all was read.
    pub lost: Vec<String>,
}

/// What a document says about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentMetadata {
    /// Its title, as far as it tells one.
    pub title: Option<String>,
    /// Its authors in the order given.
    pub authors: Vec<String>,
    /// As precise as it was told: `2024`, `2024-05` or `2024-05-17`.
    pub published: Option<String>,
    /// Without the address of a resolver: `10.1000/182`.
    #[serde(default)]
    pub doi: Option<String>,
    /// The language it says it is in; nothing where it says none.
    pub language: Option<Language>,
}

/// A paragraph, a heading, a list item, a row of a table or a block of code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paragraph {
    /// Depends on its words alone, so that it stays the same when others are added.
    pub id: ParagraphId,
    /// Where it stands in the document's text.
    pub span: Span,
    /// What it is.
    pub role: ParagraphRole,
    /// Index into [`Document::sections`]; nothing before the first heading.
    pub section: Option<usize>,
    /// From 1, of documents that have pages: the page on which it begins.
    pub page: Option<u32>,
}

/// What a paragraph is in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParagraphRole {
    /// The title of a section.
    Heading,
    /// Running text.
    Body,
    /// One item of a list.
    ListItem,
    /// What a list of definitions explains next: an option, a function, a word.
    Term,
    /// One row of a table, its cells parted by bars.
    TableRow,
    /// The words under a picture or over a table.
    Caption,
    /// Somebody else's words, set apart.
    Quote,
    /// Program text, with its line ends.
    Code,
}

/// Names a paragraph by what it says, so that reading a changed document again keeps the names of
/// the paragraphs that did not change.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParagraphId(String);

impl ParagraphId {
    /// The id as it is saved.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ParagraphId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A heading and all that stands under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The words of its heading.
    pub title: String,
    /// 1 is the highest.
    pub level: u8,
    /// The section it stands in, an index into [`Document::sections`] that is smaller than its own.
    pub parent: Option<usize>,
    /// From its heading to its end, the sections inside it included.
    pub span: Span,
}

/// A page of a document that has pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageStart {
    /// From 1.
    pub number: u32,
    /// Where it stands in the document's text.
    pub span: Span,
}

impl Document {
    /// The language it is written in as far as known, else English.
    pub fn language(&self) -> Language {
        self.about.language.unwrap_or(Language::ENGLISH)
    }

    /// The text at a place in this document; nothing when the place is not in it.
    pub fn at(&self, span: Span) -> Option<&str> {
        span.of(&self.text)
    }

    /// The number of the page at a place in the text; nothing in a document without pages.
    pub fn page_at(&self, offset: usize) -> Option<u32> {
        let after = self.pages.partition_point(|p| p.span.start <= offset);
        Some(self.pages.get(after.checked_sub(1)?)?.number)
    }

    /// The titles of the sections around a paragraph, outermost first.
    pub fn trail(&self, paragraph: &Paragraph) -> Vec<&str> {
        let innermost = paragraph.section.and_then(|index| self.sections.get(index));
        // A parent stands before its child, so the walk ends even if the record was made by hand.
        let outwards = |section: &&Section| {
            let parent = section.parent.and_then(|index| self.sections.get(index));
            parent.filter(|parent| parent.level < section.level)
        };
        let around = std::iter::successors(innermost, outwards);
        let mut titles: Vec<&str> = around.map(|section| section.title.as_str()).collect();
        titles.reverse();
        titles
    }
}

#[cfg(test)]
mod tests;
