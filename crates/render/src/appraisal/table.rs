//! Appraisals in a terminal: a table with a row a trial, and the answers of one trial with their quotes.

use std::fmt::Write as _;

use super::{
    AnsweredBy, Appraisal, AppraisalQuote, Domain, DomainAppraisal, Judgement, SignalAnswer,
};
use crate::clean;

/// Names are cut to this, so that a row stays a line.
const LABEL_CHARS: usize = 36;

/// Quotes are cut to this; the page and the JSON have them whole.
const QUOTE_CHARS: usize = 240;

/// A row a trial. A judgement that hangs on an unanswered question is shown as `?`.
pub fn table(appraisals: &[Appraisal], coloured: bool) -> String {
    let label = |one: &Appraisal| clean::cut(&clean::line(&one.study.label), LABEL_CHARS);
    let widest = appraisals
        .iter()
        .map(|one| label(one).chars().count())
        .max();
    let wide = widest.unwrap_or(0).max(5);
    let mut text = format!("{:<wide$}", "Study");
    for head in Domain::ALL.map(Domain::code) {
        // A string takes all that is written to it.
        let _ = write!(text, "  {head:<4}");
    }
    text.push_str("  Overall\n");
    for one in appraisals {
        let _ = write!(text, "{:<wide$}", label(one));
        if let Some(why) = &one.refused {
            let _ = writeln!(text, "  not appraised: {}", clean::line(why));
            continue;
        }
        for domain in Domain::ALL {
            text.push_str("  ");
            text.push_str(&painted(one.settled(domain), "    ", coloured));
        }
        let overall = one.settled_overall();
        let word = overall.map_or("? not settled", Judgement::word);
        let _ = writeln!(text, "  {}", paint(word, overall, coloured));
    }
    text
}

/// One trial in full: what the report says of it, then domain by domain the answers, their reasons and quotes.
pub fn details(appraisal: &Appraisal, coloured: bool) -> String {
    let mut text = String::new();
    for fact in &appraisal.facts {
        let page = place(&fact.quote);
        let _ = writeln!(text, "{:<14}{}{page}", fact.name, clean::line(&fact.value));
    }
    for domain in &appraisal.domains {
        text.push('\n');
        head(&mut text, domain, coloured);
        for one in &domain.answers {
            if one.by == AnsweredBy::Closed {
                continue;
            }
            let answer =
                if one.by == AnsweredBy::Nobody && one.answer == SignalAnswer::NoInformation {
                    "?"
                } else {
                    one.answer.code()
                };
            let who = match &one.by {
                AnsweredBy::Person(name) => format!(" ({})", clean::line(name)),
                AnsweredBy::Rules
                | AnsweredBy::Model(_)
                | AnsweredBy::Closed
                | AnsweredBy::Nobody => String::new(),
            };
            let why = clean::line(&one.rationale);
            let _ = writeln!(text, "  {} {answer:<3} {why}{who}", one.id);
            for quote in &one.quotes {
                let words = clean::cut(&clean::line(&quote.text), QUOTE_CHARS);
                let _ = writeln!(text, "          \"{words}\"{}", place(quote));
            }
            for before in one.earlier() {
                let why = clean::line(&before.rationale);
                let who = clean::line(before.by.name());
                let _ = writeln!(text, "          before: {} ({who}) {why}", before.answer);
            }
        }
    }
    for note in appraisal.remarks() {
        let _ = writeln!(text, "\n{}", clean::line(&note));
    }
    text
}

fn head(text: &mut String, domain: &DomainAppraisal, coloured: bool) {
    let settled = domain.settled();
    let word = settled.map_or("not settled", Judgement::word);
    let word = paint(word, settled, coloured);
    let _ = write!(text, "{} {}: {word}", domain.domain, domain.domain.title());
    match settled {
        Some(_) => {
            let _ = writeln!(text, " ({})", domain.path);
        }
        None => {
            let possible: Vec<&str> = domain.possible.iter().map(|one| one.word()).collect();
            let open = domain.open_questions().join(", ");
            let _ = writeln!(text, " ({} possible; answer {open})", possible.join(" or "));
        }
    }
}

/// Where a quote stands, as far as is known.
pub(super) fn place(quote: &AppraisalQuote) -> String {
    let page = quote.page.map(|page| format!("page {page}"));
    let section = quote
        .section
        .as_ref()
        .map(|section| clean::cut(&clean::line(section), 40));
    let protocol = quote.from_protocol.then(|| "protocol".to_owned());
    let relaxed = quote.relaxed.then(|| "relaxed rules".to_owned());
    let parts: Vec<String> = [protocol, section, page, relaxed]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" [{}]", parts.join(", "))
    }
}

fn painted(judgement: Option<Judgement>, padding: &str, coloured: bool) -> String {
    let sign = judgement.map_or('?', Judgement::sign);
    let cell = format!("{sign}{}", padding.get(1..).unwrap_or_default());
    paint(&cell, judgement, coloured)
}

fn paint(words: &str, judgement: Option<Judgement>, coloured: bool) -> String {
    let code = match judgement {
        Some(Judgement::Low) => "32",
        Some(Judgement::SomeConcerns) => "33",
        Some(Judgement::High) => "31",
        None => "36",
    };
    if coloured {
        format!("\u{1b}[{code}m{words}\u{1b}[0m")
    } else {
        words.to_owned()
    }
}
