//! The top of the page: the title, the warning of a partial report, the line of figures, the answer, what to keep in mind.

use super::prose::ProseWriter;
use super::tag::HtmlPage;
use crate::figures::line;
use crate::outline::{partial_reason, title};
use crate::report::claim::TextPlace;
use crate::report::{Answered, ReportAnswer};
use crate::{Report, clean};

pub(super) fn write(page: &mut HtmlPage, report: &Report) {
    let phrases = report.phrases();
    page.open("header", &[]);
    page.line();
    let (title, question) = (title(report), clean::line(&report.question.text));
    page.element("h1", &[("dir", "auto")], &title);
    page.line();
    if title != question {
        page.open("p", &[("class", "question")]);
        page.element("span", &[("class", "label")], phrases.asked);
        page.text(" ");
        page.element("span", &[("dir", "auto")], &question);
        page.close("p");
        page.line();
    }
    if let Some(reason) = partial_reason(report) {
        page.open("p", &[("class", "partial"), ("role", "note")]);
        page.element("strong", &[], phrases.partial_note);
        page.text(" ");
        page.text(&reason);
        page.close("p");
        page.line();
    }
    page.element("p", &[("class", "where")], &line(report));
    page.line();
    let mut writer = ProseWriter::new(report, std::mem::take(page));
    if let Some(given) = &report.answer {
        answer(&mut writer, report, given);
    }
    caveats(&mut writer, report);
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
    if answer.answered != Answered::No {
        text(writer);
    }
    let phrases = report.phrases();
    let class = match answer.answered {
        Answered::Yes => "good",
        Answered::Partly => "open",
        Answered::No => "bad",
    };
    writer
        .html
        .open("p", &[("class", "answered"), ("dir", "auto")]);
    let verdict = phrases.verdict(answer.answered);
    writer.html.element("strong", &[("class", class)], verdict);
    writer.html.text(" ");
    writer.sentence(&clean::sentence(&answer.reason));
    if let Some(evidence) = phrases.evidence(answer.agree, answer.dispute) {
        writer.html.text(" ");
        writer
            .html
            .element("span", &[("class", "aside")], &evidence);
    }
    writer.html.close("p");
    if answer.answered == Answered::No {
        text(writer);
    }
    writer.html.close("div");
    writer.html.line();
}

fn caveats(writer: &mut ProseWriter<'_>, report: &Report) {
    if report.caveats.is_empty() {
        return;
    }
    writer
        .html
        .open("div", &[("class", "caveats"), ("role", "note")]);
    writer
        .html
        .element("p", &[], report.phrases().before_relying);
    writer.html.open("ul", &[]);
    for caveat in &report.caveats {
        writer.html.open("li", &[("dir", "auto")]);
        writer.sentence(caveat);
        writer.html.close("li");
    }
    writer.html.close("ul");
    writer.html.close("div");
    writer.html.line();
}
