//! A report as Markdown, for a terminal, a file or another program that reads prose.
//!
//! Takes a finished report; gives CommonMark with tables, which opens with a line of figures and the answer and, where the
//! report is partial, says so before anything else. Words from sources are escaped: no quote, title or query can add a heading, a
//! link or raw HTML. Colours are left to the program that prints it.

mod appendix;
mod escape;
mod prose;

use super::figures::line;
use super::outline::{
    ReportPart, disagreements, next_query, partial_reason, parts, title, unnamed_sub_question,
};
use super::{FormOptions, Report, SourceId, clean};
use crate::report::claim::{Disagreement, SourceQuote};
use crate::report::{Answered, OpenQuestion};
use escape::{opening, text};

/// The whole text.
pub fn markdown(report: &Report, options: &FormOptions) -> String {
    let mut page = head(report);
    caveats(&mut page, report);
    for part in parts(report, options) {
        page.block(&format!("## {}", text(&part.title(report))));
        match part {
            ReportPart::Summary => page.prose(report, &report.summary),
            ReportPart::Section(at) => {
                let section = report.sections.get(at);
                page.prose(report, section.map_or("", |section| &section.text));
            }
            ReportPart::Disagreements => disagree(&mut page, report),
            ReportPart::Unknown => page.list(report.gaps.iter().map(|gap| unknown(report, gap))),
            ReportPart::Conclusion => page.prose(report, &report.conclusion),
            ReportPart::Method => appendix::method(&mut page, report),
            ReportPart::References => appendix::references(&mut page, report),
            ReportPart::Proofs => appendix::proofs(&mut page, report),
        }
    }
    page.out
}

/// What a reader came for: the title, a line of figures and the answer.
pub fn opening_lines(report: &Report) -> String {
    head(report).out
}

/// What a reader must see first: that a report is partial, the line of figures, the answer.
fn head(report: &Report) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.block(&format!("# {}", text(&title(report))));
    if let Some(reason) = partial_reason(report) {
        let note = report.phrases().partial_note;
        let reason = sentence(report, &reason);
        page.block(&format!("> **{note}** {}", opening(&reason)));
    }
    page.block(&format!("*{}*", text(&line(report))));
    answer(&mut page, report);
    page
}

/// The answer, whether it is one, and who says so. Where it is none, that comes first.
fn answer(page: &mut MarkdownPage, report: &Report) {
    let Some(answer) = &report.answer else {
        return;
    };
    let phrases = report.phrases();
    if answer.answered != Answered::No {
        page.prose(report, &answer.text);
    }
    let verdict = phrases.verdict(answer.answered);
    let reason = sentence(report, &clean::sentence(&answer.reason));
    page.block(&format!("**{verdict}** {}", opening(&reason)));
    if let Some(evidence) = phrases.evidence(answer.agree, answer.dispute) {
        page.block(&text(&evidence));
    }
    if answer.answered == Answered::No {
        page.prose(report, &answer.text);
    }
}

fn caveats(page: &mut MarkdownPage, report: &Report) {
    if !report.caveats.is_empty() {
        page.block(&format!("**{}**", report.phrases().before_relying));
        page.list(report.caveats.iter().map(|caveat| sentence(report, caveat)));
    }
}

fn disagree(page: &mut MarkdownPage, report: &Report) {
    for pair in disagreements(report) {
        let about = sentence(report, &pair.about);
        page.block(&format!(
            "**{}**",
            if about.is_empty() {
                report.phrases().disagreements
            } else {
                &about
            }
        ));
        page.list(pair.sides.iter().map(|side| quoted(report, side)));
        page.block(&weighed(report, pair));
    }
}

fn quoted(report: &Report, side: &SourceQuote) -> String {
    let name = report.source(side.source).map(|source| source.name());
    let name = name.map_or_else(String::new, |name| {
        format!(" ({})", text(&clean::name(name)))
    });
    let quote = text(&clean::line(&side.quote));
    format!("“{quote}” {}{name}", cite(report, side.source.0))
}

fn weighed(report: &Report, pair: &Disagreement) -> String {
    match &pair.weighed {
        Some(weighed) => opening(&sentence(report, weighed)),
        None => report.phrases().neither_side.to_owned(),
    }
}

fn unknown(report: &Report, gap: &OpenQuestion) -> String {
    let mut words = sentence(report, &gap.missing);
    if let Some(sub) = unnamed_sub_question(report, gap) {
        words = format!(
            "{words} (sub-question {}: {})",
            gap.sub_question,
            text(&clean::line(sub))
        );
    }
    match next_query(report, gap) {
        None => words,
        Some(query) => {
            let search_next = report.phrases().search_next;
            format!("{words} {search_next} “{}”.", text(&query))
        }
    }
}

/// A plain sentence of ours, which may cite sources.
fn sentence(report: &Report, plain: &str) -> String {
    let inlines = super::prose::cited(clean::line(plain));
    prose::line(&inlines, &|id| cite(report, id))
}

/// A citation; a number that no source has is never shown as one.
fn cite(report: &Report, id: u32) -> String {
    match report.source(SourceId(id)) {
        Some(_) => format!("[{id}]"),
        None => "[?]".to_owned(),
    }
}

/// The page so far: blocks with one empty line between them.
#[derive(Default)]
struct MarkdownPage {
    out: String,
}

impl MarkdownPage {
    fn block(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block.trim_end());
        self.out.push('\n');
    }

    /// Items are escaped lines.
    fn list(&mut self, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.map(|item| format!("- {}", opening(&item))).collect();
        if !items.is_empty() {
            self.block(&items.join("\n"));
        }
    }

    fn numbered(&mut self, items: impl Iterator<Item = String>) {
        let numbered = (1..).zip(items);
        let items: Vec<String> = numbered
            .map(|(number, item)| format!("{number}. {}", opening(&item)))
            .collect();
        if !items.is_empty() {
            self.block(&items.join("\n"));
        }
    }

    fn prose(&mut self, report: &Report, text: &str) {
        let blocks = super::prose::parse(text);
        let written = prose::write(&blocks, &|id| cite(report, id));
        if !written.is_empty() {
            self.block(&written);
        }
    }
}

#[cfg(test)]
mod tests;
