//! Appraisals as one page: the plots, then each trial with its answers and quotes, each quote linked to its page.

use super::table::place;
use super::{
    AnsweredBy, AnsweredQuestion, Appraisal, AppraisalQuote, Judgement, summary_plot,
    traffic_lights,
};
use crate::clean;

const STYLE: &str = include_str!("style.css");

/// The whole page, with nothing loaded from elsewhere.
pub fn html(appraisals: &[Appraisal]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Risk of bias (RoB 2)</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>{STYLE}</style></head><body>\n\
         <h1>Risk of bias (RoB 2)</h1>\n"
    );
    if appraisals.iter().any(|one| one.refused.is_none()) {
        page.push_str(&format!(
            "<figure>{}</figure>\n",
            traffic_lights(appraisals).svg()
        ));
    }
    if appraisals.len() > 1 {
        page.push_str(&format!(
            "<figure>{}</figure>\n",
            summary_plot(appraisals).svg()
        ));
    }
    for appraisal in appraisals {
        page.push_str(&trial(appraisal));
    }
    page.push_str("</body></html>\n");
    page
}

fn trial(appraisal: &Appraisal) -> String {
    let study = &appraisal.study;
    let mut out = format!("<section><h2>{}</h2>\n", clean::xml(&study.label));
    if let Some(title) = &study.title {
        out.push_str(&format!("<p class=\"title\">{}</p>\n", clean::xml(title)));
    }
    if let Some(why) = &appraisal.refused {
        out.push_str(&format!(
            "<p class=\"note\">Not appraised: {}</p></section>\n",
            clean::xml(why)
        ));
        return out;
    }
    let outcome = appraisal
        .outcome
        .as_deref()
        .unwrap_or("the primary outcome");
    out.push_str(&format!(
        "<p>Effect of {}, for {}. Answered by {}.</p>\n",
        appraisal.effect,
        clean::xml(outcome),
        clean::xml(&appraisal.appraiser)
    ));
    for note in appraisal.remarks() {
        out.push_str(&format!("<p class=\"note\">{}</p>\n", clean::xml(&note)));
    }
    if !appraisal.facts.is_empty() {
        out.push_str("<table>");
        for fact in &appraisal.facts {
            let row = [
                clean::xml(&fact.name),
                clean::xml(&fact.value),
                quoted(appraisal, &fact.quote),
            ];
            out.push_str(&format!(
                "<tr><th>{}</th><td>{}</td><td>{}</td></tr>",
                row[0], row[1], row[2]
            ));
        }
        out.push_str("</table>\n");
    }
    for domain in &appraisal.domains {
        let settled = domain.settled();
        let word = settled.map_or("not settled", Judgement::word);
        let colour = settled.map_or("#4ea1f7", Judgement::colour);
        out.push_str(&format!(
            "<h3>{} {} <span class=\"judged\" style=\"border-color:{colour}\">{word}</span></h3>\n<p class=\"path\">Rule {}</p>\n<dl>",
            domain.domain,
            domain.domain.title(),
            clean::xml(&domain.path.to_string())
        ));
        let asked = domain
            .answers
            .iter()
            .filter(|one| one.by != AnsweredBy::Closed);
        asked.for_each(|one| out.push_str(&answer(appraisal, one)));
        out.push_str("</dl>\n");
    }
    out.push_str(&retries(appraisal));
    out.push_str("</section>\n");
    out
}

fn answer(appraisal: &Appraisal, one: &AnsweredQuestion) -> String {
    let quotes: String = one
        .quotes
        .iter()
        .map(|quote| quoted(appraisal, quote))
        .collect();
    let before = one.earlier().map(|before| {
        let (who, why) = (clean::xml(before.by.name()), clean::xml(&before.rationale));
        let answer = before.answer;
        format!("<p class=\"before\">Before: {answer} ({who}). {why}</p>")
    });
    let before: String = before.collect();
    format!(
        "<dt>{} {} <b>{}</b> <small>{}</small></dt><dd>{}{quotes}{before}</dd>\n",
        one.id,
        clean::xml(&one.question),
        one.answer,
        clean::xml(one.by.name()),
        clean::xml(&one.rationale)
    )
}

/// A quote that leads to its page of the file, where there are pages.
fn quoted(appraisal: &Appraisal, quote: &AppraisalQuote) -> String {
    let study = &appraisal.study;
    let file = if quote.from_protocol {
        study.protocol.as_ref()
    } else {
        Some(&study.file)
    };
    let words = clean::xml(&quote.text);
    let place = clean::xml(&place(quote));
    match (file, quote.page) {
        (Some(file), Some(page)) => {
            let to = clean::xml(&address(file));
            format!("<blockquote>{words} <a href=\"{to}#page={page}\">{place}</a></blockquote>")
        }
        _ => format!("<blockquote>{words}{place}</blockquote>"),
    }
}

/// A path as a relative or file address: what an address cannot hold is written by its number.
fn address(file: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~');
    let mut out = String::from(if file.starts_with('/') {
        "file://"
    } else {
        "./"
    });
    for c in file.chars() {
        if plain(c) {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}

fn retries(appraisal: &Appraisal) -> String {
    let mut out = String::new();
    for entry in &appraisal.validation_retry_log {
        let changes = entry.changes.iter();
        let changes: Vec<String> = changes
            .map(|one| format!("{} {} to {}", one.setting, one.from, one.to))
            .collect();
        let line = format!(
            "Second look {} of {} for {}: {}.",
            entry.attempt,
            entry.limit,
            entry.failed_questions.join(", "),
            changes.join(", ")
        );
        out.push_str(&format!("<p class=\"path\">{}</p>\n", clean::xml(&line)));
    }
    out
}
