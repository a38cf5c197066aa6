//! What stands on the pages of a PDF, one item after the other.

use unpdf::{Block, Paragraph};

use crate::extract::clean;
use crate::extract::wrap::{self, WrapWords};

/// A longer "heading" is a paragraph in large letters.
const HEADING_MAX_WORDS: usize = 20;

/// One item of a page, in reading order.
#[derive(Clone, Debug)]
pub(super) struct PageItem {
    pub(super) page: u32,
    pub(super) kind: ItemKind,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// With the level that its letters' size suggests.
    Heading(u8),
    Body,
    ListItem,
    Caption,
    TableRow,
    Code,
}

pub(super) fn page_items(pdf: &unpdf::Document) -> Vec<PageItem> {
    let mut items = Vec::new();
    for page in &pdf.pages {
        for block in &page.elements {
            read(block, page.number, &mut items);
        }
    }
    items.retain(|item| item.text.chars().any(char::is_alphanumeric));
    items
}

fn read(block: &Block, page: u32, items: &mut Vec<PageItem>) {
    let mut add = |kind, text: &str| {
        let text = match kind {
            ItemKind::Code => clean::lines(text),
            _ => clean::line(text),
        };
        items.push(PageItem { page, kind, text });
    };
    match block {
        Block::Paragraph(paragraph) => {
            let text = paragraph.plain_text();
            add(kind(paragraph, &text), &text);
        }
        Block::Table(table) => {
            for row in &table.rows {
                let cell = |paragraphs: &[Paragraph]| {
                    let texts = paragraphs
                        .iter()
                        .map(|paragraph| clean::line(&paragraph.plain_text()));
                    texts.collect::<Vec<_>>().join(" ")
                };
                let cells = row.cells.iter().map(|of| cell(&of.content));
                let filled: Vec<String> = cells.filter(|cell| !cell.trim().is_empty()).collect();
                add(ItemKind::TableRow, &filled.join(" | "));
            }
            add(
                ItemKind::Caption,
                table.caption.as_deref().unwrap_or_default(),
            );
        }
        Block::Code { content } => add(ItemKind::Code, content),
        Block::Raw { content } => add(ItemKind::Body, content),
        Block::Image { .. } | Block::HorizontalRule | Block::PageBreak | Block::SectionBreak => {}
    }
}

fn kind(paragraph: &Paragraph, text: &str) -> ItemKind {
    let text = text.trim();
    if wrap::is_caption(text) {
        return ItemKind::Caption;
    }
    // Dots that lead to a page number make a line of a table of contents.
    let leads = text.contains("....") || text.contains(". . . .");
    let short = text.split_whitespace().count() <= HEADING_MAX_WORDS && !leads;
    if let Some(level) = paragraph.style.heading_level.filter(|_| short) {
        return ItemKind::Heading(level);
    }
    if short && wrap::heading_level(text).is_some() {
        return ItemKind::Heading(2);
    }
    if paragraph.style.list_info.is_some() || wrap::list_item(text).is_some() {
        return ItemKind::ListItem;
    }
    ItemKind::Body
}

/// Puts together the words that were broken at the ends of lines.
pub(super) fn join_split_words(items: &mut [PageItem]) {
    let all: Vec<String> = items.iter().map(|item| item.text.clone()).collect();
    let all = all.join("\n");
    let words = WrapWords::new(&all);
    for item in items.iter_mut().filter(|item| item.kind != ItemKind::Code) {
        if item.text.contains("- ") || item.text.contains("\u{2010} ") {
            item.text = wrap::join(item.text.split(' '), &words);
        }
    }
}

/// The title as the first page shows it: its largest heading.
pub(super) fn title(items: &[PageItem]) -> Option<String> {
    let first = items.first()?.page;
    let headings = items
        .iter()
        .take_while(|item| item.page == first)
        .filter_map(|item| match item.kind {
            ItemKind::Heading(level) if wrap::heading_level(&item.text).is_none() => {
                Some((level, item))
            }
            _ => None,
        });
    // The first of the largest wins.
    headings
        .min_by_key(|(level, _)| *level)
        .map(|(_, item)| item.text.clone())
}
