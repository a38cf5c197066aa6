//! The parts of a report in reading order, the same for every format that is read by people.

use super::{FormOptions, Report, clean};
use crate::report::claim::Disagreement;
use crate::report::{OpenQuestion, ReportStatus};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportPart {
    Summary,
    Section(usize),
    Disagreements,
    Unknown,
    Conclusion,
    Method,
    References,
    Proofs,
}

/// The parts that a report has.
pub(super) fn parts(report: &Report, options: &FormOptions) -> Vec<ReportPart> {
    let filled = |text: &str| !text.trim().is_empty();
    let mut parts = Vec::new();
    let mut add = |there: bool, part: ReportPart| {
        if there {
            parts.push(part);
        }
    };
    add(filled(&report.summary), ReportPart::Summary);
    for at in 0..report.sections.len() {
        let text = report.sections.get(at).map(|section| &section.text);
        add(
            text.is_some_and(|text| filled(text)),
            ReportPart::Section(at),
        );
    }
    add(!disagreements(report).is_empty(), ReportPart::Disagreements);
    // A brief that finds nothing says so above its passages.
    let untold = !report.gaps.is_empty() && !report.is_brief();
    add(untold, ReportPart::Unknown);
    add(filled(&report.conclusion), ReportPart::Conclusion);
    add(!report.sources.is_empty(), ReportPart::References);
    add(options.method, ReportPart::Method);
    add(
        options.proofs && !report.claims.is_empty(),
        ReportPart::Proofs,
    );
    parts
}

impl ReportPart {
    /// Its heading, in one line, not yet escaped.
    pub(super) fn title(self, report: &Report) -> String {
        let phrases = report.phrases();
        let ours = match self {
            Self::Summary if report.is_brief() => phrases.disagreements,
            Self::Summary => phrases.summary,
            Self::Section(at) => return section_title(report, at),
            Self::Disagreements => phrases.disagreements,
            Self::Unknown => phrases.unknown,
            Self::Conclusion => phrases.conclusion,
            Self::Method => phrases.method,
            Self::References => phrases.sources,
            Self::Proofs => phrases.proofs,
        };
        ours.to_owned()
    }
}

fn section_title(report: &Report, at: usize) -> String {
    if report.shows_nearest_only() {
        return report.phrases().nearest_passages.to_owned();
    }
    let title = report.sections.get(at).map(|section| &section.title);
    let title = title.map(|title| clean::line(title)).unwrap_or_default();
    if title.is_empty() {
        format!("{} {}", report.phrases().section, at + 1)
    } else {
        title
    }
}

/// The report's title; its question where it has none. A partial report says in its title that it is one.
pub(super) fn title(report: &Report) -> String {
    let own = clean::line(&report.title);
    let title = if own.is_empty() {
        clean::line(&report.question.text)
    } else {
        own
    };
    if report.is_partial() {
        format!("{}: {title}", report.phrases().partial_title)
    } else {
        title
    }
}

/// Why a report is partial, in a sentence; empty where the answer gives the same reason, nothing for a full report.
pub(super) fn partial_reason(report: &Report) -> Option<String> {
    let ReportStatus::Partial { reason } = &report.status else {
        return None;
    };
    let reason = clean::sentence(reason);
    let mut answer = report.answer.iter();
    let told = answer.any(|answer| clean::sentence(&answer.reason) == reason);
    Some(if told { String::new() } else { reason })
}

/// The sub-question of a gap, where the words on what is missing do not name it.
pub(super) fn unnamed_sub_question<'r>(report: &'r Report, gap: &OpenQuestion) -> Option<&'r str> {
    let at = (gap.sub_question as usize).checked_sub(1)?;
    let sub = report.method.sub_questions.get(at)?;
    let told = clean::skeleton(&gap.missing).contains(&clean::skeleton(sub));
    (!told).then_some(sub.as_str())
}

/// The query for a gap, where it says more than the question and the words on what is missing do, and no gap before
/// it has the same.
pub(super) fn next_query(report: &Report, gap: &OpenQuestion) -> Option<String> {
    let query = clean::line(&gap.next_query);
    let asked = [gap.missing.as_str(), &report.question.text].map(clean::skeleton);
    let own = clean::skeleton(&query);
    let before = report
        .gaps
        .iter()
        .take_while(|other| !std::ptr::eq(*other, gap));
    let known = before
        .into_iter()
        .any(|other| other.next_query == gap.next_query);
    let fresh = !own.is_empty() && !known && !asked.iter().any(|text| text.contains(&own));
    fresh.then_some(query)
}

/// The contradictions that the text does not quote itself, both sides of them. A brief has told those that it has room for.
pub(super) fn disagreements(report: &Report) -> Vec<&Disagreement> {
    if report.is_brief() {
        return Vec::new();
    }
    let sections = report.sections.iter().map(|section| &section.text);
    let answer = report.answer.iter().map(|answer| &answer.text);
    let texts = sections.chain(answer);
    let texts = texts.chain([&report.summary, &report.conclusion]);
    let texts: Vec<String> = texts.map(|text| clean::skeleton(text)).collect();
    let told = |quote: &str| {
        let words = clean::skeleton(quote);
        texts.iter().any(|text| text.contains(&words))
    };
    let untold = |pair: &&Disagreement| !(pair.sides.iter().all(|side| told(&side.quote)));
    report.contradictions.iter().filter(untold).collect()
}
