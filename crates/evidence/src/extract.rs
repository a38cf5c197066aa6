//! Reads a document of any known format into one text with exact places.
//!
//! Takes bytes from anywhere, and what was said about them; gives a [`Document`], or says why there
//! is none. What the bytes are is decided by the bytes first: servers and file names are often wrong.
//! The formats themselves are parsed by well-kept libraries; ours is the structure. Nothing here
//! opens a file or asks the network, and every reader is bounded by [`ExtractLimits`].
//!
//! [`read`] is a plain function of bytes, and its result and its error both serialise, so that a [`DocumentReader`] may do it
//! in another process.

mod charset;
mod clean;
mod data;
mod docx;
mod epub;
mod format;
mod html;
mod limits;
mod markdown;
mod packed;
mod pdf;
mod pieces;
mod plain;
mod reader;
mod wrap;

use std::sync::atomic::AtomicBool;

use crate::{Document, Error};

pub use format::DocumentFormat;
pub use limits::ExtractLimits;
pub use reader::{CancelOnDrop, DocumentReader, InProcessReader, is_pdf};

/// What is known about the bytes from outside. All of it may be wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormatHint<'a> {
    /// As a server says it: `text/html; charset=utf-8`.
    pub content_type: Option<&'a str>,
    /// The name of the file; its ending tells the format.
    pub file_name: Option<&'a str>,
    /// Opens a protected PDF.
    pub password: Option<&'a str>,
    /// Set once nobody waits for the document. Only readers that work for long look at it.
    pub cancelled: Option<&'a AtomicBool>,
}

/// The format that [`read`] would read these bytes as; an error for what is no document. The document is not read: it may
/// still turn out to be damaged.
pub fn detect(bytes: &[u8], hint: &FormatHint<'_>) -> Result<DocumentFormat, Error> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::Empty);
    }
    if let Some(format) = format::of_bytes(bytes)? {
        return Ok(format);
    }
    let decoded = charset::decode(bytes, hint.content_type)?;
    Ok(format::of_text(&decoded.text, hint))
}

/// Reads a document within the default limits.
pub fn read(bytes: &[u8], hint: &FormatHint<'_>) -> Result<Document, Error> {
    read_within(bytes, hint, &ExtractLimits::default())
}

/// Reads a document.
pub fn read_within(
    bytes: &[u8],
    hint: &FormatHint<'_>,
    limits: &ExtractLimits,
) -> Result<Document, Error> {
    if bytes.len() > limits.document_max_bytes {
        let size = bytes.len() as u64;
        return Err(Error::too_large(
            size,
            limits.document_max_bytes,
            "document_max_bytes",
        ));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::Empty);
    }
    match format::of_bytes(bytes)? {
        Some(DocumentFormat::Pdf) => return pdf::read(bytes, hint.password, limits),
        Some(DocumentFormat::Docx) => return packed::read(bytes, limits),
        _ => {}
    }
    let decoded = charset::decode(bytes, hint.content_type)?;
    let text = &decoded.text;
    let mut document = match format::of_text(text, hint) {
        DocumentFormat::Html => html::read(text, limits),
        DocumentFormat::Markdown => markdown::read(text, limits),
        DocumentFormat::Json => data::json(text, limits),
        DocumentFormat::Csv => data::csv(text, limits),
        DocumentFormat::Plain => plain::read(text, limits),
        // Their bytes were not those of a PDF or a ZIP, whatever the hint said.
        DocumentFormat::Pdf | DocumentFormat::Docx | DocumentFormat::Epub => {
            plain::read(text, limits)
        }
    }?;
    document.lost.extend(decoded.lost);
    Ok(document)
}

#[cfg(test)]
mod tests;
