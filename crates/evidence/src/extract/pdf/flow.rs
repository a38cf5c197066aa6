//! Makes one text of the items of all pages: paragraphs that go on, sections with their levels.

use std::collections::VecDeque;

use super::items::{ItemKind, PageItem};
use crate::document::ParagraphRole;
use crate::extract::pieces::Pieces;
use crate::extract::wrap;

/// Footnotes, figures and tables that may stand between two halves of a paragraph.
const BETWEEN_MAX: usize = 8;

/// A paragraph, its parts with the pages on which they stand.
struct OpenParagraph {
    kind: ItemKind,
    parts: Vec<(u32, String)>,
}

/// Writes all items. `pages` are the numbers of all pages, those without text among them.
pub(super) fn write(items: Vec<PageItem>, pages: impl Iterator<Item = u32>, pieces: &mut Pieces) {
    let has_title = has_title(&items);
    let mut pages = pages.peekable();
    for paragraph in joined(items) {
        let Some(first) = paragraph.parts.first().map(|(page, _)| *page) else {
            continue;
        };
        while let Some(number) = pages.next_if(|number| *number <= first) {
            pieces.page(number);
        }
        write_one(&paragraph, has_title, pieces);
        let last = paragraph.parts.last().map_or(first, |(page, _)| *page);
        while pages.next_if(|number| *number <= last).is_some() {}
    }
    pages.for_each(|number| pieces.page(number));
}

fn write_one(paragraph: &OpenParagraph, has_title: bool, pieces: &mut Pieces) {
    let text = paragraph
        .parts
        .first()
        .map_or("", |(_, text)| text.as_str());
    match paragraph.kind {
        ItemKind::Heading(size) => pieces.heading(level(text, size, has_title), text),
        ItemKind::Body => pieces.over_pages(ParagraphRole::Body, &paragraph.parts),
        ItemKind::ListItem => {
            pieces.piece(
                ParagraphRole::ListItem,
                wrap::list_item(text).unwrap_or(text),
            );
        }
        ItemKind::Caption => pieces.piece(ParagraphRole::Caption, text),
        ItemKind::TableRow => pieces.piece(ParagraphRole::TableRow, text),
        ItemKind::Code => pieces.piece(ParagraphRole::Code, text),
    }
}

/// Whether the text opens with a heading that is not a section's: sections stand under it then.
fn has_title(items: &[PageItem]) -> bool {
    let first = items
        .iter()
        .find(|item| matches!(item.kind, ItemKind::Heading(_)));
    first.is_some_and(|item| wrap::heading_level(&item.text).is_none())
}

/// A number tells the level best; without one, the size of the letters does.
fn level(title: &str, size: u8, has_title: bool) -> u8 {
    let under = u8::from(has_title);
    match wrap::heading_level(title) {
        Some(depth) => depth + under,
        None => size.max(1),
    }
}

/// Puts paragraphs together that were cut by the end of a column or page.
fn joined(items: Vec<PageItem>) -> Vec<OpenParagraph> {
    let mut rest: VecDeque<PageItem> = items.into();
    let mut done: Vec<OpenParagraph> = Vec::new();
    while let Some(item) = rest.pop_front() {
        let mut paragraph = OpenParagraph {
            kind: item.kind,
            parts: vec![(item.page, item.text)],
        };
        let mut between: Vec<PageItem> = Vec::new();
        while let Some(at) = continuation(&paragraph, &rest) {
            between.extend(rest.drain(..at));
            if let Some(next) = rest.pop_front() {
                paragraph.parts.push((next.page, next.text));
            }
        }
        // What stood between keeps its page: before the paragraph if it is on the first one.
        let first = paragraph.parts.first().map_or(0, |(page, _)| *page);
        let (before, after): (Vec<PageItem>, Vec<PageItem>) =
            between.into_iter().partition(|item| item.page == first);
        done.extend(before.into_iter().map(alone));
        done.push(paragraph);
        done.extend(after.into_iter().map(alone));
    }
    done
}

fn alone(item: PageItem) -> OpenParagraph {
    OpenParagraph {
        kind: item.kind,
        parts: vec![(item.page, item.text)],
    }
}

/// Where the paragraph goes on, if it does: on the same page or the next.
fn continuation(paragraph: &OpenParagraph, rest: &VecDeque<PageItem>) -> Option<usize> {
    let (page, text) = paragraph.parts.last()?;
    if paragraph.kind != ItemKind::Body || !breaks_off(text) {
        return None;
    }
    for (at, item) in rest.iter().enumerate().take(BETWEEN_MAX) {
        let goes_on = item.text.starts_with(char::is_lowercase);
        match item.kind {
            _ if item.page > page + 1 => return None,
            ItemKind::Body if goes_on => return Some(at),
            ItemKind::Body if is_footnote(&item.text) => {}
            ItemKind::Caption | ItemKind::TableRow => {}
            ItemKind::Body | ItemKind::Heading(_) | ItemKind::ListItem | ItemKind::Code => {
                return None;
            }
        }
    }
    None
}

/// Ends inside a sentence.
fn breaks_off(text: &str) -> bool {
    let long = text.split_whitespace().count() >= 8 && !is_footnote(text);
    long && text
        .ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-' | '\u{2010}' | '(' | ';'))
}

/// Begins with a raised number that is glued to its first word.
fn is_footnote(text: &str) -> bool {
    let word = text.trim_start_matches(|c: char| c.is_ascii_digit() || "*†‡§".contains(c));
    word.len() < text.len() && text.len() - word.len() <= 4 && word.starts_with(char::is_alphabetic)
}
