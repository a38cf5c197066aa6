//! Books in EPUB: a ZIP of web pages, with a file that names them in reading order.

use percent_encoding::percent_decode_str;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::packed::{Archive, attribute, optional, part, properties};
use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits, html};
use crate::Document;
use crate::fixed_hash::FixedMap;

/// The part that every EPUB has: it names the package, which names all others.
pub(super) const CONTAINER: &str = "META-INF/container.xml";

/// Names the parts that only a shop's own program can open, besides fonts.
const ENCRYPTION: &str = "META-INF/encryption.xml";

pub(super) fn read(archive: &mut Archive<'_>, limits: &ExtractLimits) -> Result<Document, Error> {
    let unnamed = || Error::broken(DocumentFormat::Epub, "it does not name its parts");
    let container = optional(archive, CONTAINER, limits);
    let place = first_attribute(&container, "rootfile", "full-path").ok_or_else(unnamed)?;
    let package = part(archive, &place, DocumentFormat::Epub, limits)?.ok_or_else(unnamed)?;
    let chapters = chapters(&package, &place);
    let encrypted = optional(archive, ENCRYPTION, limits);
    let mut pieces = Pieces::new(properties(&package), limits);
    let mut unpacked = 0;
    for chapter in &chapters {
        if encrypted.contains(chapter.as_str()) {
            return Err(Error::Encrypted {
                format: DocumentFormat::Epub,
            });
        }
        let text = optional(archive, chapter, limits);
        unpacked += text.len();
        if unpacked > limits.zip_max_expanded_bytes {
            let limit = limits.zip_max_expanded_bytes;
            pieces.lost(format!(
                "Its chapters have more than {limit} bytes; the rest was left out (\"zip_max_expanded_bytes\")."
            ));
            break;
        }
        if text.is_empty() || text.len() > limits.html_max_bytes {
            pieces.lost(format!("The chapter {chapter} could not be read."));
            continue;
        }
        html::write_chapter(&text, limits, &mut pieces);
        if pieces.is_full() {
            break;
        }
    }
    pieces.build(DocumentFormat::Epub, "only pictures or nothing at all")
}

/// The names of the chapters in reading order.
fn chapters(package: &str, place: &str) -> Vec<String> {
    let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: FixedMap<String, String> = FixedMap::default();
    let mut order = Vec::new();
    let mut reader = Reader::from_str(package);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "item" => {
                    let (id, address) = (attribute(&tag, "id"), attribute(&tag, "href"));
                    if let (Some(id), Some(address)) = (id, address) {
                        parts.insert(id, within(folder, &address));
                    }
                }
                "itemref" => order.extend(attribute(&tag, "idref")),
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    order.iter().filter_map(|id| parts.remove(id)).collect()
}

/// The name of a part, from its address beside the package.
fn within(folder: &str, address: &str) -> String {
    let address = percent_decode_str(address).decode_utf8_lossy();
    let mut names: Vec<&str> = Vec::new();
    for name in folder.split('/').chain(address.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}

/// An attribute of the first element of a name.
fn first_attribute(xml: &str, element: &str, name: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) | Event::Empty(tag) if tag.local_name().as_ref() == element => {
                return attribute(&tag, name);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    None
}
