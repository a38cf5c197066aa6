//! Prose blocks as paragraphs, with each citation leading to its reference.

use super::body::{BULLETS, COLUMNS_MAX, DocxBody, ListPosition, ParagraphStyle, RunFormat};
use crate::prose::{ProseBlock, ProseInline, parse};
use crate::{Report, clean, references, written};

pub(super) fn write(body: &mut DocxBody<'_>, text: &str) {
    blocks(body, &parse(text));
}

pub(super) fn blocks(body: &mut DocxBody<'_>, blocks: &[ProseBlock]) {
    all(body, blocks, ParagraphStyle::Text, ListPosition::Free);
}

/// The list of sources, each at a place that citations lead to.
pub(super) fn references(body: &mut DocxBody<'_>, report: &Report) {
    let list = body.numbered(1);
    let position = ListPosition::Marked {
        list,
        depth: 0,
        quoted: false,
    };
    for reference in references::references(report) {
        body.open(ParagraphStyle::Text, position);
        body.bookmark(&bookmark(reference.source.0));
        inlines(body, &written::reference(&reference), RunFormat::PLAIN);
        body.close();
    }
}

fn cite(body: &mut DocxBody<'_>, id: u32, format: RunFormat) {
    match body.sources.iter().find(|source| source.number.0 == id) {
        Some(source) => {
            let hint = clean::name(source.name());
            body.leap(&bookmark(id), &hint, &id.to_string(), format);
        }
        // A number that no source has is never shown as one.
        None => body.run("?", format),
    }
}

/// The name of a reference's place.
fn bookmark(source: u32) -> String {
    format!("source{source}")
}

/// Blocks one under another; where the first of them has a mark, the others have none.
fn all(
    body: &mut DocxBody<'_>,
    blocks: &[ProseBlock],
    style: ParagraphStyle,
    mut position: ListPosition,
) {
    for block in blocks {
        one(body, block, style, position);
        position = position.after();
    }
}

fn one(body: &mut DocxBody<'_>, block: &ProseBlock, style: ParagraphStyle, position: ListPosition) {
    match block {
        ProseBlock::Paragraph(words) => paragraph(body, words, style, position),
        ProseBlock::Lead(words) => paragraph(body, words, ParagraphStyle::Lead, position),
        ProseBlock::Quote(blocks) => all(body, blocks, ParagraphStyle::Quote, position),
        ProseBlock::Code(code) => {
            body.open(ParagraphStyle::Code, position);
            for (at, line) in code.trim_end().lines().enumerate() {
                if at > 0 {
                    body.line_break();
                }
                body.run(line, RunFormat::PLAIN);
            }
            body.close();
        }
        ProseBlock::List { first, items } => {
            mark_alone(body, style, position);
            let list = match first {
                Some(first) => body.numbered(*first),
                None => BULLETS,
            };
            let depth = position.deeper();
            for item in items {
                let position = ListPosition::Marked {
                    list,
                    depth,
                    quoted: style == ParagraphStyle::Quote,
                };
                match item.as_slice() {
                    [] => mark_alone(body, style, position),
                    blocks => all(body, blocks, style, position),
                }
            }
        }
        ProseBlock::Table(rows) => {
            // A row of a table that is too wide for one is a paragraph, and has the mark itself.
            if columns(rows) <= COLUMNS_MAX {
                mark_alone(body, style, position);
                table(body, rows, position);
            } else {
                lines(body, rows, style, position);
            }
        }
    }
}

pub(super) fn paragraph(
    body: &mut DocxBody<'_>,
    words: &[ProseInline],
    style: ParagraphStyle,
    position: ListPosition,
) {
    body.open(style, position);
    inlines(body, words, RunFormat::PLAIN);
    body.close();
}

/// The mark of an item that has no words beside it: an empty item, or one that begins with a table or another list.
fn mark_alone(body: &mut DocxBody<'_>, style: ParagraphStyle, position: ListPosition) {
    if let ListPosition::Marked { .. } = position {
        body.open(style, position);
        body.close();
    }
}

fn columns(rows: &[Vec<Vec<ProseInline>>]) -> usize {
    rows.iter().map(Vec::len).max().unwrap_or(0).max(1)
}

fn table(body: &mut DocxBody<'_>, rows: &[Vec<Vec<ProseInline>>], position: ListPosition) {
    body.table(position, rows.len(), columns(rows), |body, row, column| {
        let cell = rows.get(row).and_then(|row| row.get(column));
        let format = if row == 0 {
            RunFormat::STRONG
        } else {
            RunFormat::PLAIN
        };
        inlines(body, cell.map_or(&[][..], Vec::as_slice), format);
    });
}

/// A table that is too wide for Word, a paragraph for each row.
fn lines(
    body: &mut DocxBody<'_>,
    rows: &[Vec<Vec<ProseInline>>],
    style: ParagraphStyle,
    mut position: ListPosition,
) {
    for (at, row) in rows.iter().enumerate() {
        let format = if at == 0 {
            RunFormat::STRONG
        } else {
            RunFormat::PLAIN
        };
        body.open(style, position);
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                body.run(" | ", format);
            }
            inlines(body, cell, format);
        }
        body.close();
        position = position.after();
    }
}

fn inlines(body: &mut DocxBody<'_>, all: &[ProseInline], format: RunFormat) {
    for inline in all {
        match inline {
            ProseInline::Text(words) => body.run(words, format),
            ProseInline::Strong(inner) => {
                let strong = true;
                inlines(body, inner, RunFormat { strong, ..format });
            }
            ProseInline::Emphasis(inner) => {
                let slanted = true;
                inlines(body, inner, RunFormat { slanted, ..format });
            }
            ProseInline::Code(words) => body.run(
                words,
                RunFormat {
                    code: true,
                    ..format
                },
            ),
            ProseInline::Link { to, text } => link(body, to, text, format),
            ProseInline::Cite(ids) => citations(body, ids, format),
            ProseInline::Break => body.line_break(),
        }
    }
}

/// The numbers of one bracket in one bracket again.
fn citations(body: &mut DocxBody<'_>, ids: &[u32], format: RunFormat) {
    body.run("[", format);
    for (at, id) in ids.iter().enumerate() {
        if at > 0 {
            body.run(", ", format);
        }
        cite(body, *id, format);
    }
    body.run("]", format);
}

/// A link holds no other, so the citations among its words stand behind it.
fn link(body: &mut DocxBody<'_>, to: &str, text: &[ProseInline], format: RunFormat) {
    let (mut words, mut cites) = (String::new(), Vec::new());
    gather(text, &mut words, &mut cites);
    if !cites.is_empty() {
        words = clean::line(&words);
    }
    let shown = if words.trim().is_empty() { to } else { &words };
    body.link(to, shown, format);
    for ids in cites {
        body.run(" ", format);
        citations(body, ids, format);
    }
}

/// The words of a link, and its citations.
fn gather<'t>(inlines: &'t [ProseInline], words: &mut String, cites: &mut Vec<&'t [u32]>) {
    for inline in inlines {
        match inline {
            ProseInline::Text(text) | ProseInline::Code(text) => words.push_str(text),
            ProseInline::Strong(inner) | ProseInline::Emphasis(inner) => {
                gather(inner, words, cites)
            }
            ProseInline::Link { text, .. } => gather(text, words, cites),
            ProseInline::Cite(ids) => cites.push(ids),
            ProseInline::Break => words.push(' '),
        }
    }
}
