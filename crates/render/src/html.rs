//! A report as one HTML file that stands by itself: it asks for nothing from anywhere, and can be kept or sent on.
//!
//! Takes a finished report; gives a page with its answer, its contents, the text with source and quote on each
//! citation, the references and the proofs. It works without its script, which only adds comfort. All text is escaped, the
//! prose holds only the forms of [`super::prose`], and a content policy forbids every request and every script but ours.

mod head;
mod parts;
mod prose;
pub(crate) mod tag;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fathom_evidence::Language;
use sha2::{Digest as _, Sha256};

use super::outline::{ReportPart, parts, title};
use super::{FormOptions, Report, written};
use crate::report::claim::TextPlace;
use prose::ProseWriter;
pub(crate) use tag::HtmlPage;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The whole page.
pub fn html(report: &Report) -> String {
    let parts = parts(report, &FormOptions::FULL);
    let phrases = report.phrases();
    let mut page = HtmlPage::default();
    page.out.push_str("<!DOCTYPE html>\n");
    page.open("html", &[("lang", report.language.code())]);
    page.line();
    document_head(&mut page, &title(report));
    page.open("body", &[]);
    page.element("a", &[("class", "skip"), ("href", "#text")], phrases.skip);
    page.line();
    head::write(&mut page, report);
    contents(&mut page, report, &parts);
    page.open("main", &[("id", "text")]);
    page.line();
    let mut writer = ProseWriter::new(report, page);
    for (at, part) in parts.iter().enumerate() {
        write_part(&mut writer, report, *part, &anchor(at));
    }
    let mut page = writer.html;
    page.close("main");
    page.line();
    page.element("footer", &[], phrases.footer);
    page.line();
    page.open("script", &[]);
    page.out.push_str(SCRIPT);
    page.close("script");
    page.line();
    page.close("body");
    page.line();
    page.close("html");
    page.line();
    page.out
}

/// The head of a page, with its policy and style sheet.
pub(crate) fn document_head(page: &mut HtmlPage, title: &str) {
    page.open("head", &[]);
    page.line();
    page.open("meta", &[("charset", "utf-8")]);
    page.line();
    let policy = [
        ("http-equiv", "Content-Security-Policy"),
        ("content", &policy()),
    ];
    page.open("meta", &policy);
    page.line();
    let named = [
        ("viewport", "width=device-width, initial-scale=1"),
        ("referrer", "no-referrer"),
        ("color-scheme", "light dark"),
        ("generator", "Fathom"),
    ];
    for (name, content) in named {
        page.open("meta", &[("name", name), ("content", content)]);
        page.line();
    }
    page.element("title", &[], title);
    page.line();
    page.open("style", &[]);
    page.out.push_str(STYLE);
    page.close("style");
    page.line();
    page.close("head");
    page.line();
}

/// Nothing may be fetched, and nothing runs but the style sheet and the script of this very page.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

fn anchor(at: usize) -> String {
    format!("part-{}", at + 1)
}

fn contents(page: &mut HtmlPage, report: &Report, parts: &[ReportPart]) {
    page.open("nav", &[("aria-labelledby", "contents")]);
    page.element("h2", &[("id", "contents")], report.phrases().contents);
    page.open("ol", &[]);
    for (at, part) in parts.iter().enumerate() {
        page.open("li", &[]);
        let to = format!("#{}", anchor(at));
        page.element("a", &[("href", &to), ("dir", "auto")], &part.title(report));
        page.close("li");
    }
    page.close("ol");
    page.close("nav");
    page.line();
}

fn write_part(writer: &mut ProseWriter<'_>, report: &Report, part: ReportPart, anchor: &str) {
    let heading = format!("{anchor}-title");
    let section = [("id", anchor), ("aria-labelledby", &heading)];
    writer.html.open("section", &section);
    let title = [("id", heading.as_str()), ("dir", "auto")];
    let is_folded = matches!(part, ReportPart::Section(_)) && report.shows_nearest_only();
    if is_folded {
        writer.html.open("details", &[]);
        writer.html.element("summary", &title, &part.title(report));
    } else {
        writer.html.element("h2", &title, &part.title(report));
    }
    writer.html.line();
    match part {
        ReportPart::Summary => writer.prose(TextPlace::Summary, None, &report.summary),
        ReportPart::Section(at) => {
            let section = report.sections.get(at);
            let text = section.map_or("", |section| section.text.as_str());
            writer.prose(TextPlace::Section, Some(at + 1), text);
        }
        ReportPart::Conclusion => writer.prose(TextPlace::Conclusion, None, &report.conclusion),
        ReportPart::Disagreements => writer.blocks(&written::disagreements(report)),
        ReportPart::Unknown => writer.blocks(&written::unknown(report)),
        ReportPart::Method => parts::method(writer, report),
        ReportPart::References => parts::references(writer, report),
        ReportPart::Proofs => parts::proofs(&mut writer.html, report),
    }
    if is_folded {
        writer.html.close("details");
    }
    writer.html.close("section");
    writer.html.line();
}

/// The language to declare for a text, where it is not that of the page.
fn foreign(text: &str, page: Language) -> Option<Language> {
    Language::detect(text).filter(|language| *language != page)
}

#[cfg(test)]
mod tests;
