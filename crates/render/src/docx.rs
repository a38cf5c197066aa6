//! A report as a Word document (Office Open XML), to be read, commented on and sent on where people work in such files.
//!
//! Takes a finished report; gives the bytes of the file, the same for the same report. Citations lead to their
//! references and name the source when pointed at. The words go through [`super::prose`] and are escaped, so no source
//! can add markup, fields or links to files.

mod address;
mod body;
mod package;
mod parts;
mod prose;

use super::outline::{ReportPart, parts, title};
use super::{FormOptions, Report};
use body::{DocxBody, ParagraphStyle};

pub use package::DocxError;

/// The bytes of the document.
pub fn docx(report: &Report, options: &FormOptions) -> Result<Vec<u8>, DocxError> {
    let mut body = DocxBody::new(&report.sources);
    body.plain(ParagraphStyle::Title, &title(report));
    parts::head(&mut body, report);
    for part in parts(report, options) {
        body.plain(ParagraphStyle::Heading, &part.title(report));
        match part {
            ReportPart::Summary => prose::write(&mut body, &report.summary),
            ReportPart::Section(at) => {
                let section = report.sections.get(at);
                prose::write(&mut body, section.map_or("", |section| &section.text));
            }
            ReportPart::Disagreements => parts::disagreements(&mut body, report),
            ReportPart::Unknown => parts::unknown(&mut body, report),
            ReportPart::Conclusion => prose::write(&mut body, &report.conclusion),
            ReportPart::Method => parts::method(&mut body, report),
            ReportPart::References => parts::references(&mut body, report),
            ReportPart::Proofs => parts::proofs(&mut body, report),
        }
    }
    package::pack(&title(report), body)
}

#[cfg(test)]
mod tests;
