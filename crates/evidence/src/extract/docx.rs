//! Word documents: headings by style, lists, tables, and the properties that name title and author.
//!
//! A DOCX is a ZIP of XML parts. Only the parts we need are unpacked, each within a limit, whatever
//! size the archive claims for them.

mod body;
mod styles;

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::Event;
use zip::ZipArchive;
use zip::result::ZipError;

use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits};
use crate::Document;
use crate::date;
use crate::document::DocumentMetadata;

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// What a ZIP is that has no text of Word in it, by a part that tells.
const OTHERS: &[(&str, &str)] = &[
    ("xl/workbook.xml", "an Excel workbook"),
    ("ppt/presentation.xml", "a PowerPoint presentation"),
    ("META-INF/container.xml", "an EPUB book"),
    ("content.xml", "an OpenDocument file"),
];

pub(super) fn read(bytes: &[u8], limits: &ExtractLimits) -> Result<Document, Error> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > limits.zip_max_entries {
        let entries = archive.len() as u64;
        return Err(Error::too_large(
            entries,
            limits.zip_max_entries,
            "zip_max_entries",
        ));
    }
    let Some(body) = part(&mut archive, "word/document.xml", limits)? else {
        return Err(not_word(&mut archive));
    };
    let properties = optional(&mut archive, "docProps/core.xml", limits);
    let styles = optional(&mut archive, "word/styles.xml", limits);
    let mut pieces = Pieces::new(about(&properties), limits);
    let headings = styles::headings(&styles);
    if let Err(why) = body::write(&body, &headings, &mut pieces) {
        pieces.lost(format!(
            "The text breaks off where the file is damaged ({why})."
        ));
    }
    pieces.build(DocumentFormat::Docx, "only pictures or nothing at all")
}

fn broken(error: ZipError) -> Error {
    match error {
        ZipError::UnsupportedArchive(why) if why.contains("assword") => Error::Encrypted {
            format: DocumentFormat::Docx,
        },
        other => Error::broken(DocumentFormat::Docx, other),
    }
}

fn not_word(archive: &mut Archive<'_>) -> Error {
    let known = OTHERS
        .iter()
        .find(|(name, _)| archive.by_name(name).is_ok());
    Error::NotADocument {
        found: known.map_or("a ZIP archive", |(_, found)| found).to_owned(),
    }
}

/// One part, unpacked; nothing when the archive has none of this name.
fn part(
    archive: &mut Archive<'_>,
    name: &str,
    limits: &ExtractLimits,
) -> Result<Option<String>, Error> {
    let file = match archive.by_name(name) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(broken(error)),
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
        Err(error) => Err(Error::broken(DocumentFormat::Docx, error)),
    }
}

/// A part that the document can be read without.
fn optional(archive: &mut Archive<'_>, name: &str, limits: &ExtractLimits) -> String {
    part(archive, name, limits)
        .ok()
        .flatten()
        .unwrap_or_default()
}

/// Title, authors and date from the document's properties.
fn about(properties: &str) -> DocumentMetadata {
    let mut about = DocumentMetadata::default();
    let mut reader = Reader::from_str(properties);
    let mut open = String::new();
    let mut text = String::new();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => {
                open = tag.local_name().as_ref().to_owned();
                text.clear();
            }
            Event::Text(words) => text.push_str(&words),
            Event::GeneralRef(reference) => text.push_str(&body::character(&reference)),
            Event::End(_) => {
                match open.as_str() {
                    "title" => about.title = Some(text.clone()),
                    "creator" => {
                        let names = text.split(';').map(|name| name.trim().to_owned());
                        about.authors = names.filter(|name| !name.is_empty()).collect();
                    }
                    "created" => about.published = date::iso(&text),
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
