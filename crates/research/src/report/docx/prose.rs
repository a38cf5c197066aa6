//! Prose blocks as paragraphs, with each citation leading to its reference.

use super::body::{BULLETS, Body, COLUMNS_MAX, Face, Listed, Style};
use crate::report::prose::{Block, Inline, cited, parse};
use crate::report::{Report, clean};
use crate::source::SourceId;

pub(super) fn write(body: &mut Body, report: &Report, text: &str) {
    for block in parse(text) {
        one(body, report, &block, Style::Text, None);
    }
}

/// A plain sentence of ours, which may cite sources.
pub(super) fn sentence(body: &mut Body, report: &Report, plain: &str, face: Face) {
    inlines(body, report, &cited(clean::line(plain)), face);
}

pub(super) fn cite(body: &mut Body, report: &Report, id: u32, face: Face) {
    match report.source(SourceId(id)) {
        Some(source) => {
            let hint = clean::name(source.name());
            body.leap(&bookmark(id), &hint, &id.to_string(), face);
        }
        // A number that no source has is never shown as one.
        None => body.run("?", face),
    }
}

/// The name of a reference's place.
pub(super) fn bookmark(source: u32) -> String {
    format!("source{source}")
}

fn one(body: &mut Body, report: &Report, block: &Block, style: Style, listed: Option<Listed>) {
    match block {
        Block::Paragraph(words) => {
            body.open(style, listed);
            inlines(body, report, words, Face::PLAIN);
            body.close();
        }
        Block::Lead(words) => {
            body.open(Style::Lead, None);
            inlines(body, report, words, Face::PLAIN);
            body.close();
        }
        Block::Quote(blocks) => {
            for block in blocks {
                one(body, report, block, Style::Quote, listed);
            }
        }
        Block::Code(code) => {
            body.open(Style::Code, listed);
            for (at, line) in code.trim_end().lines().enumerate() {
                if at > 0 {
                    body.line_break();
                }
                body.run(line, Face::PLAIN);
            }
            body.close();
        }
        Block::List { first, items } => list(body, report, *first, items, listed),
        Block::Table(rows) => table(body, report, rows),
    }
}

/// The first block of an item carries its mark; the rest stand under it.
fn list(
    body: &mut Body,
    report: &Report,
    first: Option<u64>,
    items: &[Vec<Block>],
    around: Option<Listed>,
) {
    let list = match first {
        Some(first) => body.numbered(first),
        None => BULLETS,
    };
    let depth = around.map_or(0, |around| around.depth + 1);
    for item in items {
        for (at, block) in item.iter().enumerate() {
            let marked = at == 0 || matches!(block, Block::List { .. });
            let listed = marked.then_some(Listed { list, depth });
            one(body, report, block, Style::Text, listed);
        }
    }
}

fn table(body: &mut Body, report: &Report, rows: &[Vec<Vec<Inline>>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
    if columns > COLUMNS_MAX {
        return lines(body, report, rows);
    }
    body.table(rows.len(), columns, |body, row, column| {
        let cell = rows.get(row).and_then(|row| row.get(column));
        let face = if row == 0 { Face::STRONG } else { Face::PLAIN };
        inlines(body, report, cell.map_or(&[][..], Vec::as_slice), face);
    });
}

/// A table that is too wide for Word, a paragraph for each row.
fn lines(body: &mut Body, report: &Report, rows: &[Vec<Vec<Inline>>]) {
    for (at, row) in rows.iter().enumerate() {
        let face = if at == 0 { Face::STRONG } else { Face::PLAIN };
        body.open(Style::Text, None);
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                body.run(" | ", face);
            }
            inlines(body, report, cell, face);
        }
        body.close();
    }
}

fn inlines(body: &mut Body, report: &Report, all: &[Inline], face: Face) {
    for inline in all {
        match inline {
            Inline::Text(words) => body.run(words, face),
            Inline::Strong(inner) => {
                let strong = true;
                inlines(body, report, inner, Face { strong, ..face });
            }
            Inline::Emphasis(inner) => {
                let slanted = true;
                inlines(body, report, inner, Face { slanted, ..face });
            }
            Inline::Code(words) => body.run(words, Face { code: true, ..face }),
            Inline::Link { to, text } => {
                let words = plain(text);
                let shown = if words.trim().is_empty() { to } else { &words };
                body.link(to, shown, face);
            }
            Inline::Cite(ids) => citations(body, report, ids, face),
            Inline::Break => body.line_break(),
        }
    }
}

/// The numbers of one bracket in one bracket again.
fn citations(body: &mut Body, report: &Report, ids: &[u32], face: Face) {
    body.run("[", face);
    for (at, id) in ids.iter().enumerate() {
        if at > 0 {
            body.run(", ", face);
        }
        cite(body, report, *id, face);
    }
    body.run("]", face);
}

/// The words of a link.
fn plain(inlines: &[Inline]) -> String {
    let mut words = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => words.push_str(text),
            Inline::Strong(inner) | Inline::Emphasis(inner) => words.push_str(&plain(inner)),
            Inline::Link { text, .. } => words.push_str(&plain(text)),
            Inline::Cite(_) => {}
            Inline::Break => words.push(' '),
        }
    }
    words
}
