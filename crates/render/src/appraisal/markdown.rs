//! Appraisals as Markdown: a table with a row a trial, then the answers of each with their quotes.

use std::fmt::Write as _;

use super::table::place;
use super::{AnsweredBy, Appraisal, Domain, DomainAppraisal, Judgement};
use crate::clean;
use crate::markdown::escape::text;

const OPEN: &str = "not settled";

/// The whole text.
pub fn markdown(appraisals: &[Appraisal]) -> String {
    let mut text = String::from("# Risk of bias (RoB 2)\n\n| Study |");
    for head in Domain::ALL.map(Domain::code) {
        // A string takes all that is written to it.
        let _ = write!(text, " {head} |");
    }
    text.push_str(" Overall |\n|---|---|---|---|---|---|---|\n");
    for one in appraisals.iter().filter(|one| one.refused.is_none()) {
        let _ = write!(text, "| {} |", escaped(&one.study.label));
        let domains = Domain::ALL.map(|domain| one.settled(domain));
        for judgement in domains.into_iter().chain([one.settled_overall()]) {
            let _ = write!(text, " {} |", judgement.map_or(OPEN, Judgement::word));
        }
        text.push('\n');
    }
    for one in appraisals {
        trial(&mut text, one);
    }
    text
}

fn trial(text: &mut String, appraisal: &Appraisal) {
    let _ = writeln!(text, "\n## {}\n", escaped(&appraisal.study.label));
    if let Some(why) = &appraisal.refused {
        let _ = writeln!(text, "Not appraised: {}", escaped(why));
        return;
    }
    for note in appraisal.remarks() {
        let _ = writeln!(text, "> {}\n", escaped(&note));
    }
    for fact in &appraisal.facts {
        let _ = writeln!(
            text,
            "- **{}**: {}",
            escaped(&fact.name),
            escaped(&fact.value)
        );
    }
    for one in &appraisal.domains {
        domain(text, one);
    }
}

fn domain(text: &mut String, domain: &DomainAppraisal) {
    let word = domain.settled().map_or(OPEN, Judgement::word);
    let title = domain.domain.title();
    let _ = writeln!(text, "\n### {} {title}: {word}\n", domain.domain);
    let _ = writeln!(text, "Rule {}\n", escaped(&domain.path.to_string()));
    let asked = domain.answers.iter();
    for one in asked.filter(|one| one.by != AnsweredBy::Closed) {
        let who = escaped(one.by.name());
        let _ = writeln!(
            text,
            "- {} {} **{}** ({who}). {}",
            one.id,
            escaped(&one.question),
            one.answer,
            escaped(&one.rationale)
        );
        for quote in &one.quotes {
            let _ = writeln!(
                text,
                "  > {}{}",
                escaped(&quote.text),
                escaped(&place(quote))
            );
        }
        for before in one.earlier() {
            let (who, why) = (escaped(before.by.name()), escaped(&before.rationale));
            let _ = writeln!(text, "  - before: {} ({who}). {why}", before.answer);
        }
    }
}

/// Words of a report in one line, without effect as Markdown.
fn escaped(words: &str) -> String {
    text(&clean::line(words))
}
