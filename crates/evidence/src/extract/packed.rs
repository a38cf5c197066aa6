//! Documents that are a ZIP of XML parts: which kind one is, and its parts.
//!
//! Only the parts we need are unpacked, each within a limit, whatever size the archive claims for them.

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::{DocumentFormat, Error, ExtractLimits, docx, epub};
use crate::Document;
use crate::date;
use crate::document::DocumentMetadata;

pub(super) type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// What a ZIP is that has no text we read, by a part that tells.
const OTHERS: &[(&str, &str)] = &[
    ("xl/workbook.xml", "an Excel workbook"),
    ("ppt/presentation.xml", "a PowerPoint presentation"),
    ("content.xml", "an OpenDocument file"),
];

pub(super) fn read(bytes: &[u8], limits: &ExtractLimits) -> Result<Document, Error> {
    let archive = ZipArchive::new(Cursor::new(bytes));
    let mut archive = archive.map_err(|error| broken(DocumentFormat::Docx, error))?;
    if archive.len() > limits.zip_max_entries {
        let entries = archive.len() as u64;
        return Err(Error::too_large(
            entries,
            limits.zip_max_entries,
            "zip_max_entries",
        ));
    }
    let has = |name: &str| archive.index_for_name(name).is_some();
    if has(docx::BODY) {
        return docx::read(&mut archive, limits);
    }
    if has(epub::CONTAINER) {
        return epub::read(&mut archive, limits);
    }
    let known = OTHERS.iter().find(|(name, _)| has(name));
    Err(Error::NotADocument {
        found: known.map_or("a ZIP archive", |(_, found)| found).to_owned(),
    })
}

fn broken(format: DocumentFormat, error: ZipError) -> Error {
    match error {
        ZipError::UnsupportedArchive(why) if why.contains("assword") => Error::Encrypted { format },
        other => Error::broken(format, other),
    }
}

/// One part, unpacked; nothing when the archive has none of this name.
pub(super) fn part(
    archive: &mut Archive<'_>,
    name: &str,
    format: DocumentFormat,
    limits: &ExtractLimits,
) -> Result<Option<String>, Error> {
    let file = match archive.by_name(name) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(broken(format, error)),
    };
    let limit = limits.zip_max_expanded_bytes;
    let mut unpacked = Vec::new();
    // The size that the archive states may be a lie, so what comes out is counted.
    let read = file.take(limit as u64 + 1).read_to_end(&mut unpacked);
    if unpacked.len() > limit {
        let size = unpacked.len() as u64;
        return Err(Error::too_large(size, limit, "zip_max_expanded_bytes"));
    }
    match read {
        Ok(_) => Ok(Some(String::from_utf8_lossy(&unpacked).into_owned())),
        Err(_) if !unpacked.is_empty() => Ok(Some(String::from_utf8_lossy(&unpacked).into_owned())),
        Err(error) => Err(Error::broken(format, error)),
    }
}

/// A part that the document can be read without.
pub(super) fn optional(archive: &mut Archive<'_>, name: &str, limits: &ExtractLimits) -> String {
    part(archive, name, DocumentFormat::Docx, limits)
        .ok()
        .flatten()
        .unwrap_or_default()
}

/// Title, authors, date and language, as Word and EPUB name them.
pub(super) fn properties(xml: &str) -> DocumentMetadata {
    let mut about = DocumentMetadata::default();
    let mut reader = Reader::from_str(xml);
    let mut open = String::new();
    let mut text = String::new();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => {
                open = tag.local_name().as_ref().to_owned();
                text.clear();
            }
            Event::Text(words) => text.push_str(&words),
            Event::GeneralRef(reference) => text.push_str(&character(&reference)),
            Event::End(_) => {
                match open.as_str() {
                    // A book may name a series after its title.
                    "title" => {
                        about.title.get_or_insert(text.clone());
                    }
                    "creator" => {
                        let names = text.split(';').map(|name| name.trim().to_owned());
                        about.authors.extend(names.filter(|name| !name.is_empty()));
                    }
                    "created" | "date" => about.published = about.published.or(date::iso(&text)),
                    "language" => about.language = text.parse().ok(),
                    _ => {}
                }
                open.clear();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    about
}

/// An attribute by its name without prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let mut named = attributes.filter(|attribute| attribute.key.local_name().as_ref() == name);
    let value = named.next()?.value.into_owned();
    Some(quick_xml::escape::unescape(&value).map_or(value.clone(), |text| text.into_owned()))
}

/// What `&amp;` or `&#8212;` stands for; nothing for names that XML does not know.
pub(super) fn character(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name: &str = reference;
    quick_xml::escape::resolve_predefined_entity(name)
        .unwrap_or_default()
        .to_owned()
}
