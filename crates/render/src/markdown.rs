//! A report as Markdown, for a terminal, a file or another program that reads prose.
//!
//! Takes a finished report; gives CommonMark with tables, which opens with a line of figures and the answer and, where the
//! report is partial, says so before anything else. Words from sources are escaped: no quote, title or query can add a heading, a
//! link or raw HTML. Colours are left to the program that prints it.

pub(crate) mod escape;
mod prose;

use super::figures::line;
use super::outline::{ReportPart, parts, title};
use super::prose::ProseBlock;
use super::references::references;
use super::{FormOptions, Report, SourceId, written};
use escape::text;

/// The whole text.
pub fn markdown(report: &Report, options: &FormOptions) -> String {
    let mut page = head(report);
    page.blocks(&written::caveats(report));
    for part in parts(report, options) {
        page.block(&format!("## {}", text(&part.title(report))));
        match part {
            ReportPart::Summary => page.prose(&report.summary),
            ReportPart::Section(at) => {
                let section = report.sections.get(at);
                page.prose(section.map_or("", |section| &section.text));
            }
            ReportPart::Disagreements => page.blocks(&written::disagreements(report)),
            ReportPart::Unknown => page.blocks(&written::unknown(report)),
            ReportPart::Conclusion => page.prose(&report.conclusion),
            ReportPart::References => {
                let all = references(report);
                let items = all.iter().map(written::reference);
                let items = items.map(|words| vec![ProseBlock::Paragraph(words)]);
                page.blocks(&[ProseBlock::List {
                    first: Some(1),
                    items: items.collect(),
                }]);
            }
            ReportPart::Method => {
                page.blocks(&[written::figures(report)]);
                page.blocks(&written::notes(report));
            }
            ReportPart::Proofs => page.blocks(&written::proofs(report)),
        }
    }
    page.out
}

/// What a reader came for: the title, a line of figures and the answer.
pub fn opening_lines(report: &Report) -> String {
    head(report).out
}

/// What a reader must see first: that a report is partial, the line of figures, the answer.
fn head(report: &Report) -> MarkdownPage<'_> {
    let mut page = MarkdownPage {
        report,
        out: String::new(),
    };
    page.block(&format!("# {}", text(&title(report))));
    if let Some(note) = written::partial_note(report) {
        page.blocks(&[ProseBlock::Quote(vec![ProseBlock::Paragraph(note)])]);
    }
    page.block(&format!("*{}*", text(&line(report))));
    page.blocks(&written::answer(report));
    page
}

/// The page so far: blocks with one empty line between them.
struct MarkdownPage<'r> {
    report: &'r Report,
    out: String,
}

impl MarkdownPage<'_> {
    fn block(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block.trim_end());
        self.out.push('\n');
    }

    fn prose(&mut self, text: &str) {
        self.blocks(&super::prose::parse(text));
    }

    /// A number that no source has is never shown as a citation.
    fn blocks(&mut self, blocks: &[ProseBlock]) {
        let report = self.report;
        let cite = |id: u32| match report.source(SourceId(id)) {
            Some(_) => format!("[{id}]"),
            None => "[?]".to_owned(),
        };
        let written = prose::write(blocks, &cite);
        if !written.is_empty() {
            self.block(&written);
        }
    }
}

#[cfg(test)]
mod tests;
