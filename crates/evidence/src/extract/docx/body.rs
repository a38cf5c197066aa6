//! The text of a Word document, paragraph by paragraph.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::styles::{self, Style};
use crate::document::ParagraphRole;
use crate::extract::packed::{attribute, character};
use crate::extract::pieces::Pieces;
use crate::fixed_hash::FixedMap;

/// Writes the paragraphs and tables; says why, when the XML breaks off.
pub(super) fn write(
    xml: &str,
    headings: &FixedMap<String, Style>,
    pieces: &mut Pieces,
) -> Result<(), String> {
    let mut reader = Reader::from_str(xml);
    let mut walk = DocxWalk {
        headings,
        pieces,
        paragraph: DocxParagraph::default(),
        cells: Vec::new(),
        deleted: 0,
    };
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(_) if walk.pieces.is_full() => break,
            Ok(event) => walk.step(&event),
            Err(error) => {
                walk.end_paragraph();
                return Err(error.to_string());
            }
        }
    }
    walk.end_paragraph();
    Ok(())
}

#[derive(Default)]
struct DocxParagraph {
    text: String,
    style: Option<Style>,
    is_item: bool,
    /// Between `<w:t>` and its end: only this is text.
    in_text: bool,
}

struct DocxWalk<'w> {
    headings: &'w FixedMap<String, Style>,
    pieces: &'w mut Pieces,
    paragraph: DocxParagraph,
    /// Cells of the rows around, innermost last.
    cells: Vec<Vec<String>>,
    /// Inside text that was deleted, or a second rendering of what was already said.
    deleted: usize,
}

impl DocxWalk<'_> {
    fn step(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(tag, false),
            Event::Empty(tag) => self.begin(tag, true),
            Event::End(tag) => self.end(tag.local_name().as_ref()),
            Event::Text(text) if self.reads() => self.paragraph.text.push_str(text),
            Event::GeneralRef(reference) if self.reads() => {
                self.paragraph.text.push_str(&character(reference));
            }
            Event::CData(data) if self.reads() => self.paragraph.text.push_str(data),
            _ => {}
        }
    }

    fn reads(&self) -> bool {
        self.paragraph.in_text && self.deleted == 0
    }

    fn begin(&mut self, tag: &BytesStart<'_>, empty: bool) {
        match tag.local_name().as_ref() {
            "t" if !empty => self.paragraph.in_text = true,
            "tab" | "br" | "cr" if self.deleted == 0 => self.paragraph.text.push(' '),
            "noBreakHyphen" if self.deleted == 0 => self.paragraph.text.push('-'),
            "del" | "moveFrom" | "Fallback" if !empty => self.deleted += 1,
            "numPr" => self.paragraph.is_item = true,
            "pStyle" => self.style(&attribute(tag, "val").unwrap_or_default()),
            "outlineLvl" => {
                let level = attribute(tag, "val").and_then(|level| level.parse::<u8>().ok());
                if let Some(level) = level.filter(|level| *level < 9) {
                    self.paragraph.style = Some(Style::Heading(level + 1));
                }
            }
            "tr" if !empty => {
                self.end_paragraph();
                self.cells.push(Vec::new());
            }
            "tc" if !empty => {
                if let Some(row) = self.cells.last_mut() {
                    row.push(String::new());
                }
            }
            "p" if empty => self.end_paragraph(),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.paragraph.in_text = false,
            "del" | "moveFrom" | "Fallback" => self.deleted = self.deleted.saturating_sub(1),
            "p" => self.end_paragraph(),
            "tr" => {
                let row = self.cells.pop().unwrap_or_default();
                self.pieces.row(&row);
            }
            _ => {}
        }
    }

    fn style(&mut self, id: &str) {
        let style = self
            .headings
            .get(id)
            .copied()
            .or_else(|| styles::by_name(id));
        self.paragraph.style = style;
        let id = id.to_ascii_lowercase();
        self.paragraph.is_item |= id.starts_with("listparagraph") || id.starts_with("listbullet");
    }

    fn end_paragraph(&mut self) {
        let DocxParagraph {
            text,
            style,
            is_item,
            ..
        } = std::mem::take(&mut self.paragraph);
        if let Some(cell) = self.cells.last_mut().and_then(|row| row.last_mut()) {
            cell.push(' ');
            cell.push_str(&text);
            return;
        }
        match style {
            Some(Style::Heading(level)) => self.pieces.heading(level, &text),
            Some(Style::Caption) => self.pieces.piece(ParagraphRole::Caption, &text),
            Some(Style::Quote) => self.pieces.piece(ParagraphRole::Quote, &text),
            Some(Style::Code) => self.pieces.piece(ParagraphRole::Code, &text),
            None if is_item => self.pieces.piece(ParagraphRole::ListItem, &text),
            None => self.pieces.piece(ParagraphRole::Body, &text),
        }
    }
}
