//! What stands around the sections: the title, the summary and the conclusion.

use std::collections::BTreeSet;

use fathom_evidence::question::{self, QuestionKind};

use super::nearness::{Nearness, Sure, answering_first};
use super::prose;
use crate::analysis::{Contradiction, Finding, Gap, Strength};
use crate::draft::Frame;
use crate::reasoner::FrameTask;
use crate::source::SourceId;

/// How a summary begins: it tells what kind of text follows.
const OPENING: &str = "Short answer, in the sources’ words:";

/// A summary has so many words, and so many quotes, at most.
const SUMMARY_WORDS: usize = 240;
const SUMMARY_QUOTES: usize = 6;

/// Behind the first few, what is by so much further from the question than the nearest is left to its section.
const SUMMARY_LEAST: usize = 4;
const FAR_SHARE: f64 = 0.4;

/// A statement that is longer than this is left to its section.
const STATEMENT_WORDS: usize = 48;

/// Findings and open questions that a conclusion lists.
const CONCLUSION_MOST: usize = 4;

const TITLE_WORDS: usize = 16;

/// Writes title, summary and conclusion. The same task gives the same texts.
pub fn frame(task: &FrameTask<'_>) -> Frame {
    Frame {
        answer: String::new(),
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
        (QuestionKind::Effect, Some(subject), Some(outcome), _) => {
            Some(format!("the effect of {subject} on {outcome}"))
        }
        (QuestionKind::How, _, _, Some(statement)) => Some(format!("how {statement}")),
        (QuestionKind::Why, _, _, Some(statement)) => Some(format!("why {statement}")),
        (QuestionKind::YesNo, _, _, Some(statement)) => Some(format!("whether {statement}")),
        (QuestionKind::Comparison, ..) => match reading.compared.as_slice() {
            [one, other] => Some(format!("{one} compared with {other}")),
            _ => None,
        },
        (QuestionKind::Definition | QuestionKind::Other, Some(subject), ..) => {
            Some(subject.clone())
        }
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
        return "No source was found that answers the question. This report can only say what was searched for.".to_owned();
    }
    let mut said = vec![OPENING.to_owned()];
    let close = closing(task);
    let mut words = prose::words_in(&said[0]) + prose::words_in(&close);
    let mut text: Vec<String> = Vec::new();
    for sentence in points(task) {
        let more = prose::words_in(&sentence);
        if text.len() < SUMMARY_QUOTES && words + more <= SUMMARY_WORDS {
            words += more;
            text.push(sentence);
        }
    }
    said.push(prose::list(&text));
    said.push(close);
    said.retain(|part| !part.is_empty());
    said.join("\n\n")
}

/// What a summary tells, the nearest to the question first: findings, and the dispute that is as near as the first of
/// them.
fn points(task: &FrameTask<'_>) -> Vec<String> {
    let nearness = Nearness::new(task);
    let mut statements: Vec<&str> = Vec::new();
    let mut points: Vec<(f64, String)> = Vec::new();
    for (value, finding) in answering_first(task, &nearness) {
        // One sentence may answer several sub-questions, be it with the one before it.
        let own = finding.statement.as_str();
        let known = |one: &&str| one.contains(own) || own.contains(*one);
        if statements.iter().any(known) {
            continue;
        }
        if let Some(sentence) = told(task, finding) {
            statements.push(own);
            points.push((value, sentence));
        }
    }
    let gain = nearness.dispute_gain();
    let best = points.first().map_or(f64::MIN, |(value, _)| *value);
    let value = |found: &Contradiction| {
        let sides = [&found.left, &found.right].into_iter();
        let sides = sides.map(|side| nearness.value(&side.quote, Sure::No));
        sides.fold(f64::MIN, f64::max)
    };
    let disputes = task.analysis.contradictions.iter();
    let near = disputes
        .map(|found| (value(found), found))
        .filter(|(value, _)| *value + gain >= best)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((value, found)) = near {
        let [left, right] =
            [&found.left, &found.right].map(|side| prose::quote(&side.quote, &[side.source]));
        points.push((
            value + gain,
            format!("{left} Another source disagrees: {right}"),
        ));
    }
    points.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = FAR_SHARE * points.first().map_or(0.0, |(value, _)| *value);
    let numbered = points.into_iter().enumerate();
    let near = numbered.filter(|(at, (value, _))| *at < SUMMARY_LEAST || *value >= least);
    near.map(|(_, (_, sentence))| sentence).collect()
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
    let others = prose::sources_of(evidence).len().saturating_sub(1);
    let quote = prose::quote(&finding.statement, &[lead.source]);
    if finding.strength >= Strength::Moderate && others > 0 {
        Some(format!("{quote} {}", prose::others_agree(others)))
    } else {
        Some(quote)
    }
}

/// Conflicts and gaps, in a sentence each.
fn closing(task: &FrameTask<'_>) -> String {
    let mut said = Vec::new();
    match task.analysis.contradictions.as_slice() {
        [] => {}
        [only] => said.push(format!("{} This report quotes both sides.", only.about)),
        several => said.push(format!(
            "The sources read disagree on {} points; both sides are quoted.",
            prose::count(several.len()).to_lowercase()
        )),
    }
    let all = task.plan.sub_questions.len();
    match task.analysis.gaps.len() {
        0 => {}
        n if n == all => said.push("No source settles any of the sub-questions.".to_owned()),
        n => said.push(format!(
            "No source settles {} of the {} sub-questions.",
            prose::count(n).to_lowercase(),
            prose::count(all).to_lowercase()
        )),
    }
    said.extend(task.degraded.iter().map(|why| format!("Note: {why}")));
    said.join(" ")
}

fn conclusion(task: &FrameTask<'_>) -> String {
    let nearest = nearest(task);
    let mut blocks: Vec<String> = nearest
        .and_then(|finding| told(task, finding))
        .map(|said| format!("Closest to an answer: {said}"))
        .into_iter()
        .collect();
    let agreed = agreed(task);
    let others = agreed.iter().filter(|one| nearest != Some(**one));
    let supported: Vec<String> = others
        .filter_map(|one| in_its_words(task, one))
        .take(CONCLUSION_MOST)
        .collect();
    if agreed.is_empty() {
        blocks.push("No source was found to confirm another, so each statement above rests on one source alone.".to_owned());
    } else if !supported.is_empty() {
        blocks.push(format!(
            "Supported by several sources:\n\n{}",
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
            "Where the sources disagree:\n\n{}",
            some.join("\n")
        ));
    }
    let (single, open): (Vec<&Gap>, Vec<&Gap>) = task.analysis.gaps.iter().partition(|gap| {
        let mut findings = task.analysis.findings.iter();
        findings.any(|finding| finding.answers == gap.answers)
    });
    blocks.extend(asked(
        task,
        "Answered by one source only, or disputed:",
        &single,
    ));
    blocks.extend(asked(task, "Not answered by any source:", &open));
    blocks.push("This report was put together without a language model: its statements are quotes, chosen and compared by rules, and it knows no more than the sources it read.".to_owned());
    blocks.join("\n\n")
}

/// The sub-questions of some gaps, as a list.
fn asked(task: &FrameTask<'_>, lead: &str, gaps: &[&Gap]) -> Option<String> {
    let texts = gaps
        .iter()
        .filter_map(|gap| Some(format!("- {}", task.plan.sub_question(gap.answers)?.text)));
    let texts: Vec<String> = texts.take(CONCLUSION_MOST).collect();
    (!texts.is_empty()).then(|| format!("{lead}\n\n{}", texts.join("\n")))
}

/// What comes nearest to an answer, of that which is short enough to be told.
fn nearest<'t>(task: &FrameTask<'t>) -> Option<&'t Finding> {
    let findings = answering_first(task, &Nearness::new(task)).into_iter();
    let mut findings = findings.map(|(_, finding)| finding);
    findings.find(|one| told(task, one).is_some())
}

/// What several sources bear out.
fn agreed<'t>(task: &FrameTask<'t>) -> Vec<&'t Finding> {
    let findings = task.analysis.findings.iter();
    findings
        .filter(|finding| finding.strength >= Strength::Moderate)
        .collect()
}

fn in_its_words(task: &FrameTask<'_>, finding: &Finding) -> Option<String> {
    let lead = task.evidence.get(*finding.evidence.first()?)?;
    let cited: [SourceId; 1] = [lead.source];
    Some(format!("- {}", prose::quote(&finding.statement, &cited)))
}
