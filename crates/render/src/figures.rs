//! The honest figures of a report, in words that every format shows: a line under its title, and all at its end.
//!
//! A share is never rounded up to all or down to none, and what is not known is said to be unknown.

use super::Report;
use crate::phrases::{FigureWords, n_of_m};
use crate::report::{Answered, Confidence, JudgementCounts, ReportStatus, StrengthCounts};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyFigure {
    pub(super) label: &'static str,
    pub(super) value: String,
    pub(super) detail: Option<String>,
}

/// What a reader should know at a glance, in the one line under the title.
pub(super) fn line(report: &Report) -> String {
    let phrases = report.phrases();
    let figures = &report.figures;
    let claims = figures.claims;
    let mut parts = Vec::new();
    if figures.sources_read > 0 || figures.sources_cited > 0 {
        let cited = phrases.cited.count(figures.sources_cited);
        parts.push(cited.replace("{m}", &figures.sources_read.to_string()));
    }
    if claims.claims > 0 {
        let words = if report.used_model() {
            phrases.statements_verified
        } else {
            phrases.quotes_verified
        };
        parts.push(n_of_m(words, claims.supported, claims.claims));
    }
    if let Some(review) = report.model_review() {
        let score = format!("{:.1}", review.score);
        parts.push(phrases.review.replace("{n}", &score));
    }
    if !report.used_model() {
        parts.push(phrases.no_model.to_owned());
    }
    parts.push(duration(figures.time_ms));
    parts.join(" · ")
}

/// All figures; those that belong side by side are in one group.
pub(super) fn figures(report: &Report) -> Vec<Vec<KeyFigure>> {
    vec![
        outcome(report),
        evidence(report),
        claims(report),
        sources(report),
        spent(report),
    ]
}

fn figure(label: &'static str, value: String, detail: Option<String>) -> KeyFigure {
    KeyFigure {
        label,
        value,
        detail,
    }
}

fn outcome(report: &Report) -> Vec<KeyFigure> {
    let words = &report.phrases().figures;
    let status = match report.status {
        ReportStatus::Complete => words.complete,
        ReportStatus::Partial { .. } => words.partial,
    };
    let mut all = vec![figure(words.status, status.to_owned(), None)];
    if let Some(answer) = &report.answer {
        let [yes, partly, no] = words.answers;
        let answered = match answer.answered {
            Answered::Yes => yes,
            Answered::Partly => partly,
            Answered::No => no,
        };
        all.push(figure(words.answered, answered.to_owned(), None));
    }
    // The review weighs the text against its sources; whether the question is answered is told apart.
    if let Some(review) = report.model_review() {
        let score = format!("{:.1}", review.score);
        let score = words.of.replace("{n}", &score).replace("{m}", "10");
        let [high, medium, low] = words.confidence;
        let confidence = report.confidence.map(|confidence| match confidence {
            Confidence::High => high.to_owned(),
            Confidence::Medium => medium.to_owned(),
            Confidence::Low => low.to_owned(),
        });
        all.push(figure(words.review, score, confidence));
    }
    all
}

fn evidence(report: &Report) -> Vec<KeyFigure> {
    let StrengthCounts {
        strong,
        moderate,
        weak,
    } = report.figures.findings;
    let words = &report.phrases().figures;
    let counts = [strong, moderate, weak];
    let strengths: Vec<String> = counted(counts.into_iter().zip(words.strengths)).collect();
    let strengths = Some(strengths.join(", ")).filter(|text| !text.is_empty());
    let (disagreements, open) = (report.contradictions.len(), report.gaps.len());
    let findings = (strong + moderate + weak).to_string();
    vec![
        figure(words.findings, findings, strengths),
        figure(words.disagreements, disagreements.to_string(), None),
        figure(words.open_questions, open.to_string(), None),
    ]
}

fn claims(report: &Report) -> Vec<KeyFigure> {
    let (counts, words) = (report.figures.claims, &report.phrases().figures);
    let removed = match counts.removed {
        0 => None,
        removed => Some(words.removed.replace("{n}", &removed.to_string())),
    };
    let unchecked = counts.claims.saturating_sub(counts.checked);
    let against = [counts.contradicted, counts.unsupported, unchecked];
    let against = counted(against.into_iter().zip(words.faults));
    let share = share(counts.supported, counts.claims);
    let verified: Vec<String> = share.into_iter().chain(against).collect();
    let verified = Some(verified.join(", ")).filter(|text| !text.is_empty());
    let of_all = n_of_m(words.of, counts.supported, counts.claims);
    vec![
        figure(words.claims, counts.claims.to_string(), removed),
        figure(words.verified, of_all, verified),
        meaning(words, counts.judged),
    ]
}

/// What a model says of the sentences that are more than quotations, or that none was asked.
fn meaning(words: &FigureWords, judged: Option<JudgementCounts>) -> KeyFigure {
    let Some(opinions) = judged else {
        let why = Some(words.no_judge.to_owned());
        return figure(words.judged, words.by_code.to_owned(), why);
    };
    let [contradicted, not_supported, _] = words.faults;
    let against = [
        (opinions.contradicted, contradicted),
        (opinions.not_supported, not_supported),
        (opinions.could_not_check, words.not_judged),
    ];
    let against: Vec<String> = counted(against.into_iter()).collect();
    let detail = Some(against.join(", ")).filter(|text| !text.is_empty());
    let value = n_of_m(words.supported_of, opinions.supported, opinions.asked());
    figure(words.judged_by_model, value, detail)
}

/// Those that are there, each with its number.
fn counted(parts: impl Iterator<Item = (usize, &'static str)>) -> impl Iterator<Item = String> {
    let there = parts.filter(|(count, _)| *count > 0);
    there.map(|(count, word)| format!("{count} {word}"))
}

fn sources(report: &Report) -> Vec<KeyFigure> {
    let (figures, words) = (&report.figures, &report.phrases().figures);
    let read = n_of_m(words.found, figures.sources_read, figures.sources_found);
    let cited = words
        .cited
        .replace("{n}", &figures.sources_cited.to_string());
    let mut all = vec![figure(words.sources_read, read, Some(cited))];
    if figures.fetches_failed > 0 {
        let failed = figures.fetches_failed.to_string();
        all.push(figure(words.fetches_failed, failed, None));
    }
    all
}

fn spent(report: &Report) -> Vec<KeyFigure> {
    let (figures, words) = (&report.figures, &report.phrases().figures);
    let mut all = vec![figure(words.time, duration(figures.time_ms), None)];
    if figures.tokens > 0 {
        let (cost, why) = match figures.cost_micros {
            Some(micros) => (dollars(micros), None),
            None => (words.not_known.to_owned(), Some(words.no_price.to_owned())),
        };
        all.push(figure(words.tokens, grouped(figures.tokens), None));
        all.push(figure(words.cost, cost, why));
    }
    all
}

/// A share in whole per cent; nothing of nothing has none.
fn share(part: usize, whole: usize) -> Option<String> {
    if whole == 0 {
        return None;
    }
    let exact = part as f64 * 100.0 / whole as f64;
    let rounded = match exact.round() as u32 {
        0 if part > 0 => 1,
        100 if part < whole => 99,
        rounded => rounded,
    };
    Some(format!("{rounded} %"))
}

fn duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{}.{} s", seconds, ms % 1_000 / 100),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

fn dollars(micros: u64) -> String {
    match micros {
        0 => "$0.00".to_owned(),
        1..100 => "under $0.0001".to_owned(),
        100..1_000_000 => format!("$0.{:04}", micros / 100),
        _ => format!(
            "${}.{:02}",
            grouped(micros / 1_000_000),
            micros % 1_000_000 / 10_000
        ),
    }
}

/// A number with a comma between its thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_rounded_to_all_or_to_none() {
        assert_eq!(share(999, 1_000).as_deref(), Some("99 %"));
        assert_eq!(share(1, 1_000).as_deref(), Some("1 %"));
        assert_eq!(share(0, 7).as_deref(), Some("0 %"));
        assert_eq!(share(7, 7).as_deref(), Some("100 %"));
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn amounts_are_written_for_people() {
        assert_eq!(duration(842), "0.8 s");
        assert_eq!(duration(83_000), "1 min 23 s");
        assert_eq!(duration(7_260_000), "2 h 1 min");
        assert_eq!(dollars(0), "$0.00");
        assert_eq!(dollars(42), "under $0.0001");
        assert_eq!(dollars(12_345), "$0.0123");
        assert_eq!(dollars(1_234_567_890), "$1,234.56");
        assert_eq!(grouped(48_201), "48,201");
        assert_eq!(grouped(7), "7");
    }
}
