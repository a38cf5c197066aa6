//! What stands around the sections: the title, the summary and the conclusion.

use std::collections::BTreeSet;

use fathom_evidence::question::{self, Kind};

use super::prose;
use crate::analysis::{Finding, Strength};
use crate::draft::Frame;
use crate::reasoner::FrameTask;
use crate::source::SourceId;

/// A summary has so many words at most.
const SUMMARY_WORDS: usize = 240;

/// A statement that is longer than this is left to its section.
const STATEMENT_WORDS: usize = 48;

/// Findings and open questions that a conclusion lists.
const CONCLUSION_MOST: usize = 4;

const TITLE_WORDS: usize = 16;

pub fn frame(task: &FrameTask<'_>) -> Frame {
    Frame {
        title: title(task.question.text()),
        summary: summary(task),
        conclusion: conclusion(task),
    }
}

/// The question as the name of a report.
fn title(text: &str) -> String {
    let reading = question::read(text);
    let asked = text.trim().to_owned();
    let made = match (
        reading.kind,
        &reading.subject,
        &reading.outcome,
        &reading.statement,
    ) {
        (Kind::Effect, Some(subject), Some(outcome), _) => {
            Some(format!("the effect of {subject} on {outcome}"))
        }
        (Kind::How, _, _, Some(statement)) => Some(format!("how {statement}")),
        (Kind::Why, _, _, Some(statement)) => Some(format!("why {statement}")),
        (Kind::YesNo, _, _, Some(statement)) => Some(format!("whether {statement}")),
        (Kind::Comparison, ..) => match reading.compared.as_slice() {
            [one, other] => Some(format!("{one} compared with {other}")),
            _ => None,
        },
        (Kind::Definition | Kind::Other, Some(subject), ..) => Some(subject.clone()),
        _ => None,
    };
    let made = made.filter(|title| prose::words_in(title) <= TITLE_WORDS);
    capital(&made.unwrap_or(asked))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

fn summary(task: &FrameTask<'_>) -> String {
    let sources = prose::sources_of(task.evidence.iter());
    if sources.is_empty() {
        return "No source was found that answers the question. This report can only say what was looked for.".to_owned();
    }
    let mut said = vec![opening(sources.len())];
    let close = closing(task);
    let mut words = prose::words_in(&said[0]) + prose::words_in(&close);
    let mut text: Vec<String> = Vec::new();
    for finding in &task.analysis.findings {
        let Some(sentence) = told(task, finding) else {
            continue;
        };
        let more = prose::words_in(&sentence);
        if words + more <= SUMMARY_WORDS {
            words += more;
            text.push(sentence);
        }
    }
    said.push(text.join(" "));
    said.push(close);
    said.retain(|part| !part.is_empty());
    said.join("\n\n")
}

fn opening(sources: usize) -> String {
    let named = match sources {
        1 => "one source".to_owned(),
        _ => format!("{} sources", prose::count(sources).to_lowercase()),
    };
    format!("This report quotes {named} word for word. The strongest findings come first.")
}

/// A finding in its own words, with who else says so.
fn told(task: &FrameTask<'_>, finding: &Finding) -> Option<String> {
    let lead = task.evidence.get(*finding.evidence.first()?)?;
    if prose::words_in(&finding.statement) > STATEMENT_WORDS {
        return None;
    }
    let evidence = finding
        .evidence
        .iter()
        .filter_map(|at| task.evidence.get(*at));
    let sources = prose::sources_of(evidence).len();
    let quote = prose::quote(&finding.statement, &[lead.source]);
    Some(match finding.strength {
        Strength::Strong | Strength::Moderate => format!("{quote} {}", prose::agree(sources)),
        Strength::Weak | Strength::Gap => quote,
    })
}

/// Conflicts and gaps, in a sentence each.
fn closing(task: &FrameTask<'_>) -> String {
    let mut said = Vec::new();
    match task.analysis.contradictions.len() {
        0 => {}
        1 => said.push(
            "The sources read disagree on one point, which is shown with both sides.".to_owned(),
        ),
        n => said.push(format!(
            "The sources read disagree on {} points, each shown with both sides.",
            prose::count(n).to_lowercase()
        )),
    }
    match task.analysis.gaps.len() {
        0 => {}
        1 => said.push("No source settles one of the sub-questions.".to_owned()),
        n => said.push(format!(
            "No source settles {} of the {} sub-questions.",
            prose::count(n).to_lowercase(),
            prose::count(task.plan.sub_questions.len()).to_lowercase()
        )),
    }
    said.extend(
        task.degraded
            .iter()
            .map(|why| format!("This report was made in a poorer way than meant: {why}")),
    );
    said.join(" ")
}

fn conclusion(task: &FrameTask<'_>) -> String {
    let mut blocks = Vec::new();
    let supported = supported(task);
    if supported.is_empty() {
        blocks.push("None of the sources read is borne out by enough others to call anything well supported.".to_owned());
    } else {
        blocks.push(format!(
            "Well supported by several sources:\n\n{}",
            supported.join("\n")
        ));
    }
    let disputed: BTreeSet<String> = task
        .analysis
        .contradictions
        .iter()
        .map(|found| format!("- {}", found.about))
        .collect();
    if !disputed.is_empty() {
        let some: Vec<String> = disputed.into_iter().take(CONCLUSION_MOST).collect();
        blocks.push(format!(
            "In conflict between sources:\n\n{}",
            some.join("\n")
        ));
    }
    let open: Vec<String> = task
        .analysis
        .gaps
        .iter()
        .filter_map(|gap| Some(format!("- {}", task.plan.sub_question(gap.answers)?.text)))
        .take(CONCLUSION_MOST)
        .collect();
    if !open.is_empty() {
        blocks.push(format!("Left open by the sources:\n\n{}", open.join("\n")));
    }
    blocks.push("This report was made without a language model: its sentences on the matter are quotes, chosen and compared by rules, and it knows no more than the sources it read.".to_owned());
    blocks.join("\n\n")
}

fn supported(task: &FrameTask<'_>) -> Vec<String> {
    let strong = task.analysis.findings.iter();
    let strong = strong.filter(|finding| finding.strength >= Strength::Moderate);
    let item = |finding: &Finding| {
        let lead = task.evidence.get(*finding.evidence.first()?)?;
        let cited: [SourceId; 1] = [lead.source];
        Some(format!("- {}", prose::quote(&finding.statement, &cited)))
    };
    strong.filter_map(item).take(CONCLUSION_MOST).collect()
}
