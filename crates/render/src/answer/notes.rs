//! The sentences around an answer, in its language: whether it is one, where its passages stand, what was thought of them.

use super::words::AnswerWords;
use super::{Answer, AnswerSource, AnswerStatus, Answered, Assessment, Measure, Shortfall};
use crate::clean;
use crate::phrases::Phrases;

/// How far the question is answered and why, or what came in the way.
pub fn verdict(answer: &Answer) -> String {
    let words = AnswerWords::new(answer.language);
    match &answer.status {
        AnswerStatus::Answer => {
            let verdict = Phrases::new(answer.language).verdict(answer.answered);
            format!("{verdict} {}", clean::sentence(&answer.reason))
        }
        AnswerStatus::Timeout { stage } if answer.sentences.is_empty() => {
            words.timeout.replace("{stage}", stage)
        }
        AnswerStatus::Timeout { stage } => words.cut_short.replace("{stage}", stage),
        AnswerStatus::Error { stage, why } => {
            let told = words.error.replace("{stage}", stage);
            format!("{told} {}", clean::sentence(why))
        }
    }
}

/// Where a passage stands: its file with the page or line, and the heading above it.
pub fn place(source: &AnswerSource, language: fathom_evidence::Language) -> String {
    let words = AnswerWords::new(language);
    let file = clean::line(&source.location);
    let place = match (source.page, source.line) {
        (Some(page), _) => format!("{file}, {} {page}", words.page),
        (None, Some(line)) => format!("{file}, {} {line}", words.line),
        (None, None) => file,
    };
    match source.section.as_deref().map(clean::name) {
        Some(section) if !section.is_empty() => format!("{place} · {section}"),
        _ => place,
    }
}

/// What a reader must know before relying on the answer: that also the second search fell short, where it is not sure that what it
/// found answers, and the caveats.
pub fn warnings(answer: &Answer) -> Vec<String> {
    let words = AnswerWords::new(answer.language);
    let unsure = answer.answered != Answered::Yes && !answer.sources.is_empty();
    let still_poor = match answer.assessments.as_slice() {
        [_, .., last] if last.is_poor() && unsure => Some(last),
        _ => None,
    };
    let told = still_poor.map(|last| words.still_poor.replace("{why}", &shortfalls(last, words)));
    let caveats = answer.caveats.iter().map(|caveat| clean::sentence(caveat));
    told.into_iter().chain(caveats).collect()
}

/// How the answer was found, a line for each: the measures, why it was searched twice, the time of each stage, who wrote it.
pub fn footnotes(answer: &Answer) -> Vec<String> {
    let words = AnswerWords::new(answer.language);
    let mut lines = Vec::new();
    if let Some(last) = answer.assessments.last() {
        let confidence = format!("{} {:.2}", words.confidence, answer.confidence);
        lines.push(format!("{confidence} · {}", measures(last, words)));
    }
    if let [first, _, ..] = answer.assessments.as_slice() {
        lines.push(
            words
                .searched_again
                .replace("{why}", &shortfalls(first, words)),
        );
    }
    let stages = answer.stages.iter();
    let stages: Vec<String> = stages
        .map(|stage| format!("{} {} ms", stage.stage, stage.ms))
        .collect();
    if !stages.is_empty() {
        lines.push(stages.join(" · "));
    }
    lines.push(if answer.used_model() {
        words
            .written_by
            .replace("{name}", &clean::name(&answer.reasoner))
    } else {
        words.quotes_only.to_owned()
    });
    lines
}

fn measures(assessment: &Assessment, words: &AnswerWords) -> String {
    let Assessment {
        quality,
        coverage,
        relevance,
        results,
        ..
    } = assessment;
    let [quality_word, coverage_word, relevance_word, results_word] = words.measures;
    format!(
        "{quality_word} {quality:.2} · {coverage_word} {coverage:.2} · {relevance_word} {relevance:.2} · {results_word} {results}"
    )
}

fn shortfalls(assessment: &Assessment, words: &AnswerWords) -> String {
    let [quality, coverage, relevance, results] = words.measures;
    let told = |short: &Shortfall| {
        let Shortfall { value, wanted, .. } = short;
        // Rounded up it could look like what is wanted.
        let share = (value * 100.0).floor() / 100.0;
        match short.measure {
            Measure::Quality => format!("{quality} {share:.2}/{wanted:.2}"),
            Measure::Coverage => format!("{coverage} {share:.2}/{wanted:.2}"),
            Measure::Relevance => format!("{relevance} {share:.2}/{wanted:.2}"),
            Measure::Results => format!("{results} {value:.0}/{wanted:.0}"),
        }
    };
    let told: Vec<String> = assessment.below.iter().map(told).collect();
    told.join(", ")
}
