//! Reads a document of any known format into one text with exact places.
//!
//! Takes bytes from anywhere, and what was said about them; gives a [`Document`], or says why there
//! is none. What the bytes are is decided by the bytes first: servers and file names are often wrong.
//! The formats themselves are parsed by well-kept libraries; ours is the structure. Nothing here
//! opens a file or asks the network, and every reader is bounded by [`Limits`].
//!
//! [`read`] is a plain function of bytes, and its result and its error both serialise, so that a [`Reader`] may do it
//! in another process.

mod charset;
mod clean;
mod data;
mod date;
mod docx;
mod format;
mod html;
mod limits;
mod markdown;
mod pdf;
mod pieces;
mod plain;
mod reader;
mod wrap;

use crate::{Document, Error};

pub use format::Format;
pub use limits::Limits;
pub use reader::{Here, Reader, is_pdf};

/// What is known about the bytes from outside. All of it may be wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint<'a> {
    /// As a server says it: `text/html; charset=utf-8`.
    pub content_type: Option<&'a str>,
    pub file_name: Option<&'a str>,
    /// Opens a protected PDF.
    pub password: Option<&'a str>,
}

/// Reads a document within the default limits.
pub fn read(bytes: &[u8], hint: &Hint<'_>) -> Result<Document, Error> {
    read_within(bytes, hint, &Limits::default())
}

/// Reads a document.
pub fn read_within(bytes: &[u8], hint: &Hint<'_>, limits: &Limits) -> Result<Document, Error> {
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
        Some(Format::Pdf) => return pdf::read(bytes, hint.password, limits),
        Some(Format::Docx) => return docx::read(bytes, limits),
        _ => {}
    }
    let decoded = charset::decode(bytes, hint.content_type)?;
    let text = &decoded.text;
    let mut document = match format::of_text(text, hint) {
        Format::Html => html::read(text, limits),
        Format::Markdown => markdown::read(text, limits),
        Format::Json => data::json(text, limits),
        Format::Csv => data::csv(text, limits),
        Format::Plain => plain::read(text, limits),
        // Their bytes were not those of a PDF or DOCX, whatever the hint said.
        Format::Pdf | Format::Docx => plain::read(text, limits),
    }?;
    document.lost.extend(decoded.lost);
    Ok(document)
}

#[cfg(test)]
mod tests;
