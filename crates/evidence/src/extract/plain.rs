//! Plain text: paragraphs between blank lines, headings by number, underline or known name.
//!
//! Lines that were broken to fit a width are joined; a form feed begins a new page.

use super::pieces::Pieces;
use super::wrap::{self, WrapWords};
use super::{DocumentFormat, Error, ExtractLimits};
use crate::Document;
use crate::document::{DocumentMetadata, ParagraphRole};

/// A block of lines in which most reach this far was broken to fit a width.
const WRAPPED_MIN_CHARS: usize = 50;

/// Longer lines were broken by their author, not by a width.
const WRAPPED_MAX_CHARS: usize = 200;

/// A title has so many letters at least and so many characters at most.
const TITLE_MIN_LETTERS: usize = 4;
const TITLE_MAX_CHARS: usize = 100;

pub(super) fn read(text: &str, limits: &ExtractLimits) -> Result<Document, Error> {
    let about = DocumentMetadata {
        title: title(text),
        ..DocumentMetadata::default()
    };
    let mut pieces = Pieces::new(about, limits);
    let paged = text.contains('\u{c}');
    let words = WrapWords::typed(text);
    for (number, page) in (1..).zip(text.split('\u{c}')) {
        if paged {
            pieces.page(number);
        }
        for block in blocks(page) {
            if pieces.is_full() {
                break;
            }
            read_block(&block, &words, &mut pieces);
        }
    }
    pieces.build(DocumentFormat::Plain, "only blanks and marks")
}

/// The first line, where it stands alone or underlined and is no sentence.
fn title(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty())?;
    let next = lines.next().unwrap_or_default();
    let alone = next.is_empty() || underlined(first, next).is_some();
    let sentence = first.ends_with(['.', ',', ';', ':', '!', '?']);
    let letters = first.chars().filter(|c| c.is_alphabetic()).count();
    let short = first.chars().count() <= TITLE_MAX_CHARS && letters >= TITLE_MIN_LETTERS;
    let more = text.lines().filter(|line| !line.trim().is_empty()).count() > 1;
    (alone && short && more && !sentence).then(|| first.to_owned())
}

/// Runs of lines without a blank one.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut blocks = vec![Vec::new()];
    for line in text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}']) {
        if line.trim().is_empty() {
            blocks.push(Vec::new());
        } else if let Some(open) = blocks.last_mut() {
            open.push(line);
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn read_block(lines: &[&str], words: &WrapWords<'_>, pieces: &mut Pieces) {
    let mut rest = lines;
    if let [title, underline, after @ ..] = rest
        && let Some(level) = underlined(title, underline)
    {
        pieces.heading(level, title);
        rest = after;
    } else if let [only] = rest
        && let Some(level) = lone_heading(only)
    {
        pieces.heading(level, only);
        return;
    }
    for paragraph in paragraphs(rest) {
        let text = wrap::join(paragraph.iter().copied(), words);
        match wrap::list_item(&text) {
            Some(item) => pieces.piece(ParagraphRole::ListItem, item),
            None => pieces.piece(wrap::role(&text), &text),
        }
    }
}

/// A title with a line of `===` or `---` under it.
fn underlined(title: &str, underline: &str) -> Option<u8> {
    let underline = underline.trim();
    let all = |mark: char| underline.chars().count() >= 3 && underline.chars().all(|c| c == mark);
    let fits = title.trim().chars().count() <= 2 * underline.chars().count();
    match fits {
        true if all('=') || all('#') => Some(1),
        true if all('-') || all('~') => Some(2),
        _ => None,
    }
}

fn lone_heading(line: &str) -> Option<u8> {
    wrap::heading_level(line).or_else(|| wrap::is_capitals(line).then_some(1))
}

/// The paragraphs of a block: one, if its lines were broken to fit a width; else each line is one.
fn paragraphs<'l>(lines: &'l [&'l str]) -> Vec<&'l [&'l str]> {
    let is_item = |line: &str| wrap::list_item(line).is_some();
    let line_by_line = !is_wrapped(lines) && !lines.iter().any(|line| is_item(line));
    let mut starts = vec![0];
    for (at, line) in lines.iter().enumerate().skip(1) {
        if line_by_line || is_item(line) {
            starts.push(at);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let pairs = starts.iter().zip(ends);
    pairs
        .filter_map(|(start, end)| lines.get(*start..end))
        .collect()
}

/// Every line but the last is about as long as the longest, or goes on in the middle of a sentence.
fn is_wrapped(lines: &[&str]) -> bool {
    let Some((_, inner)) = lines.split_last() else {
        return false;
    };
    let long = |line: &&&str| line.trim().chars().count() >= WRAPPED_MIN_CHARS;
    let goes_on = |line: &&&str| {
        !line
            .trim_end()
            .ends_with(['.', '!', '?', ':', ';', '"', '”'])
    };
    let most = |count: usize| count * 2 >= inner.len();
    most(inner.iter().filter(long).count()) && longest(lines) <= WRAPPED_MAX_CHARS
        || inner.iter().filter(goes_on).count() * 4 >= inner.len() * 3 && starts_lower(lines)
}

fn longest(lines: &[&str]) -> usize {
    let lengths = lines.iter().map(|line| line.chars().count());
    lengths.max().unwrap_or_default()
}

/// Lines after the first that begin in lower case show that a sentence was broken.
fn starts_lower(lines: &[&str]) -> bool {
    let lower = |line: &&&str| line.trim_start().starts_with(char::is_lowercase);
    lines.iter().skip(1).filter(lower).count() * 2 >= lines.len().saturating_sub(1)
}
