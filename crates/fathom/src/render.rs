//! A report in the form that was asked for.

use std::path::Path;

use fathom_research::Report;

use crate::cli::Format;
use crate::exit::{Problem, Result};

/// The format that a file's ending names.
pub fn format_of(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_lowercase();
    match ending.as_str() {
        "md" | "markdown" | "txt" => Some(Format::Md),
        "html" | "htm" => Some(Format::Html),
        "json" => Some(Format::Json),
        "bib" | "bibtex" => Some(Format::Bibtex),
        _ => None,
    }
}

/// The format for a file: as asked, else by its ending. Without a file it is Markdown.
pub fn chosen(asked: Option<Format>, out: Option<&Path>) -> Result<Format> {
    match (asked, out) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Md),
        (None, Some(path)) => format_of(path).ok_or_else(|| {
            let path = path.display();
            Problem::usage(format!("the ending of {path} names no format"))
                .advise("End it in .md, .html, .json or .bib, or add --format md")
        }),
    }
}

pub fn render(report: &Report, format: Format) -> Result<String> {
    match format {
        Format::Md => Ok(markdown(report)),
        Format::Html => Ok(format!("<!doctype html><title>{}</title>", report.title)),
        Format::Json => serde_json::to_string_pretty(report)
            .map(|json| json + "\n")
            .map_err(Problem::failed),
        Format::Bibtex => Ok(String::new()),
    }
}

fn markdown(report: &Report) -> String {
    let mut text = format!("# {}\n\n{}\n", report.title, report.summary);
    for section in &report.sections {
        text.push_str(&format!("\n## {}\n\n{}\n", section.title, section.text));
    }
    text.push_str(&format!(
        "\n## Conclusion\n\n{}\n\n## Sources\n\n",
        report.conclusion
    ));
    for source in &report.sources {
        text.push_str(&format!(
            "{}. {} ({})\n",
            source.id.0,
            source.name(),
            source.location
        ));
    }
    text
}
