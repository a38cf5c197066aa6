//! An answer as one HTML file that stands by itself, under the same content policy as a report's page.

use super::words::AnswerWords;
use super::{Answer, AnswerSentence, AnswerSource, Answered, notes};
use crate::html::{HtmlPage, document_head};
use crate::phrases::Phrases;
use crate::{SourceId, clean};

/// The whole page.
pub fn html(answer: &Answer) -> String {
    let phrases = Phrases::new(answer.language);
    let question = clean::line(&answer.question);
    let mut page = HtmlPage::default();
    page.out.push_str("<!DOCTYPE html>\n");
    page.open("html", &[("lang", answer.language.code())]);
    page.line();
    document_head(&mut page, &question);
    page.open("body", &[]);
    page.line();
    page.open("header", &[]);
    page.element("h1", &[("dir", "auto")], &question);
    if let Some(understood) = &answer.understood_as {
        let words = AnswerWords::new(answer.language).understood_as;
        let told = format!("{words} {}", clean::line(understood));
        page.element("p", &[("class", "where"), ("dir", "auto")], &told);
    }
    opening(&mut page, answer);
    page.close("header");
    page.line();
    page.open("main", &[("id", "text")]);
    if !answer.sources.is_empty() {
        page.element("h2", &[], phrases.sources);
        page.open("ol", &[("class", "references")]);
        page.line();
        for source in &answer.sources {
            one_source(&mut page, answer, source);
        }
        page.close("ol");
    }
    for line in notes::footnotes(answer) {
        page.element("p", &[("class", "where"), ("dir", "auto")], &line);
    }
    page.close("main");
    page.line();
    page.element("footer", &[], phrases.footer);
    page.close("body");
    page.close("html");
    page.line();
    page.out
}

fn opening(page: &mut HtmlPage, answer: &Answer) {
    page.open("div", &[("class", "answer")]);
    let class = match answer.answered {
        Answered::Yes => "answered yes",
        Answered::Partly => "answered partly",
        Answered::No => "answered no",
    };
    let verdict = notes::verdict(answer);
    let said = [("class", class), ("dir", "auto")];
    let refused = answer.answered == Answered::No || !answer.is_answer();
    if refused {
        page.element("p", &said, &verdict);
    }
    for sentence in &answer.sentences {
        one_sentence(
            page,
            sentence,
            AnswerWords::new(answer.language).unconfirmed,
        );
    }
    if !refused {
        page.element("p", &said, &verdict);
    }
    page.close("div");
    page.line();
    let warnings = notes::warnings(answer);
    if !warnings.is_empty() {
        page.open("div", &[("class", "caveats"), ("role", "note")]);
        for warning in &warnings {
            page.element("p", &[("dir", "auto")], warning);
        }
        page.close("div");
        page.line();
    }
}

fn one_sentence(page: &mut HtmlPage, sentence: &AnswerSentence, unconfirmed: &str) {
    let element = if sentence.quoted { "blockquote" } else { "p" };
    page.open(element, &[("dir", "auto")]);
    page.text(&clean::line(&sentence.text));
    for SourceId(number) in &sentence.sources {
        page.text(" ");
        let to = format!("#source-{number}");
        page.element("a", &[("href", &to)], &format!("[{number}]"));
    }
    if !sentence.confirmed {
        page.text(" ");
        page.element("em", &[], &format!("({unconfirmed})"));
    }
    page.close(element);
    page.line();
}

fn one_source(page: &mut HtmlPage, answer: &Answer, source: &AnswerSource) {
    let anchor = format!("source-{}", source.number.0);
    page.open("li", &[("id", &anchor), ("dir", "auto")]);
    let title = clean::name(&source.title);
    if !title.is_empty() && title != source.location {
        page.element("strong", &[], &title);
        page.text(" ");
    }
    let place = notes::place(source, answer.language);
    match clean::link(&source.location) {
        Some(to) => {
            page.open_link(&to);
            page.text(&place);
            page.close("a");
        }
        None => page.element("span", &[("class", "where")], &place),
    }
    page.element(
        "blockquote",
        &[("dir", "auto")],
        &clean::lines(&source.passage),
    );
    page.close("li");
    page.line();
}
