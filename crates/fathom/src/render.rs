//! A report in the form that was asked for.

use std::io::IsTerminal as _;
use std::path::Path;

use fathom_render::Report;
use fathom_render::bibtex::bibtex;
use fathom_render::docx::docx;
use fathom_render::html::{HtmlOptions, html};
use fathom_render::json::json;
use fathom_render::markdown::{MarkdownOptions, markdown};

use crate::cli::Format;
use crate::exit::{Problem, Result};

/// The format that a file's ending names.
pub fn format_of(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_lowercase();
    match ending.as_str() {
        "md" | "markdown" | "txt" => Some(Format::Md),
        "html" | "htm" => Some(Format::Html),
        "json" => Some(Format::Json),
        "docx" => Some(Format::Docx),
        "bib" | "bibtex" => Some(Format::Bibtex),
        _ => None,
    }
}

/// The format for a file: as asked, else by its ending. Without a file it is Markdown.
pub fn chosen(asked: Option<Format>, out: Option<&Path>) -> Result<Format> {
    match (asked, out) {
        (Some(Format::Docx), None) if std::io::stdout().is_terminal() => {
            Err(Problem::usage("a Word file is no text for a terminal")
                .advise("Name a file: --out report.docx"))
        }
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Md),
        (None, Some(path)) => format_of(path).ok_or_else(|| {
            let path = path.display();
            Problem::usage(format!("the ending of {path} names no format"))
                .advise("End it in .md, .html, .docx, .json or .bib, or add --format md")
        }),
    }
}

/// The bytes of the file.
pub fn render(report: &Report, format: Format) -> Result<Vec<u8>> {
    let text = match format {
        Format::Md => markdown(report, &MarkdownOptions::default()),
        Format::Html => html(report, &HtmlOptions::default()),
        Format::Json => json(report),
        Format::Bibtex => bibtex(report),
        Format::Docx => return docx(report).map_err(Problem::failed),
    };
    Ok(text.into_bytes())
}
