//! The top of the page: the title, the warning of a partial report, the figures, what to keep in mind.

use super::prose::ProseWriter;
use super::tag::HtmlPage;
use crate::figures::figures;
use crate::outline::title;
use crate::report::ReportStatus;
use crate::{Report, clean};

pub(super) fn write(page: &mut HtmlPage, report: &Report) {
    page.open("header", &[]);
    page.line();
    let (title, question) = (title(report), clean::line(&report.question.text));
    page.element("h1", &[("dir", "auto")], &title);
    page.line();
    if title != question {
        page.open("p", &[("class", "question")]);
        page.element("span", &[("class", "label")], "Asked: ");
        page.element("span", &[("dir", "auto")], &question);
        page.close("p");
        page.line();
    }
    if let ReportStatus::Partial { reason } = &report.status {
        page.open("p", &[("class", "partial"), ("role", "note")]);
        page.element(
            "strong",
            &[],
            "This is a partial report, not a full answer.",
        );
        page.text(" ");
        page.text(&clean::sentence(reason));
        page.close("p");
        page.line();
    }
    panel(page, report);
    caveats(page, report);
    page.close("header");
    page.line();
}

fn panel(page: &mut HtmlPage, report: &Report) {
    page.open(
        "dl",
        &[
            ("class", "figures"),
            ("aria-label", "Figures of this report"),
        ],
    );
    for figure in figures(report) {
        page.open("div", &[]);
        page.element("dt", &[], figure.label);
        page.element("dd", &[("class", "value")], &figure.value);
        if let Some(detail) = &figure.detail {
            page.element("dd", &[("class", "detail")], detail);
        }
        page.close("div");
    }
    page.close("dl");
    page.line();
}

fn caveats(page: &mut HtmlPage, report: &Report) {
    if report.caveats.is_empty() {
        return;
    }
    page.open("div", &[("class", "caveats"), ("role", "note")]);
    page.element("p", &[], "Before you rely on it");
    page.open("ul", &[]);
    let mut writer = ProseWriter::new(&report.sources, &[], std::mem::take(page));
    for caveat in &report.caveats {
        writer.html.open("li", &[("dir", "auto")]);
        writer.sentence(caveat);
        writer.html.close("li");
    }
    *page = writer.html;
    page.close("ul");
    page.close("div");
    page.line();
}
