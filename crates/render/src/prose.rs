//! The prose of a report, taken apart into the few forms that a report may hold.
//!
//! Takes the Markdown that a reasoner wrote; gives blocks of inlines, with citations found. What is not among these
//! forms does not get through: raw HTML is text, an image is its description, a heading is a line of its own that is no
//! heading of the report, a link to anything but a web or mail address is its words. So whatever a format writes from
//! these blocks has only the structure that it means to have.

mod events;
mod matching;

use std::iter::Peekable;
use std::vec::IntoIter;

use fathom_evidence::claim::citations;
use pulldown_cmark::{Event, LinkType, Tag};

use super::clean;
pub(super) use matching::claims_of;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProseBlock {
    Paragraph(Vec<ProseInline>),
    /// A heading that the prose brought along.
    Lead(Vec<ProseInline>),
    List {
        /// The number of the first item, where items are numbered.
        first: Option<u64>,
        items: Vec<Vec<ProseBlock>>,
    },
    Quote(Vec<ProseBlock>),
    Code(String),
    /// Rows of cells; the first row is the head.
    Table(Vec<Vec<Vec<ProseInline>>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProseInline {
    Text(String),
    Strong(Vec<ProseInline>),
    Emphasis(Vec<ProseInline>),
    Code(String),
    Link { to: String, text: Vec<ProseInline> },
    Cite(Vec<u32>),
    Break,
}

pub(super) fn parse(text: &str) -> Vec<ProseBlock> {
    let text = clean::lines(text);
    let mut reader = ProseReader {
        events: events::read(&text).into_iter().peekable(),
    };
    let mut blocks = Vec::new();
    // A stray end cannot come from the parser, but must not end the text if it did.
    while reader.events.peek().is_some() {
        blocks.extend(reader.blocks());
    }
    blocks
}

/// Reads balanced events, which [`events::read`] has made shallow: each method ends behind the end of what it reads.
struct ProseReader<'t> {
    events: Peekable<IntoIter<Event<'t>>>,
}

impl<'t> ProseReader<'t> {
    fn blocks(&mut self) -> Vec<ProseBlock> {
        let mut done = Vec::new();
        let mut loose = Vec::new();
        while let Some(event) = self.events.next() {
            let block = match event {
                Event::End(_) => break,
                Event::Start(tag) => match self.block(tag, &mut loose) {
                    Some(block) => block,
                    None => continue,
                },
                other => {
                    self.inline(other, &mut loose);
                    continue;
                }
            };
            flush(&mut loose, &mut done);
            if !is_empty(&block) {
                done.push(block);
            }
        }
        flush(&mut loose, &mut done);
        done
    }

    /// A block, or nothing where the tag opens an inline, which then is added to the loose ones.
    fn block(&mut self, tag: Tag<'t>, loose: &mut Vec<ProseInline>) -> Option<ProseBlock> {
        Some(match tag {
            Tag::Paragraph => ProseBlock::Paragraph(self.inlines()),
            Tag::Heading { .. } => ProseBlock::Lead(self.inlines()),
            Tag::BlockQuote(_) => ProseBlock::Quote(self.blocks()),
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                let html = matches!(tag, Tag::HtmlBlock);
                let text = self.raw();
                if html {
                    ProseBlock::Paragraph(cited(clean::line(&text)))
                } else {
                    ProseBlock::Code(text)
                }
            }
            Tag::List(first) => {
                let mut items = self.items();
                // An empty item counts where items are counted.
                if first.is_none() {
                    items.retain(|item| !item.is_empty());
                }
                ProseBlock::List { first, items }
            }
            Tag::Table(_) => ProseBlock::Table(self.rows()),
            other => {
                self.inline(Event::Start(other), loose);
                return None;
            }
        })
    }

    fn items(&mut self) -> Vec<Vec<ProseBlock>> {
        let mut items = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::End(_) => break,
                Event::Start(_) => items.push(self.blocks()),
                _ => {}
            }
        }
        items
    }

    fn rows(&mut self) -> Vec<Vec<Vec<ProseInline>>> {
        let mut rows = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::End(_) => break,
                Event::Start(_) => rows.push(self.cells()),
                _ => {}
            }
        }
        rows
    }

    fn cells(&mut self) -> Vec<Vec<ProseInline>> {
        let mut cells = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::End(_) => break,
                Event::Start(_) => cells.push(self.inlines()),
                _ => {}
            }
        }
        cells
    }

    fn inlines(&mut self) -> Vec<ProseInline> {
        let mut inlines = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::End(_) => break,
                other => self.inline(other, &mut inlines),
            }
        }
        inlines
    }

    fn inline(&mut self, event: Event<'t>, into: &mut Vec<ProseInline>) {
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                let text = self.with_following(text.into_string());
                into.extend(cited(text));
            }
            Event::Code(code) => into.push(ProseInline::Code(clean::line(&code))),
            Event::HardBreak => into.push(ProseInline::Break),
            Event::Start(Tag::Strong) => into.push(ProseInline::Strong(self.inlines())),
            Event::Start(Tag::Emphasis) => into.push(ProseInline::Emphasis(self.inlines())),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                let text = self.inlines();
                match clean::link(&address(link_type, &dest_url)) {
                    Some(to) => into.push(ProseInline::Link { to, text }),
                    None => into.extend(text),
                }
            }
            Event::Start(_) => {
                let text = self.inlines();
                into.extend(text);
            }
            _ => {}
        }
    }

    /// Text that the parser gave in pieces, as one: a citation must not be cut in two.
    fn with_following(&mut self, mut text: String) -> String {
        while let Some(Event::Text(_) | Event::Html(_) | Event::InlineHtml(_) | Event::SoftBreak) =
            self.events.peek()
        {
            match self.events.next() {
                Some(Event::Text(more) | Event::Html(more) | Event::InlineHtml(more)) => {
                    text.push_str(&more);
                }
                _ => text.push(' '),
            }
        }
        text.replace('\n', " ")
    }

    fn raw(&mut self) -> String {
        let mut text = String::new();
        for event in self.events.by_ref() {
            match event {
                Event::End(_) => break,
                Event::Text(more) | Event::Html(more) => text.push_str(&more),
                _ => {}
            }
        }
        text
    }
}

fn address(link_type: LinkType, to: &str) -> String {
    match link_type {
        LinkType::Email => format!("mailto:{to}"),
        _ => to.to_owned(),
    }
}

fn flush(loose: &mut Vec<ProseInline>, done: &mut Vec<ProseBlock>) {
    let block = ProseBlock::Paragraph(std::mem::take(loose));
    if !is_empty(&block) {
        done.push(block);
    }
}

fn is_empty(block: &ProseBlock) -> bool {
    match block {
        ProseBlock::Paragraph(inlines) | ProseBlock::Lead(inlines) => blank(inlines),
        ProseBlock::List { items, .. } => items.iter().all(Vec::is_empty),
        ProseBlock::Quote(blocks) => blocks.is_empty(),
        ProseBlock::Code(code) => code.trim().is_empty(),
        ProseBlock::Table(rows) => rows.is_empty(),
    }
}

/// Whether inlines show nothing.
pub(super) fn blank(inlines: &[ProseInline]) -> bool {
    inlines.iter().all(|inline| match inline {
        ProseInline::Text(text) | ProseInline::Code(text) => text.trim().is_empty(),
        ProseInline::Strong(inner) | ProseInline::Emphasis(inner) => blank(inner),
        ProseInline::Link { text, .. } => blank(text),
        ProseInline::Cite(_) => false,
        ProseInline::Break => true,
    })
}

/// A line of plain text with the citations in it.
pub(super) fn cited(text: String) -> Vec<ProseInline> {
    let mut inlines = Vec::new();
    let mut from = 0;
    for bracket in citations(&text) {
        let before = text.get(from..bracket.span.start).unwrap_or_default();
        if !before.is_empty() {
            inlines.push(ProseInline::Text(before.to_owned()));
        }
        inlines.push(ProseInline::Cite(bracket.ids));
        from = bracket.span.end;
    }
    let rest = text.get(from..).unwrap_or_default();
    if !rest.is_empty() {
        inlines.push(ProseInline::Text(rest.to_owned()));
    }
    inlines
}

#[cfg(test)]
mod tests;
