//! Appraisals as a Word document: the table of judgements, then for each trial a table of its answers.

use super::table::place;
use super::{AnsweredBy, Appraisal, Domain, Judgement};
use crate::docx::DocxError;
use crate::docx::body::{DocxBody, ListPosition, ParagraphStyle, RunFormat};
use crate::docx::package;

const TITLE: &str = "Risk of bias (RoB 2)";
const OPEN: &str = "not settled";

/// The bytes of the document; the same for the same appraisals.
pub fn docx(appraisals: &[Appraisal]) -> Result<Vec<u8>, DocxError> {
    let mut body = DocxBody::new(&[]);
    body.plain(ParagraphStyle::Title, TITLE);
    let rows: Vec<&Appraisal> = appraisals
        .iter()
        .filter(|one| one.refused.is_none())
        .collect();
    let heads = ["Study", "D1", "D2", "D3", "D4", "D5", "Overall"];
    body.table(
        ListPosition::Free,
        rows.len() + 1,
        heads.len(),
        |body, row, column| {
            let Some(trial) = row.checked_sub(1).and_then(|row| rows.get(row)) else {
                return body.run(
                    heads.get(column).copied().unwrap_or_default(),
                    RunFormat::STRONG,
                );
            };
            let judgement = match column.checked_sub(1) {
                None => return body.run(&trial.study.label, RunFormat::PLAIN),
                Some(at) => match Domain::ALL.get(at) {
                    Some(domain) => trial.settled(*domain),
                    None => trial.settled_overall(),
                },
            };
            body.run(judgement.map_or(OPEN, Judgement::word), RunFormat::PLAIN);
        },
    );
    for domain in Domain::ALL {
        body.plain(
            ParagraphStyle::Text,
            &format!("{domain}: {}", domain.title()),
        );
    }
    for appraisal in appraisals {
        trial(&mut body, appraisal);
    }
    package::pack(TITLE, body)
}

fn trial(body: &mut DocxBody<'_>, appraisal: &Appraisal) {
    body.plain(ParagraphStyle::Heading, &appraisal.study.label);
    if let Some(why) = &appraisal.refused {
        return body.plain(ParagraphStyle::Warning, &format!("Not appraised: {why}"));
    }
    for note in appraisal.remarks() {
        body.plain(ParagraphStyle::Text, &note);
    }
    for domain in &appraisal.domains {
        let word = domain.settled().map_or(OPEN, Judgement::word);
        let lead = format!("{} {}: {word}", domain.domain, domain.domain.title());
        body.plain(ParagraphStyle::Lead, &lead);
        body.plain(ParagraphStyle::Text, &format!("Rule {}", domain.path));
        let answers = domain
            .answers
            .iter()
            .filter(|one| one.by != AnsweredBy::Closed);
        let answers: Vec<_> = answers.collect();
        let heads = ["Question", "Answer", "Reason and quotes"];
        body.table(
            ListPosition::Free,
            answers.len() + 1,
            heads.len(),
            |body, row, column| {
                let Some(one) = row.checked_sub(1).and_then(|row| answers.get(row)) else {
                    return body.run(
                        heads.get(column).copied().unwrap_or_default(),
                        RunFormat::STRONG,
                    );
                };
                match column {
                    0 => body.run(&format!("{} {}", one.id, one.question), RunFormat::PLAIN),
                    1 => match &one.by {
                        AnsweredBy::Person(name) => {
                            body.run(&format!("{} ({name})", one.answer), RunFormat::PLAIN);
                        }
                        _ => body.run(one.answer.code(), RunFormat::PLAIN),
                    },
                    _ => {
                        body.run(&one.rationale, RunFormat::PLAIN);
                        for quote in &one.quotes {
                            body.line_break();
                            let words = format!("\u{201c}{}\u{201d}{}", quote.text, place(quote));
                            body.run(&words, RunFormat::SLANTED);
                        }
                        for before in one.earlier() {
                            body.line_break();
                            let (answer, who) = (before.answer, before.by.name());
                            let words = format!("Before: {answer} ({who}). {}", before.rationale);
                            body.run(&words, RunFormat::PLAIN);
                        }
                    }
                }
            },
        );
    }
}
