//! A report as a Word document (Office Open XML), to be read, commented on and sent on where people work in such files.
//!
//! Takes a finished report; gives the bytes of the file, the same for the same report. Citations lead to their
//! references and name the source when pointed at. The words go through [`super::prose`] and are escaped, so no source
//! can add markup, fields or links to files.

mod address;
pub(crate) mod body;
pub(crate) mod package;
mod prose;

use super::figures::line;
use super::outline::{ReportPart, parts, title};
use super::{FormOptions, Report, written};
use body::{DocxBody, ListPosition, ParagraphStyle, RunFormat};

pub use package::DocxError;

/// The bytes of the document.
pub fn docx(report: &Report, options: &FormOptions) -> Result<Vec<u8>, DocxError> {
    let mut body = DocxBody::new(&report.sources);
    body.plain(ParagraphStyle::Title, &title(report));
    head(&mut body, report);
    for part in parts(report, options) {
        body.plain(ParagraphStyle::Heading, &part.title(report));
        match part {
            ReportPart::Summary => prose::write(&mut body, &report.summary),
            ReportPart::Section(at) => {
                let section = report.sections.get(at);
                prose::write(&mut body, section.map_or("", |section| &section.text));
            }
            ReportPart::Disagreements => prose::blocks(&mut body, &written::disagreements(report)),
            ReportPart::Unknown => prose::blocks(&mut body, &written::unknown(report)),
            ReportPart::Conclusion => prose::write(&mut body, &report.conclusion),
            ReportPart::References => prose::references(&mut body, report),
            ReportPart::Method => {
                prose::blocks(&mut body, &[written::figures(report)]);
                prose::blocks(&mut body, &written::notes(report));
            }
            ReportPart::Proofs => prose::blocks(&mut body, &written::proofs(report)),
        }
    }
    package::pack(&title(report), body)
}

/// What a reader must see first: that a report is partial, the line of figures, the answer, what to keep in mind.
fn head(body: &mut DocxBody<'_>, report: &Report) {
    if let Some(note) = written::partial_note(report) {
        prose::paragraph(body, &note, ParagraphStyle::Warning, ListPosition::Free);
    }
    body.open(ParagraphStyle::Text, ListPosition::Free);
    body.run(&line(report), RunFormat::SLANTED);
    body.close();
    prose::blocks(body, &written::answer(report));
    prose::blocks(body, &written::caveats(report));
}

#[cfg(test)]
mod tests;
