//! The blocks of a Markdown text, each as plain words with the way back to the text.
//!
//! Leaves out code, pictures and raw HTML; says of each block what it is.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

use crate::Span;

/// What a stretch of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A paragraph.
    Prose,
    /// A title.
    Heading,
    /// One item of a list.
    ListItem,
    /// One row of a table.
    Table,
    /// Set apart as somebody else's words.
    Quote,
}

/// One block: its words without markup, and for each byte of them where it stands in the text.
#[derive(Clone, Debug)]
pub(crate) struct MarkdownBlock {
    pub(crate) place: BlockKind,
    pub(crate) words: String,
    from: Vec<usize>,
}

impl MarkdownBlock {
    fn new(place: BlockKind) -> Self {
        Self {
            place,
            words: String::new(),
            from: Vec::new(),
        }
    }

    /// Adds words that stand at `range` of the text. Where they are not what the text has there,
    /// as with an entity, they all stand at its beginning.
    fn push(&mut self, words: &str, start: usize, same: bool) {
        self.words.push_str(words);
        self.from
            .extend((0..words.len()).map(|i| if same { start + i } else { start }));
    }

    /// The stretch of the text that a stretch of the words came from.
    pub(crate) fn origin(&self, span: Span, text: &str) -> Span {
        let start = self.from.get(span.start).copied().unwrap_or_default();
        let last = span.end.checked_sub(1).and_then(|at| self.from.get(at));
        let mut end = last.map_or(start, |at| at + 1);
        while end < text.len() && !text.is_char_boundary(end) {
            end += 1;
        }
        Span::new(start, end.max(start))
    }

    /// The same block without some stretches of its words, given in order.
    pub(crate) fn without(&self, cut: &[Span]) -> Self {
        let mut kept = Self::new(self.place);
        let mut at = 0;
        for span in cut
            .iter()
            .copied()
            .chain([Span::new(self.words.len(), self.words.len())])
        {
            let stretch = at.min(span.start)..span.start;
            kept.words
                .push_str(self.words.get(stretch.clone()).unwrap_or_default());
            kept.from.extend(self.from.get(stretch).unwrap_or_default());
            at = span.end;
        }
        kept
    }
}

/// Cuts a Markdown text into blocks. A table gives one block for each row.
pub(crate) fn blocks(text: &str) -> Vec<MarkdownBlock> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut cut = BlockCutter::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        cut.take(event, Span::new(range.start, range.end), text);
    }
    cut.close();
    cut.done
}

#[derive(Default)]
struct BlockCutter {
    done: Vec<MarkdownBlock>,
    open: Option<MarkdownBlock>,
    lists: usize,
    quotes: usize,
    /// How deep we are in something that is not read, such as code.
    skipped: usize,
}

impl BlockCutter {
    fn take(&mut self, event: Event<'_>, span: Span, text: &str) {
        if self.skipped > 0 {
            match event {
                Event::Start(_) => self.skipped += 1,
                Event::End(_) => self.skipped -= 1,
                _ => {}
            }
            return;
        }
        match event {
            Event::Start(tag) => self.start(&tag, span, text),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.words(&words, span, text),
            // What is quoted is quoted with its code.
            Event::Code(code) if self.quotes > 0 => {
                let ticks = (span.len() - code.len()) / 2;
                let inner = Span::new(span.start + ticks, span.end - ticks);
                self.words(&code, inner, text);
            }
            // Inline code is a name: its place is kept, its words are nobody's prose.
            Event::Code(_) => self.words("_", Span::new(span.start, span.start), text),
            Event::SoftBreak | Event::HardBreak => {
                self.words(" ", Span::new(span.start, span.start), text)
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Span, text: &str) {
        match tag {
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Image { .. } | Tag::MetadataBlock(_) => {
                self.skipped = 1;
            }
            Tag::Link { .. } => {
                // A citation whose address stands below is a link to the reader of Markdown.
                let written = span.of(text).unwrap_or_default();
                if super::cite::citations(written)
                    .first()
                    .is_some_and(|c| c.span.len() == written.len())
                {
                    self.words(written, span, text);
                    self.skipped = 1;
                }
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::List(_) => {
                self.close();
                self.lists += 1;
            }
            Tag::Heading { .. } => self.begin(BlockKind::Heading),
            Tag::Paragraph | Tag::Item => {
                let place = if self.quotes > 0 {
                    BlockKind::Quote
                } else if self.lists > 0 {
                    BlockKind::ListItem
                } else {
                    BlockKind::Prose
                };
                self.begin(place);
            }
            Tag::TableHead => self.begin(BlockKind::Heading),
            Tag::TableRow => self.begin(BlockKind::Table),
            Tag::TableCell if self.has_words() => {
                self.words("; ", Span::new(span.start, span.start), text);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => self.lists = self.lists.saturating_sub(1),
            TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::Item
            | TagEnd::TableRow
            | TagEnd::TableHead => {
                self.close();
            }
            _ => {}
        }
    }

    fn words(&mut self, words: &str, span: Span, text: &str) {
        let same = span.of(text) == Some(words);
        if let Some(block) = &mut self.open {
            block.push(words, span.start, same);
        }
    }

    fn has_words(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|block| !block.words.is_empty())
    }

    fn begin(&mut self, place: BlockKind) {
        self.close();
        self.open = Some(MarkdownBlock::new(place));
    }

    fn close(&mut self) {
        let open = self.open.take();
        self.done
            .extend(open.filter(|block| !block.words.trim().is_empty()));
    }
}
