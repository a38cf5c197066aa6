//! Prose blocks as paragraphs, with each citation leading to its reference.

use super::body::{BULLETS, Body, COLUMNS_MAX, Face, Stand, Style};
use crate::prose::{Block, Inline, cited, parse};
use crate::{Report, SourceId, clean};

pub(super) fn write(body: &mut Body, report: &Report, text: &str) {
    all(body, report, &parse(text), Style::Text, Stand::Free);
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

/// Blocks one under another; where the first of them has a mark, the others have none.
fn all(body: &mut Body, report: &Report, blocks: &[Block], style: Style, mut stand: Stand) {
    for block in blocks {
        one(body, report, block, style, stand);
        stand = stand.after();
    }
}

fn one(body: &mut Body, report: &Report, block: &Block, style: Style, stand: Stand) {
    match block {
        Block::Paragraph(words) => paragraph(body, report, words, style, stand),
        Block::Lead(words) => paragraph(body, report, words, Style::Lead, stand),
        Block::Quote(blocks) => all(body, report, blocks, Style::Quote, stand),
        Block::Code(code) => {
            body.open(Style::Code, stand);
            for (at, line) in code.trim_end().lines().enumerate() {
                if at > 0 {
                    body.line_break();
                }
                body.run(line, Face::PLAIN);
            }
            body.close();
        }
        Block::List { first, items } => {
            mark_alone(body, style, stand);
            let list = match first {
                Some(first) => body.numbered(*first),
                None => BULLETS,
            };
            let depth = stand.deeper();
            for item in items {
                let stand = Stand::Marked {
                    list,
                    depth,
                    quoted: style == Style::Quote,
                };
                match item.as_slice() {
                    [] => mark_alone(body, style, stand),
                    blocks => all(body, report, blocks, style, stand),
                }
            }
        }
        Block::Table(rows) => {
            // A row of a table that is too wide for one is a paragraph, and has the mark itself.
            if columns(rows) <= COLUMNS_MAX {
                mark_alone(body, style, stand);
                table(body, report, rows, stand);
            } else {
                lines(body, report, rows, style, stand);
            }
        }
    }
}

fn paragraph(body: &mut Body, report: &Report, words: &[Inline], style: Style, stand: Stand) {
    body.open(style, stand);
    inlines(body, report, words, Face::PLAIN);
    body.close();
}

/// The mark of an item that has no words beside it: an empty item, or one that begins with a table or another list.
fn mark_alone(body: &mut Body, style: Style, stand: Stand) {
    if let Stand::Marked { .. } = stand {
        body.open(style, stand);
        body.close();
    }
}

fn columns(rows: &[Vec<Vec<Inline>>]) -> usize {
    rows.iter().map(Vec::len).max().unwrap_or(0).max(1)
}

fn table(body: &mut Body, report: &Report, rows: &[Vec<Vec<Inline>>], stand: Stand) {
    body.table(stand, rows.len(), columns(rows), |body, row, column| {
        let cell = rows.get(row).and_then(|row| row.get(column));
        let face = if row == 0 { Face::STRONG } else { Face::PLAIN };
        inlines(body, report, cell.map_or(&[][..], Vec::as_slice), face);
    });
}

/// A table that is too wide for Word, a paragraph for each row.
fn lines(
    body: &mut Body,
    report: &Report,
    rows: &[Vec<Vec<Inline>>],
    style: Style,
    mut stand: Stand,
) {
    for (at, row) in rows.iter().enumerate() {
        let face = if at == 0 { Face::STRONG } else { Face::PLAIN };
        body.open(style, stand);
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                body.run(" | ", face);
            }
            inlines(body, report, cell, face);
        }
        body.close();
        stand = stand.after();
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
            Inline::Link { to, text } => link(body, report, to, text, face),
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

/// A link holds no other, so the citations among its words stand behind it.
fn link(body: &mut Body, report: &Report, to: &str, text: &[Inline], face: Face) {
    let (mut words, mut cites) = (String::new(), Vec::new());
    gather(text, &mut words, &mut cites);
    if !cites.is_empty() {
        words = clean::line(&words);
    }
    let shown = if words.trim().is_empty() { to } else { &words };
    body.link(to, shown, face);
    for ids in cites {
        body.run(" ", face);
        citations(body, report, ids, face);
    }
}

/// The words of a link, and its citations.
fn gather<'t>(inlines: &'t [Inline], words: &mut String, cites: &mut Vec<&'t [u32]>) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => words.push_str(text),
            Inline::Strong(inner) | Inline::Emphasis(inner) => gather(inner, words, cites),
            Inline::Link { text, .. } => gather(text, words, cites),
            Inline::Cite(ids) => cites.push(ids),
            Inline::Break => words.push(' '),
        }
    }
}
