//! What a page is: by its first bytes where these are plain, else by what the server says.
//!
//! Enough to choose who reads it, such as the child process for PDF. Reading itself is for `evidence`.

use serde::{Deserialize, Serialize};

/// What the bytes of a page are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageFormat {
    /// Also XHTML.
    Html,
    /// Told by its first bytes, whatever the server says.
    Pdf,
    /// Plain text of any kind, Markdown and CSV too.
    Text,
    /// Also lines of JSON.
    Json,
    /// Feeds and other XML that is no HTML.
    Xml,
    /// A Word document.
    Docx,
    /// Images, archives and everything else that is not read.
    Other,
}

/// How far a mark may stand from the beginning.
const HEAD_BYTES: usize = 1_024;

const HTML_OPENINGS: [&str; 5] = ["<!doctype html", "<html", "<head>", "<head ", "<body"];

impl PageFormat {
    pub(super) fn detect(content_type: Option<&str>, bytes: &[u8]) -> Self {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        if let Some(form) = by_mark(head) {
            return form;
        }
        match content_type.and_then(by_content_type) {
            // Without its mark it is neither, whatever the server says.
            Some(Self::Pdf | Self::Docx) | None => by_look(head),
            Some(form) => form,
        }
    }
}

/// Marks that no other form begins with.
fn by_mark(head: &[u8]) -> Option<PageFormat> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if opens_html(text) {
        return Some(PageFormat::Html);
    }
    if head.starts_with(b"PK\x03\x04") {
        let word = text.contains("word/") || text.contains("[Content_Types].xml");
        return Some(if word {
            PageFormat::Docx
        } else {
            PageFormat::Other
        });
    }
    text.contains("%PDF-").then_some(PageFormat::Pdf)
}

/// A declaration or comments may stand before the first tag.
fn opens_html(mut text: &str) -> bool {
    while let Some(rest) = text.strip_prefix("<?xml").or(text.strip_prefix("<!--")) {
        let Some((_, after)) = rest.split_once('>') else {
            return false;
        };
        text = after.trim_start();
    }
    let begins = |opening: &&str| {
        let start = text.get(..opening.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(opening))
    };
    HTML_OPENINGS.iter().any(begins)
}

/// None where the type says too little: servers send `application/octet-stream` for anything.
fn by_content_type(content_type: &str) -> Option<PageFormat> {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    match kind.as_str() {
        "text/html" | "application/xhtml+xml" => Some(PageFormat::Html),
        "application/pdf" | "application/x-pdf" => Some(PageFormat::Pdf),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => {
            Some(PageFormat::Docx)
        }
        "application/json" | "text/json" | "application/x-ndjson" => Some(PageFormat::Json),
        "application/xml" | "text/xml" => Some(PageFormat::Xml),
        "" | "application/octet-stream" | "binary/octet-stream" | "application/force-download" => {
            None
        }
        kind if kind.ends_with("+json") => Some(PageFormat::Json),
        kind if kind.ends_with("+xml") => Some(PageFormat::Xml),
        kind if kind.starts_with("text/") => Some(PageFormat::Text),
        _ => Some(PageFormat::Other),
    }
}

fn by_look(head: &[u8]) -> PageFormat {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if head.contains(&0) {
        PageFormat::Other
    } else if text.starts_with("<?xml") {
        PageFormat::Xml
    } else if text.starts_with(['{', '[']) {
        PageFormat::Json
    } else {
        PageFormat::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_decide_where_the_type_lies() {
        for (content_type, bytes, form) in [
            (Some("text/html"), "%PDF-1.7 …", PageFormat::Pdf),
            (None, "junk\n%PDF-1.4", PageFormat::Pdf),
            (
                Some("application/pdf"),
                "<!DOCTYPE html><title>Log in</title>",
                PageFormat::Html,
            ),
            (Some("application/pdf"), "No such file.", PageFormat::Text),
            (
                Some("application/octet-stream"),
                "\u{feff}  <html lang=en>",
                PageFormat::Html,
            ),
            (
                Some("text/plain"),
                "<?xml version=\"1.0\"?><!-- x --><html>",
                PageFormat::Html,
            ),
            (
                Some("text/html"),
                "PK\x03\x04\x14 word/document.xml",
                PageFormat::Docx,
            ),
            (
                Some("application/zip"),
                "PK\x03\x04\x14 a.txt",
                PageFormat::Other,
            ),
            (None, "{\"a\": 1}", PageFormat::Json),
            (None, "<?xml version=\"1.0\"?><rss/>", PageFormat::Xml),
            (None, "GIF89a\0\0", PageFormat::Other),
            (None, "", PageFormat::Text),
        ] {
            assert_eq!(
                PageFormat::detect(content_type, bytes.as_bytes()),
                form,
                "{bytes}"
            );
        }
    }

    #[test]
    fn else_the_type_is_believed() {
        for (content_type, form) in [
            ("text/html; charset=utf-8", PageFormat::Html),
            ("TEXT/PLAIN", PageFormat::Text),
            ("text/csv", PageFormat::Text),
            ("application/ld+json", PageFormat::Json),
            ("application/atom+xml", PageFormat::Xml),
            ("image/png", PageFormat::Other),
        ] {
            assert_eq!(PageFormat::detect(Some(content_type), b"Some words."), form);
        }
    }
}
