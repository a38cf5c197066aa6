//! A report, an answer or an appraisal in the form that was asked for.

use std::io::IsTerminal as _;
use std::path::Path;

use fathom_render::appraisal::{self, Appraisal};
use fathom_render::bibtex::bibtex;
use fathom_render::docx::docx;
use fathom_render::html::html;
use fathom_render::json::json;
use fathom_render::markdown::markdown;
use fathom_render::{Answer, FormOptions, Report, answer};

use crate::cli::ReportFormat;
use crate::exit::{Problem, Result};

/// The format that a file's ending names.
pub fn format_of(path: &Path) -> Option<ReportFormat> {
    let ending = path.extension()?.to_str()?.to_lowercase();
    match ending.as_str() {
        "md" | "markdown" | "txt" => Some(ReportFormat::Md),
        "html" | "htm" => Some(ReportFormat::Html),
        "json" => Some(ReportFormat::Json),
        "docx" => Some(ReportFormat::Docx),
        "bib" | "bibtex" => Some(ReportFormat::Bibtex),
        "csv" => Some(ReportFormat::Csv),
        "svg" => Some(ReportFormat::Svg),
        "png" => Some(ReportFormat::Png),
        _ => None,
    }
}

/// The format for an outcome of this kind: as asked, else by the file's ending. Without a file a report is Markdown; what
/// is no report has no form but JSON.
pub fn chosen(kind: &str, asked: Option<ReportFormat>, out: Option<&Path>) -> Result<ReportFormat> {
    if kind == answer::KIND {
        return match (asked.or_else(|| out.and_then(format_of)), out) {
            (Some(format @ (ReportFormat::Md | ReportFormat::Html | ReportFormat::Json)), _) => {
                Ok(format)
            }
            (None, None) => Ok(ReportFormat::Md),
            _ => Err(
                Problem::usage("an answer can be had as Markdown, as a page or as JSON")
                    .advise("Use the extension .md, .html or .json, or add --format md"),
            ),
        };
    }
    if kind == appraisal::KIND {
        return appraisal_format(asked, out);
    }
    if kind != fathom_render::report::KIND {
        return match asked.or_else(|| out.and_then(format_of)) {
            Some(ReportFormat::Json) => Ok(ReportFormat::Json),
            None if out.is_none() => Ok(ReportFormat::Json),
            _ => Err(
                Problem::usage("this workflow brings JSON and has no other form")
                    .advise("Use the extension .json, or add --format json"),
            ),
        };
    }
    match (asked, out) {
        (Some(ReportFormat::Docx), None) if std::io::stdout().is_terminal() => {
            Err(Problem::usage("a Word file cannot be shown in a terminal")
                .advise("Write it to a file: --out report.docx"))
        }
        (Some(ReportFormat::Csv | ReportFormat::Svg | ReportFormat::Png), _) => {
            Err(no_such_report())
        }
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ReportFormat::Md),
        (None, Some(path)) => match format_of(path) {
            Some(ReportFormat::Csv | ReportFormat::Svg | ReportFormat::Png) | None => {
                let path = path.display();
                Err(Problem::usage(format!(
                    "the name {path} does not say which format to write"
                ))
                .advise("Use the extension .md, .html, .docx, .json or .bib, or add --format md"))
            }
            Some(format) => Ok(format),
        },
    }
}

fn no_such_report() -> Problem {
    Problem::usage("a report has no table of judgements and no picture")
        .advise("Use --format md, html, docx, json or bibtex")
}

fn appraisal_format(asked: Option<ReportFormat>, out: Option<&Path>) -> Result<ReportFormat> {
    match (asked.or_else(|| out.and_then(format_of)), out) {
        (Some(ReportFormat::Bibtex), _) | (None, Some(_)) => Err(Problem::usage(
            "an appraisal can be had as a page, Word, JSON, the table for robvis, a picture or Markdown",
        )
        .advise("Use the extension .html, .docx, .json, .csv, .svg, .png or .md, or add --format html")),
        (Some(ReportFormat::Docx | ReportFormat::Png), None)
            if std::io::stdout().is_terminal() =>
        {
            Err(
                Problem::usage("a Word file or a PNG cannot be shown in a terminal")
                    .advise("Write it to a file: --out appraisal.docx"),
            )
        }
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ReportFormat::Md),
    }
}

/// The bytes of an appraisal.
pub fn render_appraisal(appraisal: &Appraisal, format: ReportFormat) -> Result<Vec<u8>> {
    match format {
        ReportFormat::Json => pretty_json(appraisal),
        _ => render_appraisals(std::slice::from_ref(appraisal), format),
    }
}

/// The bytes of several appraisals in one file; as a picture they are the traffic lights.
pub fn render_appraisals(appraisals: &[Appraisal], format: ReportFormat) -> Result<Vec<u8>> {
    let text = match format {
        ReportFormat::Md => appraisal::markdown(appraisals),
        ReportFormat::Html => appraisal::html(appraisals),
        ReportFormat::Csv => appraisal::csv(appraisals),
        ReportFormat::Svg => appraisal::traffic_lights(appraisals).svg(),
        ReportFormat::Png => {
            let png = appraisal::traffic_lights(appraisals).png();
            return png.map_err(Problem::failed);
        }
        ReportFormat::Docx => return appraisal::docx(appraisals).map_err(Problem::failed),
        ReportFormat::Json => return pretty_json(&appraisals),
        ReportFormat::Bibtex => {
            return Err(Problem::usage("an appraisal has no list of references"));
        }
    };
    Ok(text.into_bytes())
}

/// JSON for people, with a last line that ends.
pub fn pretty_json(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(Problem::failed)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The bytes of the file.
pub fn render(report: &Report, format: ReportFormat, options: &FormOptions) -> Result<Vec<u8>> {
    let text = match format {
        ReportFormat::Md => markdown(report, options),
        ReportFormat::Html => html(report),
        ReportFormat::Json => json(report),
        ReportFormat::Bibtex => bibtex(report),
        ReportFormat::Docx => return docx(report, options).map_err(Problem::failed),
        ReportFormat::Csv | ReportFormat::Svg | ReportFormat::Png => return Err(no_such_report()),
    };
    Ok(text.into_bytes())
}

/// The bytes of an answer; it has no other forms than these.
pub fn render_answer(answer: &Answer, format: ReportFormat) -> Result<Vec<u8>> {
    let text = match format {
        ReportFormat::Md => answer::markdown(answer),
        ReportFormat::Html => answer::html(answer),
        ReportFormat::Json => answer::json(answer),
        ReportFormat::Docx
        | ReportFormat::Bibtex
        | ReportFormat::Csv
        | ReportFormat::Svg
        | ReportFormat::Png => {
            return Err(Problem::usage(
                "an answer can be had as Markdown, as a page or as JSON",
            ));
        }
    };
    Ok(text.into_bytes())
}
