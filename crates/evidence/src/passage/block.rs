//! Paragraphs that belong together: a list with its lead-in, a table with its caption.

use super::references;
use crate::document::{Paragraph, ParagraphRole};
use crate::{Document, Span, sentences};

/// What goes with the sentence that leads into it: a list, and the program text that an item or a sentence shows.
const ITEMS: &[ParagraphRole] = &[ParagraphRole::ListItem, ParagraphRole::Code];

/// One paragraph, or several of which none is understood without the first.
pub(super) struct PassageBlock<'d> {
    pub(super) first: &'d Paragraph,
    pub(super) span: Span,
    /// Its paragraphs.
    parts: &'d [Paragraph],
    /// What a further part of it needs to be understood.
    lead: Vec<Span>,
    /// The place of its last paragraph among those of the document.
    pub(super) last: usize,
    /// The paragraph right before it in the same section; none when a heading stands between.
    pub(super) after: Option<usize>,
    pub(super) ends_section: bool,
    /// Whether it lists what the document cites.
    pub(super) cites: bool,
}

impl PassageBlock<'_> {
    /// Where the sentences of its paragraphs stand.
    pub(super) fn sentences(&self, document: &Document) -> impl Iterator<Item = Span> {
        let parts = self.parts.iter();
        parts.flat_map(|part| sentences_of(document, part))
    }

    /// What a passage needs of this block when it begins inside it, past its head.
    pub(super) fn lead_of(&self, passage: Span) -> Option<Span> {
        let head = Span::new(self.lead.first()?.start, self.lead.last()?.end);
        let inside = passage.start < self.span.end && self.span.start < passage.end;
        (inside && head.end <= passage.start).then_some(head)
    }
}

/// The blocks of a document in reading order, without its headings.
pub(super) fn blocks(document: &Document) -> Vec<PassageBlock<'_>> {
    let cites = references::marked(document);
    let paragraphs = &document.paragraphs;
    let mut blocks: Vec<PassageBlock<'_>> = Vec::new();
    let mut at = 0;
    while let Some(first) = paragraphs.get(at) {
        let count = together(document, &paragraphs[at..]).max(1);
        let parts = &paragraphs[at..at + count];
        let last = at + count - 1;
        if first.role != ParagraphRole::Heading && document.at(first.span).is_some() {
            let before = at.checked_sub(1).and_then(|before| paragraphs.get(before));
            let joins = |other: &Paragraph| {
                other.role != ParagraphRole::Heading && other.section == first.section
            };
            blocks.push(PassageBlock {
                first,
                span: Span::new(first.span.start, parts.last().map_or(first, |p| p).span.end),
                parts,
                lead: lead(document, parts),
                last,
                after: before.filter(|p| joins(p)).and(at.checked_sub(1)),
                ends_section: !paragraphs.get(last + 1).is_some_and(joins),
                cites: cites.get(at).copied().unwrap_or(false),
            });
        }
        at += count;
    }
    blocks
}

/// How many of the paragraphs, from the first on, make one block.
fn together(document: &Document, rest: &[Paragraph]) -> usize {
    let Some(first) = rest.first() else {
        return 0;
    };
    let role = |nth: usize| {
        rest.get(nth)
            .filter(|p| p.section == first.section)
            .map(|p| p.role)
    };
    let run = |from: usize, wanted: &[ParagraphRole]| {
        (from..)
            .take_while(|nth| role(*nth).is_some_and(|role| wanted.contains(&role)))
            .count()
    };
    match first.role {
        ParagraphRole::Body | ParagraphRole::Quote if leads_in(document, first) => {
            1 + run(1, ITEMS)
        }
        ParagraphRole::Caption => 1 + run(1, &[ParagraphRole::TableRow]),
        ParagraphRole::TableRow => {
            let rows = run(0, &[ParagraphRole::TableRow]);
            // A caption below its table; one that has a table of its own after it goes with that.
            let below = role(rows) == Some(ParagraphRole::Caption)
                && role(rows + 1) != Some(ParagraphRole::TableRow);
            rows + usize::from(below)
        }
        // Several terms may share one definition.
        ParagraphRole::Term => {
            let terms = run(0, &[ParagraphRole::Term]);
            terms + run(terms, ITEMS)
        }
        ParagraphRole::ListItem => run(0, ITEMS),
        ParagraphRole::Heading
        | ParagraphRole::Body
        | ParagraphRole::Quote
        | ParagraphRole::Code => 1,
    }
}

fn leads_in(document: &Document, paragraph: &Paragraph) -> bool {
    let text = document.at(paragraph.span).unwrap_or_default();
    text.ends_with([':', '：'])
}

/// What the later parts of a block need: the lead-in's last sentence, or caption and head row.
fn lead(document: &Document, parts: &[Paragraph]) -> Vec<Span> {
    let Some((first, rest)) = parts.split_first() else {
        return Vec::new();
    };
    match (first.role, rest.first()) {
        (ParagraphRole::Body | ParagraphRole::Quote, Some(_)) => sentences_of(document, first)
            .last()
            .copied()
            .into_iter()
            .collect(),
        (ParagraphRole::Caption, Some(head)) => vec![first.span, head.span],
        (ParagraphRole::TableRow | ParagraphRole::Term, Some(_)) => vec![first.span],
        _ => Vec::new(),
    }
}

/// A row of a table, a term or a block of code is not prose: it stays whole.
fn sentences_of(document: &Document, paragraph: &Paragraph) -> Vec<Span> {
    let Some(text) = document.at(paragraph.span) else {
        return Vec::new();
    };
    match paragraph.role {
        ParagraphRole::TableRow | ParagraphRole::Term | ParagraphRole::Code => {
            vec![paragraph.span.trimmed(&document.text)]
        }
        ParagraphRole::Heading
        | ParagraphRole::Body
        | ParagraphRole::ListItem
        | ParagraphRole::Caption
        | ParagraphRole::Quote => {
            let found = sentences(text, document.language());
            found
                .iter()
                .map(|span| span.moved(paragraph.span.start))
                .collect()
        }
    }
}
