//! The top of the page: the title, the warning of a partial report, the line of figures, the answer, what to keep in mind.

use super::prose::ProseWriter;
use super::tag::HtmlPage;
use crate::figures::line;
use crate::outline::title;
use crate::report::claim::TextPlace;
use crate::report::{Answered, ReportAnswer};
use crate::{Report, clean, written};

pub(super) fn write(page: &mut HtmlPage, report: &Report) {
    page.open("header", &[]);
    page.line();
    let (title, question) = (title(report), clean::line(&report.question.text));
    page.element("h1", &[("dir", "auto")], &title);
    page.line();
    if title != question {
        page.open("p", &[("class", "question")]);
        page.element("span", &[("class", "label")], report.phrases().asked);
        page.text(" ");
        page.element("span", &[("dir", "auto")], &question);
        page.close("p");
        page.line();
    }
    let mut writer = ProseWriter::new(report, std::mem::take(page));
    if let Some(note) = written::partial_note(report) {
        writer.wrapped("p", &[("class", "partial"), ("role", "note")], &note);
    }
    let figures = line(report);
    writer.html.element("p", &[("class", "where")], &figures);
    writer.html.line();
    if let Some(given) = &report.answer {
        answer(&mut writer, report, given);
    }
    if !report.caveats.is_empty() {
        let note = [("class", "caveats"), ("role", "note")];
        writer.html.open("div", &note);
        writer.blocks(&written::caveats(report));
        writer.html.close("div");
        writer.html.line();
    }
    *page = writer.html;
    page.close("header");
    page.line();
}

/// The answer, whether it is one, and who says so. Where it is none, that comes first.
fn answer(writer: &mut ProseWriter<'_>, report: &Report, answer: &ReportAnswer) {
    writer.html.open("div", &[("class", "answer")]);
    let text = |writer: &mut ProseWriter<'_>| {
        if !answer.text.trim().is_empty() {
            writer.prose(TextPlace::Answer, None, &answer.text);
        }
    };
    let class = match answer.answered {
        Answered::Yes => "answered yes",
        Answered::Partly => "answered partly",
        Answered::No => "answered no",
    };
    if answer.answered != Answered::No {
        text(writer);
    }
    let said = [("class", class), ("dir", "auto")];
    writer.wrapped("p", &said, &written::verdict(report, answer));
    if let Some(evidence) = report.phrases().evidence(answer.agree, answer.dispute) {
        writer.html.element("p", &[("class", "where")], &evidence);
    }
    if answer.answered == Answered::No {
        text(writer);
    }
    writer.html.close("div");
    writer.html.line();
}
