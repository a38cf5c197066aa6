//! Passages: what is searched, quoted and cited.
//!
//! Takes a document; gives stretches of it that stay within one section, are long enough to be
//! understood alone and short enough to be read at once, each with its sentences.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::{Paragraph, ParagraphId, Role};
use crate::{Document, Span, sentences};

/// How documents are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Paragraphs are put together until a passage has this many characters.
    pub passage_wanted_chars: usize,
    /// A longer paragraph is cut between sentences; a longer sentence stays whole.
    pub passage_max_chars: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            passage_wanted_chars: 400,
            passage_max_chars: 1_200,
        }
    }
}

/// A stretch of one document. Its spans refer to the document's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    pub id: PassageId,
    pub span: Span,
    pub sentences: Vec<Span>,
    /// Titles of the sections around it, outermost first.
    pub sections: Vec<String>,
    pub page: Option<u32>,
    /// The paragraph in which it begins.
    pub paragraph: ParagraphId,
}

/// Names a passage within its document: its first paragraph, and which cut of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassageId(String);

impl PassageId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PassageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Cuts a document into passages. Headings are not passages: they name those under them.
pub fn passages(document: &Document, settings: &Settings) -> Vec<Passage> {
    let mut cut = Vec::new();
    let mut open: Vec<&Paragraph> = Vec::new();
    for paragraph in &document.paragraphs {
        let ends = paragraph.role == Role::Heading || !fits(&open, paragraph, settings);
        if ends {
            close(document, settings, &mut open, &mut cut);
        }
        if paragraph.role != Role::Heading {
            open.push(paragraph);
        }
    }
    close(document, settings, &mut open, &mut cut);
    cut
}

/// Whether a paragraph may join those that are open.
fn fits(open: &[&Paragraph], next: &Paragraph, settings: &Settings) -> bool {
    let (Some(first), Some(last)) = (open.first(), open.last()) else {
        return true;
    };
    let so_far = last.span.end - first.span.start;
    let together = next.span.end - first.span.start;
    first.section == next.section
        && so_far < settings.passage_wanted_chars
        && together <= settings.passage_max_chars
}

fn close(
    document: &Document,
    settings: &Settings,
    open: &mut Vec<&Paragraph>,
    cut: &mut Vec<Passage>,
) {
    let (Some(first), Some(last)) = (open.first().copied(), open.last().copied()) else {
        return;
    };
    open.clear();
    let span = Span::new(first.span.start, last.span.end);
    let Some(text) = document.at(span) else {
        return;
    };
    let all = sentences(text, document.language());
    let all: Vec<Span> = all.iter().map(|s| s.moved(span.start)).collect();
    for (nth, sentences) in groups(&all, settings.passage_max_chars).enumerate() {
        let (Some(begin), Some(end)) = (sentences.first(), sentences.last()) else {
            continue;
        };
        cut.push(Passage {
            id: PassageId(format!("{}-{nth}", first.id)),
            span: Span::new(begin.start, end.end),
            sentences: sentences.to_vec(),
            sections: document
                .trail(first)
                .into_iter()
                .map(String::from)
                .collect(),
            page: page_at(document, begin.start).or(first.page),
            paragraph: first.id.clone(),
        });
    }
}

/// Runs of sentences, each as long as the limit allows.
fn groups(sentences: &[Span], max_chars: usize) -> impl Iterator<Item = &[Span]> {
    let mut rest = sentences;
    std::iter::from_fn(move || {
        let start = rest.first()?.start;
        let beyond = |span: &Span| span.end - start > max_chars;
        let taken = rest.iter().position(beyond).unwrap_or(rest.len()).max(1);
        let (group, after) = rest.split_at(taken);
        rest = after;
        Some(group)
    })
}

fn page_at(document: &Document, offset: usize) -> Option<u32> {
    let after = document
        .pages
        .partition_point(|page| page.span.start <= offset);
    Some(document.pages.get(after.checked_sub(1)?)?.number)
}
