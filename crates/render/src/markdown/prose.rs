//! Prose blocks as Markdown.

use super::escape::{append, code, code_block, opening, text};
use crate::prose::{ProseBlock, ProseInline, blank};

/// How a citation is shown, by its number.
type CiteFormat<'a> = &'a dyn Fn(u32) -> String;

pub(super) fn write(blocks: &[ProseBlock], cite: CiteFormat<'_>) -> String {
    let written: Vec<String> = blocks.iter().map(|block| one(block, cite)).collect();
    written.join("\n\n")
}

fn one(block: &ProseBlock, cite: CiteFormat<'_>) -> String {
    match block {
        ProseBlock::Paragraph(inlines) => opening(&line(inlines, cite)),
        ProseBlock::Lead(inlines) => format!("**{}**", line(inlines, cite).replace("**", "")),
        ProseBlock::Quote(blocks) => prefixed(&write(blocks, cite), "> ", "> "),
        ProseBlock::Code(text) => code_block(text),
        ProseBlock::List { first, items } => list(*first, items, cite),
        ProseBlock::Table(rows) => table(rows, cite),
    }
}

fn list(first: Option<u64>, items: &[Vec<ProseBlock>], cite: CiteFormat<'_>) -> String {
    let numbers = first.unwrap_or(1)..;
    let written = numbers.zip(items).map(|(number, item)| {
        let mark = match first {
            Some(_) => format!("{number}. "),
            None => "- ".to_owned(),
        };
        let indent = " ".repeat(mark.len());
        if item.is_empty() {
            return mark.trim_end().to_owned();
        }
        prefixed(&write(item, cite), &mark, &indent)
    });
    written.collect::<Vec<_>>().join("\n")
}

/// Text with one prefix on its first line and another on the rest. Empty lines end in no blanks.
fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let mut out = String::new();
    for (at, line) in text.lines().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let prefix = if at == 0 { first } else { rest };
        out.push_str(format!("{prefix}{line}").trim_end());
    }
    out
}

fn table(rows: &[Vec<Vec<ProseInline>>], cite: CiteFormat<'_>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let cell = |column: usize| {
            let inlines = row.get(column).map_or(&[][..], Vec::as_slice);
            line(inlines, cite)
        };
        let cells: Vec<String> = (0..columns).map(cell).collect();
        lines.push(format!("| {} |", cells.join(" | ")));
        if at == 0 {
            lines.push(format!("|{}", " --- |".repeat(columns)));
        }
    }
    lines.join("\n")
}

/// Inlines in one line.
pub(super) fn line(inlines: &[ProseInline], cite: CiteFormat<'_>) -> String {
    let mut out = String::new();
    for inline in inlines {
        match inline {
            ProseInline::Text(words) => append(&mut out, &text(words)),
            ProseInline::Strong(inner) => marked(&mut out, inner, "**", cite),
            ProseInline::Emphasis(inner) => marked(&mut out, inner, "*", cite),
            // In a table a bar in code would end the cell, so it is written as text there and everywhere.
            ProseInline::Code(words) if words.contains('|') => append(&mut out, &text(words)),
            ProseInline::Code(words) => out.push_str(&code(words)),
            ProseInline::Link { to, text } => link(&mut out, to, text, cite),
            ProseInline::Cite(ids) => append(&mut out, &citations(ids, cite)),
            ProseInline::Break => out.push(' '),
        }
    }
    out
}

/// The numbers of one bracket in one bracket again, those without a source once.
fn citations(ids: &[u32], cite: CiteFormat<'_>) -> String {
    let shown = ids.iter().map(|id| cite(*id));
    let mut shown: Vec<String> = shown
        .map(|shown| shown.trim_matches(['[', ']']).to_owned())
        .collect();
    if shown.iter().any(|number| number != "?") {
        shown.retain(|number| number != "?");
    }
    shown.dedup();
    format!("[{}]", shown.join(", "))
}

/// Emphasis with its blanks outside, for inside they would break it.
fn marked(out: &mut String, inner: &[ProseInline], mark: &str, cite: CiteFormat<'_>) {
    let words = line(inner, cite);
    let trimmed = words.trim();
    if blank(inner) || trimmed.is_empty() {
        return append(out, &words);
    }
    if words.starts_with(' ') {
        out.push(' ');
    }
    append(out, &format!("{mark}{trimmed}{mark}"));
    if words.ends_with(' ') {
        out.push(' ');
    }
}

fn link(out: &mut String, to: &str, inner: &[ProseInline], cite: CiteFormat<'_>) {
    let words = line(inner, cite);
    // An exclamation mark before a link would make it an image.
    if out.ends_with('!') {
        out.pop();
        out.push_str("\\!");
    }
    let shown = words.trim();
    if shown.is_empty() || super::super::clean::line(shown) == to {
        append(out, &format!("<{to}>"));
    } else {
        append(out, &format!("[{shown}](<{to}>)"));
    }
}
