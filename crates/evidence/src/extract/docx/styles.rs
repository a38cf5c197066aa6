//! Which styles of a Word document are headings.

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::extract::packed::attribute;
use crate::fixed_hash::FixedMap;

/// What a style makes of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Heading(u8),
    Caption,
    Quote,
    Code,
}

/// The styles that mean something, by their ids.
pub(super) fn headings(styles: &str) -> FixedMap<String, Style> {
    let mut known = FixedMap::default();
    let mut id = String::new();
    let mut reader = Reader::from_str(styles);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "style" => id = attribute(&tag, "styleId").unwrap_or_default(),
                "name" => {
                    let name = attribute(&tag, "val").unwrap_or_default();
                    if let Some(style) = by_name(&name) {
                        known.insert(id.clone(), style);
                    }
                }
                // A style of the author's own shows by its outline level that it is a heading.
                "outlineLvl" => {
                    let level = attribute(&tag, "val").and_then(|level| level.parse::<u8>().ok());
                    if let Some(level) = level.filter(|level| *level < 9) {
                        known.entry(id.clone()).or_insert(Style::Heading(level + 1));
                    }
                }
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    known
}

/// A style by its own name or its id: both are `heading 2` or `Heading2` in every language of Word.
pub(super) fn by_name(name: &str) -> Option<Style> {
    let name: String = name.to_lowercase().split_whitespace().collect();
    match name.as_str() {
        "title" => return Some(Style::Heading(1)),
        "subtitle" => return Some(Style::Heading(2)),
        "caption" => return Some(Style::Caption),
        "quote" | "intensequote" | "blocktext" => return Some(Style::Quote),
        "htmlpreformatted" | "sourcecode" | "code" => return Some(Style::Code),
        _ => {}
    }
    let level = name.strip_prefix("heading")?.parse::<u8>().ok()?;
    (1..=9).contains(&level).then_some(Style::Heading(level))
}
