//! Which format some bytes have.
//!
//! Decided by the bytes themselves, then by the content type, then by the file's name.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::FormatHint;
use crate::Error;

/// A format we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentFormat {
    /// A web page.
    Html,
    /// A PDF with text in it.
    Pdf,
    /// A document of Word 2007 or later.
    Docx,
    /// A book as a ZIP of web pages.
    Epub,
    /// Markdown as CommonMark has it, with tables.
    Markdown,
    /// Text without markup.
    Plain,
    /// JSON, read field by field.
    Json,
    /// A table with commas, semicolons or tabs.
    Csv,
}

impl fmt::Display for DocumentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Html => "HTML page",
            Self::Pdf => "PDF",
            Self::Docx => "DOCX",
            Self::Epub => "EPUB",
            Self::Markdown => "Markdown",
            Self::Plain => "plain text",
            Self::Json => "JSON",
            Self::Csv => "CSV",
        })
    }
}

/// Endings of source code, which is read as text even where it is full of tags.
const SOURCE_ENDINGS: &[&str] = &[
    "bat", "c", "cc", "cfg", "clj", "cpp", "cs", "css", "cxx", "dart", "el", "erl", "ex", "exs",
    "f90", "fs", "go", "gradle", "h", "hpp", "hs", "ini", "java", "jl", "js", "jsx", "kt", "lisp",
    "lua", "m", "ml", "mjs", "nim", "php", "pl", "pm", "proto", "ps1", "py", "r", "rb", "rs",
    "scala", "scm", "sh", "sql", "swift", "tcl", "tex", "toml", "ts", "tsx", "v", "vb", "vhd",
    "vim", "vue", "yaml", "yml", "zig",
];

/// How far into a file its mark may stand: some writers put bytes before `%PDF-`.
const HEAD_BYTES: usize = 1_024;

/// How the formats begin that we do not read, and their names for people.
const OTHERS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "a sound, film or WebP image"),
    (b"\0\0\x01\0", "an icon"),
    (b"OggS", "a sound or film"),
    (b"ID3", "a sound"),
    (b"fLaC", "a sound"),
    (b"\x1a\x45\xdf\xa3", "a film"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\0asm", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"{\\rtf", "an RTF text"),
    (b"%!PS", "a PostScript file"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file (.doc, .xls, .ppt) or a protected new one",
    ),
];

/// The format that bytes show by a mark of their own; nothing for text of any kind. Of a ZIP only its parts tell whether it is
/// a DOCX.
pub(super) fn of_bytes(bytes: &[u8]) -> Result<Option<DocumentFormat>, Error> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if head.starts_with(b"PK\x03\x04") {
        return Ok(Some(DocumentFormat::Docx));
    }
    if let Some((_, found)) = OTHERS.iter().find(|(mark, _)| head.starts_with(mark)) {
        return Err(Error::NotADocument {
            found: (*found).to_owned(),
        });
    }
    let is_pdf = head.windows(5).any(|five| five == b"%PDF-");
    Ok((is_pdf && !opens_html(&String::from_utf8_lossy(head))).then_some(DocumentFormat::Pdf))
}

/// The format of a text.
pub(super) fn of_text(text: &str, hint: &FormatHint<'_>) -> DocumentFormat {
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    if opens_html(head) {
        return DocumentFormat::Html;
    }
    let told = hint.content_type.and_then(by_content_type);
    let told = told.or_else(|| hint.file_name.and_then(by_name));
    told.unwrap_or_else(|| by_look(text))
}

fn opens_html(head: &str) -> bool {
    let mut head = head.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    // A declaration or comments may stand before the first tag.
    while let Some(rest) = head.strip_prefix("<?xml").or(head.strip_prefix("<!--")) {
        let Some(end) = rest.find('>') else {
            return false;
        };
        head = rest[end + 1..].trim_start();
    }
    const OPENINGS: [&str; 5] = ["<!doctype html", "<html", "<head>", "<head ", "<body"];
    let begins = |opening: &&str| {
        let start = head.get(..opening.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(opening))
    };
    OPENINGS.iter().any(begins)
}

/// `text/plain` and `application/octet-stream` say too little: servers send them for anything.
fn by_content_type(content_type: &str) -> Option<DocumentFormat> {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    match kind.as_str() {
        "text/html" | "application/xhtml+xml" => Some(DocumentFormat::Html),
        "text/markdown" | "text/x-markdown" => Some(DocumentFormat::Markdown),
        "text/csv" | "text/tab-separated-values" => Some(DocumentFormat::Csv),
        "application/json" | "text/json" | "application/x-ndjson" | "application/jsonl" => {
            Some(DocumentFormat::Json)
        }
        kind if kind.ends_with("+json") => Some(DocumentFormat::Json),
        _ => None,
    }
}

fn by_name(name: &str) -> Option<DocumentFormat> {
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    match ending.as_str() {
        "html" | "htm" | "xhtml" => Some(DocumentFormat::Html),
        "md" | "markdown" | "mdown" | "mkd" => Some(DocumentFormat::Markdown),
        "json" | "jsonl" | "ndjson" => Some(DocumentFormat::Json),
        "csv" | "tsv" => Some(DocumentFormat::Csv),
        "txt" | "text" | "log" => Some(DocumentFormat::Plain),
        ending if SOURCE_ENDINGS.contains(&ending) => Some(DocumentFormat::Plain),
        _ => None,
    }
}

/// Nobody said what it is: a text full of tags is a page without its frame.
fn by_look(text: &str) -> DocumentFormat {
    let head = &text[..text.floor_char_boundary(64 * HEAD_BYTES)];
    let start = head.trim_start();
    if start.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
    {
        return DocumentFormat::Json;
    }
    let tags = [
        "<p>", "<p ", "<div", "<a href", "<h1", "<h2", "<ul>", "<br", "<table", "<span",
    ];
    let lower = head.to_ascii_lowercase();
    let seen = tags.iter().filter(|tag| lower.contains(**tag)).count();
    if start.starts_with('<') && seen >= 1 || seen >= 3 {
        return DocumentFormat::Html;
    }
    DocumentFormat::Plain
}
