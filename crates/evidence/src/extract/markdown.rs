//! Markdown: headings, lists, tables, quotes and code as they are marked, front matter as metadata.

use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits};
use crate::Document;
use crate::date;
use crate::document::{DocumentMetadata, ParagraphRole};

pub(super) fn read(text: &str, limits: &ExtractLimits) -> Result<Document, Error> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut about = front_matter(text, options);
    if about.title.is_none() {
        about.title = first_heading(text, options);
    }
    let mut walk = MarkdownWalk {
        pieces: Pieces::new(about, limits),
        text: String::new(),
        around: Vec::new(),
        cells: Vec::new(),
        in_front_matter: false,
    };
    for event in Parser::new_ext(text, options) {
        if walk.pieces.is_full() {
            break;
        }
        walk.step(event);
    }
    walk.flush();
    walk.pieces.build(DocumentFormat::Markdown, "only marks")
}

struct MarkdownWalk {
    pieces: Pieces,
    text: String,
    around: Vec<ParagraphRole>,
    cells: Vec<String>,
    in_front_matter: bool,
}

impl MarkdownWalk {
    fn step(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if !self.in_front_matter => self.text.push_str(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::Rule => self.flush(),
            // Markup inside Markdown is layout; a line break is all that it says about the text.
            Event::InlineHtml(_) | Event::Html(_) => self.text.push(' '),
            Event::Text(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::MetadataBlock(_) => self.in_front_matter = true,
            Tag::BlockQuote(_) => self.enter(ParagraphRole::Quote),
            Tag::CodeBlock(_) => self.enter(ParagraphRole::Code),
            Tag::Item | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {
                self.enter(ParagraphRole::ListItem);
            }
            Tag::Paragraph | Tag::Heading { .. } | Tag::Table(_) | Tag::FootnoteDefinition(_) => {
                self.flush();
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::MetadataBlock(_) => self.in_front_matter = false,
            TagEnd::Heading(level) => {
                let title = std::mem::take(&mut self.text);
                self.pieces.heading(level as u8, &title);
            }
            TagEnd::BlockQuote(_)
            | TagEnd::CodeBlock
            | TagEnd::Item
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => {
                self.flush();
                self.around.pop();
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::FootnoteDefinition => self.flush(),
            TagEnd::TableCell => self.cells.push(std::mem::take(&mut self.text)),
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.pieces.row(&cells);
            }
            _ => {}
        }
    }

    fn enter(&mut self, role: ParagraphRole) {
        self.flush();
        self.around.push(role);
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let role = self.around.last().copied().unwrap_or(ParagraphRole::Body);
        self.pieces.piece(role, &text);
    }
}

fn first_heading(text: &str, options: Options) -> Option<String> {
    let mut title: Option<String> = None;
    for event in Parser::new_ext(text, options) {
        match (event, &mut title) {
            (Event::Start(Tag::Heading { .. }), None) => title = Some(String::new()),
            (Event::Text(text) | Event::Code(text), Some(title)) => title.push_str(&text),
            (Event::SoftBreak, Some(title)) => title.push(' '),
            (Event::End(TagEnd::Heading(_)), Some(_)) => break,
            _ => {}
        }
    }
    title
}

/// The lines `key: value` (or `key = value`) that stand before the text.
fn front_matter(text: &str, options: Options) -> DocumentMetadata {
    let mut about = DocumentMetadata::default();
    let mut inside = false;
    let mut source = String::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::MetadataBlock(
                MetadataBlockKind::YamlStyle | MetadataBlockKind::PlusesStyle,
            )) => inside = true,
            Event::Text(text) if inside => source.push_str(&text),
            _ => break,
        }
    }
    let mut in_authors = false;
    for line in source.lines() {
        if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| in_authors) {
            let item = item.strip_prefix("name:").unwrap_or(item);
            about.authors.push(bare(item).to_owned());
            continue;
        }
        let Some((key, value)) = line.split_once([':', '=']) else {
            continue;
        };
        in_authors = false;
        match key.trim().to_ascii_lowercase().as_str() {
            "title" => about.title = Some(bare(value).to_owned()),
            "author" | "authors" => {
                in_authors = true;
                let list = value.trim().trim_start_matches('[').trim_end_matches(']');
                let names = list.split([',', ';']).flat_map(|part| part.split(" and "));
                let names = names.map(bare).filter(|name| !name.is_empty());
                about.authors.extend(names.map(str::to_owned));
            }
            "date" | "published" => about.published = date::iso(bare(value)),
            "doi" => about.doi = Some(bare(value).to_owned()),
            "lang" | "language" => about.language = bare(value).parse().ok(),
            _ => {}
        }
    }
    about
}

fn bare(value: &str) -> &str {
    value.trim().trim_matches(['"', '\'']).trim()
}
