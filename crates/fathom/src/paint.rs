//! Markdown for a terminal: headings set off, text wrapped to the width, citations dim.
//!
//! Takes a report's Markdown; gives lines with colours, or without where there are none. Nothing in the text can
//! reach the terminal but as text.

mod wrap;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::screen::{TextColour, TextStyle, harmless};
use wrap::{StyledText, wrapped};

pub fn paint(markdown: &str, width: usize, coloured: bool) -> String {
    let markdown = harmless(markdown);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut painter = MarkdownPainter {
        width,
        coloured,
        ..MarkdownPainter::default()
    };
    for event in TextMergeStream::new(Parser::new_ext(&markdown, options)) {
        painter.take(event);
    }
    painter.out
}

#[derive(Default)]
struct MarkdownPainter {
    width: usize,
    coloured: bool,
    out: String,
    /// The text of the block that is open.
    pieces: Vec<StyledText>,
    styles: Vec<TextStyle>,
    /// Of each list around, the number of its next item; nothing where items have dots.
    lists: Vec<Option<u64>>,
    /// Stands before the first line of the next block: "3. ".
    marker: Option<String>,
    quotes: usize,
    in_code: bool,
    /// Where a link leads, to be shown after its text.
    links: Vec<String>,
    cells: Vec<String>,
}

impl MarkdownPainter {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.push(&code, TextStyle::in_colour(TextColour::Cyan)),
            Event::SoftBreak => self.push(" ", self.style()),
            Event::HardBreak => self.push("\n", self.style()),
            Event::Rule => {
                self.gap();
                self.line(&"─".repeat(self.width.min(24)), TextStyle::DIM);
            }
            Event::FootnoteReference(name) => self.push(&format!("[{name}]"), TextStyle::DIM),
            // Markup of a page means nothing to a terminal.
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, self.style()),
            Event::TaskListMarker(done) => {
                self.push(if done { "[x] " } else { "[ ] " }, self.style());
            }
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Heading { level, .. } => {
                self.gap();
                let colour = (level as usize <= 2).then_some(TextColour::Cyan);
                self.styles.push(TextStyle {
                    bold: true,
                    colour,
                    ..style
                });
            }
            Tag::Paragraph => self.gap(),
            Tag::Strong => self.styles.push(TextStyle {
                bold: true,
                ..style
            }),
            Tag::Emphasis => self.styles.push(TextStyle {
                italic: true,
                ..style
            }),
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => self.marker = Some(self.item_marker()),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.gap();
                self.in_code = true;
            }
            Tag::Link { dest_url, .. } => self.links.push(dest_url.into_string()),
            Tag::Table(_) => self.gap(),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::Strong | TagEnd::Emphasis => {
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::Link => {
                let target = self.links.pop().filter(|target| target.contains("://"));
                let shown = self.pieces.last().map(|piece| piece.text.as_str());
                if let Some(target) = target.filter(|target| shown != Some(target)) {
                    self.push(&format!(" ({target})"), TextStyle::DIM);
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.pieces);
                self.cells
                    .push(cell.into_iter().map(|piece| piece.text).collect());
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let row = std::mem::take(&mut self.cells).join("  │  ");
                self.push(&row, self.style());
                self.flush();
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_code {
            for line in text.lines() {
                self.line(
                    &format!("    {line}"),
                    TextStyle::in_colour(TextColour::Cyan),
                );
            }
            return;
        }
        let style = self.style();
        for (part, is_citation) in citations(text) {
            self.push(part, if is_citation { TextStyle::DIM } else { style });
        }
    }

    fn push(&mut self, text: &str, style: TextStyle) {
        self.pieces.push(StyledText {
            text: text.to_owned(),
            style,
        });
    }

    fn style(&self) -> TextStyle {
        self.styles.last().copied().unwrap_or_default()
    }

    fn item_marker(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "• ".to_owned(),
        }
    }

    /// An empty line between blocks, but not between a marker and its text.
    fn gap(&mut self) {
        self.flush();
        if !self.out.is_empty() && self.marker.is_none() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn line(&mut self, text: &str, style: TextStyle) {
        self.out.push_str(&style.paint(text, self.coloured));
        self.out.push('\n');
    }

    /// Writes the open block, wrapped, behind the bars of its quotes and the marks of its lists.
    fn flush(&mut self) {
        if self.pieces.iter().all(|piece| piece.text.trim().is_empty()) {
            self.pieces.clear();
            return;
        }
        let pieces = std::mem::take(&mut self.pieces);
        let bars = TextStyle::DIM.paint(&"│ ".repeat(self.quotes), self.coloured);
        let depth = self.lists.len().saturating_sub(1) * 3;
        let marker = self.marker.take();
        let hang = match (&marker, self.lists.is_empty()) {
            (Some(marker), _) => marker.chars().count(),
            (None, true) => 0,
            (None, false) => 2,
        };
        let room = self
            .width
            .saturating_sub(self.quotes * 2 + depth + hang)
            .max(16);
        for (nth, line) in wrapped(&pieces, room, self.coloured).iter().enumerate() {
            let begin = match (&marker, nth) {
                (Some(marker), 0) => marker.clone(),
                _ => " ".repeat(hang),
            };
            let indent = " ".repeat(depth);
            self.out
                .push_str(format!("{bars}{indent}{begin}{line}").trim_end());
            self.out.push('\n');
        }
    }
}

/// The text in parts: those that are citations, such as `[3]` or `[1, 2]`, and those between them.
fn citations(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest
        .get(from..)
        .and_then(|tail| tail.find('['))
        .map(|at| from + at)
    {
        let close = rest
            .get(open..)
            .and_then(|tail| tail.find(']'))
            .map(|at| open + at + 1);
        let Some(close) = close else { break };
        let inside = rest.get(open + 1..close - 1).unwrap_or_default();
        let cites = !inside.is_empty()
            && inside
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, ',' | ' ' | '–' | '-'));
        if cites {
            let (before, cited) = (rest.get(..open), rest.get(open..close));
            parts.push((before.unwrap_or_default(), false));
            parts.push((cited.unwrap_or_default(), true));
            rest = rest.get(close..).unwrap_or_default();
            from = 0;
        } else {
            from = open + 1;
        }
    }
    parts.push((rest, false));
    parts
}

#[cfg(test)]
mod tests;
