//! What stands around the sections: the title, the summary and the conclusion.

use std::collections::BTreeSet;

use fathom_evidence::question::{self, Kind};
use fathom_evidence::terms::Terms;

use super::prose;
use crate::analysis::{Finding, Strength};
use crate::draft::Frame;
use crate::locate::synonyms;
use crate::measure::Measure;
use crate::reasoner::FrameTask;
use crate::source::SourceId;

/// How a summary begins: it tells what kind of text follows.
const OPENING: &str =
    "This report quotes its sources word for word, what is nearest to the question first:";

/// A summary has so many words, and so many quotes, at most.
const SUMMARY_WORDS: usize = 240;
const SUMMARY_QUOTES: usize = 6;

/// A statement that is longer than this is left to its section.
const STATEMENT_WORDS: usize = 48;

/// Findings and open questions that a conclusion lists.
const CONCLUSION_MOST: usize = 4;

const TITLE_WORDS: usize = 16;

/// What a word of the subject counts beside one of what is asked of it (where an effect is asked for, the cause is as
/// much a part of the answer), what a word counts that only means the same, what a figure counts where one is
/// asked for, and what it counts that several sources or a synthesis bear a finding out.
const SUBJECT_SHARE: f64 = 0.3;
const SYNONYM: f64 = 0.7;
const FIGURE_GAIN: f64 = 0.8;
const SURE_GAIN: f64 = 4.0;

/// A finding from this confidence on covers its sub-question.
const COVERS_FROM: f64 = 0.7;

/// What a finding loses that measures something else of the same name.
const OTHER_MEASURE_COST: f64 = 5.0;

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
    let mut said = vec![OPENING.to_owned()];
    let close = closing(task);
    let mut words = prose::words_in(&said[0]) + prose::words_in(&close);
    let mut text: Vec<String> = Vec::new();
    let mut statements = BTreeSet::new();
    for finding in answering_first(task) {
        let Some(sentence) = told(task, finding) else {
            continue;
        };
        let more = prose::words_in(&sentence);
        // One sentence may answer several sub-questions.
        let fresh = statements.insert(&finding.statement);
        if fresh && text.len() < SUMMARY_QUOTES && words + more <= SUMMARY_WORDS {
            words += more;
            text.push(sentence);
        }
    }
    said.push(prose::list(&text));
    said.push(close);
    said.retain(|part| !part.is_empty());
    said.join("\n\n")
}

/// The findings, those that answer the question itself first. A word of what is asked for counts the more the
/// fewer findings have it, so that air comes before all other temperatures where the air was asked for.
fn answering_first<'t>(task: &FrameTask<'t>) -> Vec<&'t Finding> {
    let terms = Terms::new(task.language);
    let reading = question::read(task.question.text());
    let wanted: BTreeSet<String> = terms.telling(task.question.text()).into_iter().collect();
    let subject = reading.subject.as_deref().unwrap_or_default();
    let subject: BTreeSet<String> = terms.telling(subject).into_iter().collect();
    let findings = &task.analysis.findings;
    let told: Vec<BTreeSet<String>> = findings
        .iter()
        .map(|finding| terms.telling(&finding.statement).into_iter().collect())
        .collect();
    let weight = |term: &String| {
        let held = told.iter().filter(|said| said.contains(term)).count();
        let known = subject.contains(term) && reading.kind != Kind::Effect;
        let share = if known { SUBJECT_SHARE } else { 1.0 };
        share * (1.0 + told.len() as f64 / (held as f64 + 1.0)).ln()
    };
    let measure = Measure::of(task.question.text());
    let figures = matches!(reading.kind, Kind::Quantity | Kind::Effect);
    let compared: Vec<Vec<String>> = reading
        .compared
        .iter()
        .map(|one| terms.telling(one))
        .collect();
    // A comparison is answered by what speaks of all that is compared.
    let compares = |said: &BTreeSet<String>| {
        let named = |one: &Vec<String>| one.iter().any(|term| said.contains(term));
        compared.len() > 1 && compared.iter().all(named)
    };
    let value = |(finding, said): (&Finding, &BTreeSet<String>)| {
        let held = |term: &String| match said.contains(term) {
            true => 1.0,
            false if synonyms(term).any(|other| said.contains(other)) => SYNONYM,
            false => 0.0,
        };
        let words: f64 = wanted.iter().map(|term| held(term) * weight(term)).sum();
        let other = measure.is_other(&finding.statement.to_lowercase());
        let other = if other { OTHER_MEASURE_COST } else { 0.0 };
        let counts = has_figure(&finding.statement);
        let figure = if figures && counts { FIGURE_GAIN } else { 0.0 };
        let sure = finding.confidence >= COVERS_FROM && (counts || !figures);
        let firm = if sure && compared.is_empty() || compares(said) {
            SURE_GAIN
        } else {
            0.0
        };
        words + figure + firm - other
    };
    let mut order: Vec<(f64, &Finding)> = findings
        .iter()
        .zip(&told)
        .map(|pair| (value(pair), pair.0))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().map(|(_, finding)| finding).collect()
}

/// Whether a number stands in the statement that is no year.
fn has_figure(statement: &str) -> bool {
    let number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        word.contains(|c: char| c.is_ascii_digit()) && !year
    };
    statement.split_whitespace().any(number)
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
        Strength::Strong | Strength::Moderate if sources > 1 => {
            format!("{quote} {}", prose::others_say(sources - 1))
        }
        _ => quote,
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
    let mut blocks: Vec<String> = nearest(task).into_iter().collect();
    let supported = supported(task);
    if supported.is_empty() {
        blocks.push("No source was found to say the same as another, so each statement above rests on one alone.".to_owned());
    } else {
        blocks.push(format!(
            "Said by several sources in much the same words:\n\n{}",
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
    blocks.push("This report's text was put together without a language model: its sentences on the matter are quotes, chosen and compared by rules, and it knows no more than the sources it read.".to_owned());
    blocks.join("\n\n")
}

/// What comes nearest to an answer.
fn nearest(task: &FrameTask<'_>) -> Option<String> {
    let mut told = answering_first(task)
        .into_iter()
        .filter_map(|one| told(task, one));
    let nearest = told.next()?;
    Some(format!("Nearest to an answer: {nearest}"))
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
