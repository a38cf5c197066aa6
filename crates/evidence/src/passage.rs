//! Passages: what is searched, quoted and cited.
//!
//! Takes a document; gives stretches of it that stay within one section, are long enough to be
//! understood alone and short enough to be read at once, each with its sentences. A list stays
//! with the sentence that leads into it and a table with its caption; where they are too long, each
//! part names the places it needs. What a document cites is marked, to be left out of a search.

mod block;
mod references;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::{Paragraph, ParagraphId, ParagraphRole};
use crate::{Document, Span};
use block::PassageBlock;

/// How documents are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PassageSettings {
    /// Paragraphs are put together until a passage has this many characters.
    pub passage_wanted_chars: usize,
    /// A longer paragraph is cut between sentences; a longer sentence stays whole.
    pub passage_max_chars: usize,
    /// What is shorter and stands last in its section joins the passage before it.
    pub passage_min_chars: usize,
}

impl Default for PassageSettings {
    fn default() -> Self {
        Self {
            passage_wanted_chars: 400,
            passage_max_chars: 1_200,
            passage_min_chars: 120,
        }
    }
}

/// A stretch of one document. Its spans refer to the document's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Depends on its words and, for repeated words, on how often they stood before.
    pub id: PassageId,
    /// Where it stands in the document's text.
    pub span: Span,
    /// Where its sentences stand in the document's text.
    pub sentences: Vec<Span>,
    /// Titles of the sections around it, outermost first.
    pub sections: Vec<String>,
    /// The page it begins on, where the document has pages.
    pub page: Option<u32>,
    /// The paragraph in which it begins.
    pub paragraph: ParagraphId,
    /// Places before it without which it is not understood: the head of the table or the sentence
    /// that leads into the list of which this is a further part. Mostly none.
    #[serde(default)]
    pub needs: Vec<Span>,
    /// Whether it lists what the document cites. Such text names everything and says nothing.
    #[serde(default)]
    pub references: bool,
}

impl Passage {
    /// Its words; nothing when it belongs to another document.
    pub fn text<'d>(&self, document: &'d Document) -> Option<&'d str> {
        document.at(self.span)
    }
}

/// Names a passage within its document: its first paragraph, and which cut of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassageId(String);

impl PassageId {
    /// The id that was saved as this text.
    pub fn from_saved(id: &str) -> Self {
        Self(id.to_owned())
    }

    /// The id as it is saved.
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
pub fn passages(document: &Document, settings: &PassageSettings) -> Vec<Passage> {
    cut(document, settings, WantedSentences::All)
}

/// The same passages for those who do not ask for sentences: each that is not too long counts as one. Finding sentences
/// takes longer than all the rest.
pub fn passages_without_sentences(document: &Document, settings: &PassageSettings) -> Vec<Passage> {
    cut(document, settings, WantedSentences::ToCutBetween)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WantedSentences {
    All,
    /// Of what is too long for one passage.
    ToCutBetween,
}

fn cut(document: &Document, settings: &PassageSettings, wanted: WantedSentences) -> Vec<Passage> {
    let mut cut = Vec::new();
    let mut open: Vec<PassageBlock<'_>> = Vec::new();
    for block in block::blocks(document) {
        if !fits(&open, &block, settings) {
            close(document, settings, wanted, &mut open, &mut cut);
        }
        open.push(block);
    }
    close(document, settings, wanted, &mut open, &mut cut);
    cut
}

/// Whether a block may join those that are open.
fn fits(open: &[PassageBlock<'_>], next: &PassageBlock<'_>, settings: &PassageSettings) -> bool {
    let (Some(first), Some(last)) = (open.first(), open.last()) else {
        return true;
    };
    let so_far = last.span.end.saturating_sub(first.span.start);
    let together = next.span.end.saturating_sub(first.span.start);
    // Nothing but white space stands between them: no heading, no other section.
    let adjoin = next.after == Some(last.last);
    let short_end = next.ends_section && next.span.len() < settings.passage_min_chars;
    // Program text shows what was said before it.
    let shown = next.first.role == ParagraphRole::Code;
    let wanted = so_far < settings.passage_wanted_chars || short_end || shown;
    adjoin && wanted && together <= settings.passage_max_chars && first.cites == next.cites
}

fn close(
    document: &Document,
    settings: &PassageSettings,
    wanted: WantedSentences,
    open: &mut Vec<PassageBlock<'_>>,
    cut: &mut Vec<Passage>,
) {
    let (Some(first), Some(last)) = (open.first(), open.last()) else {
        return;
    };
    let paragraph = first.first;
    let whole = Span::new(first.span.start, last.span.end).trimmed(&document.text);
    let blocks = std::mem::take(open);
    let one = wanted == WantedSentences::ToCutBetween && whole.len() <= settings.passage_max_chars;
    let sentences: Vec<Span> = if one {
        vec![whole]
    } else {
        let of_blocks = blocks.iter().flat_map(|block| block.sentences(document));
        of_blocks.collect()
    };
    let references = blocks.iter().all(|block| block.cites);
    let trail: Vec<String> = document
        .trail(paragraph)
        .into_iter()
        .map(String::from)
        .collect();
    let groups = groups(document, &sentences, settings);
    for (nth, group) in groups.into_iter().enumerate() {
        let (Some(begin), Some(end)) = (group.first(), group.last()) else {
            continue;
        };
        let span = Span::new(begin.start, end.end);
        cut.push(Passage {
            id: PassageId(format!("{}-{nth}", paragraph.id)),
            span,
            sentences: group.to_vec(),
            sections: trail.clone(),
            page: document.page_at(begin.start).or(paragraph.page),
            paragraph: beginning(document, span, paragraph),
            needs: blocks
                .iter()
                .filter_map(|block| block.lead_of(span))
                .collect(),
            references,
        });
    }
}

/// Runs of sentences within the limit. What is too long as a whole is cut between paragraphs, such as the items of a
/// list, once there is enough; within a paragraph only at the limit. A last run that is too short to stand alone goes
/// to the one before.
fn groups<'s>(
    document: &Document,
    sentences: &'s [Span],
    settings: &PassageSettings,
) -> Vec<&'s [Span]> {
    let (Some(first), Some(last)) = (sentences.first(), sentences.last()) else {
        return Vec::new();
    };
    if last.end.saturating_sub(first.start) <= settings.passage_max_chars {
        return vec![sentences];
    }
    let paragraphs = &document.paragraphs;
    let begins_paragraph = |at: usize| {
        let found = paragraphs.binary_search_by_key(&at, |p| p.span.start);
        let found = found.ok().and_then(|at| paragraphs.get(at));
        found.is_some_and(|paragraph| paragraph.role != ParagraphRole::Code)
    };
    let mut groups = Vec::new();
    let mut begun = 0;
    for (nth, span) in sentences.iter().enumerate().skip(1) {
        let start = sentences.get(begun).map_or(span.start, |first| first.start);
        let so_far = span.start.saturating_sub(start);
        let enough = so_far >= settings.passage_wanted_chars && begins_paragraph(span.start);
        let beyond = span.end.saturating_sub(start) > settings.passage_max_chars;
        let short_rest = last.end.saturating_sub(span.start) < settings.passage_min_chars;
        if nth > begun && (enough || beyond) && !short_rest {
            groups.extend(sentences.get(begun..nth));
            begun = nth;
        }
    }
    groups.extend(sentences.get(begun..).filter(|rest| !rest.is_empty()));
    groups
}

/// The name of the paragraph in which a passage begins.
fn beginning(document: &Document, span: Span, first: &Paragraph) -> ParagraphId {
    let paragraphs = &document.paragraphs;
    let after = paragraphs.partition_point(|paragraph| paragraph.span.start <= span.start);
    let found = after.checked_sub(1).and_then(|at| paragraphs.get(at));
    found.unwrap_or(first).id.clone()
}

#[cfg(test)]
mod tests;
