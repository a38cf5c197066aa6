//! Word documents: headings by style, lists, tables, and the properties that name title and author.

mod body;
mod styles;

use super::packed::{Archive, optional, part, properties};
use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits};
use crate::Document;

/// The part that holds the text.
pub(super) const BODY: &str = "word/document.xml";

pub(super) fn read(archive: &mut Archive<'_>, limits: &ExtractLimits) -> Result<Document, Error> {
    let body = part(archive, BODY, DocumentFormat::Docx, limits)?.unwrap_or_default();
    let about = optional(archive, "docProps/core.xml", limits);
    let styles = optional(archive, "word/styles.xml", limits);
    let mut pieces = Pieces::new(properties(&about), limits);
    let headings = styles::headings(&styles);
    if let Err(why) = body::write(&body, &headings, &mut pieces) {
        pieces.lost(format!(
            "The text breaks off where the file is damaged ({why})."
        ));
    }
    pieces.build(DocumentFormat::Docx, "only pictures or nothing at all")
}
