//! The honest figures that a report opens with, in words that every format shows.
//!
//! A share is never rounded up to all or down to none, and what is not known is said to be unknown.

use super::Report;
use crate::report::{Confidence, ReportStatus, StrengthCounts};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyFigure {
    pub(super) group: FigureGroup,
    pub(super) label: &'static str,
    pub(super) value: String,
    pub(super) detail: Option<String>,
}

/// Figures that belong side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FigureGroup {
    Outcome,
    Evidence,
    Claims,
    Sources,
    Spent,
}

pub(super) const GROUPS: [FigureGroup; 5] = [
    FigureGroup::Outcome,
    FigureGroup::Evidence,
    FigureGroup::Claims,
    FigureGroup::Sources,
    FigureGroup::Spent,
];

pub(super) fn figures(report: &Report) -> Vec<KeyFigure> {
    let mut all = outcome(report);
    all.extend(evidence(report));
    all.extend(claims(report));
    all.extend(sources(report));
    all.extend(spent(report));
    all
}

fn figure(
    group: FigureGroup,
    label: &'static str,
    value: String,
    detail: Option<String>,
) -> KeyFigure {
    KeyFigure {
        group,
        label,
        value,
        detail,
    }
}

fn outcome(report: &Report) -> Vec<KeyFigure> {
    let status = match report.status {
        ReportStatus::Complete => "complete",
        ReportStatus::Partial { .. } => "partial",
    };
    let score = report.review.as_ref();
    let score = score.map(|review| format!("{:.1} of 10", review.score));
    let score = score.unwrap_or_else(|| "none".to_owned());
    // The review weighs the text against its sources; how well these bear each other out is told apart.
    let confidence = format!("confidence {}", confidence(report.confidence));
    vec![
        figure(FigureGroup::Outcome, "Status", status.to_owned(), None),
        figure(FigureGroup::Outcome, "Review", score, Some(confidence)),
    ]
}

fn evidence(report: &Report) -> Vec<KeyFigure> {
    let StrengthCounts {
        strong,
        moderate,
        weak,
    } = report.figures.findings;
    let strengths = [(strong, "strong"), (moderate, "moderate"), (weak, "weak")];
    let strengths = strengths.map(|(count, word)| format!("{count} {word}"));
    let (disagreements, open) = (report.contradictions.len(), report.gaps.len());
    let findings = (strong + moderate + weak).to_string();
    vec![
        figure(
            FigureGroup::Evidence,
            "Findings",
            findings,
            Some(strengths.join(", ")),
        ),
        figure(
            FigureGroup::Evidence,
            "Disagreements",
            disagreements.to_string(),
            None,
        ),
        figure(
            FigureGroup::Evidence,
            "Open questions",
            open.to_string(),
            None,
        ),
    ]
}

pub(super) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    }
}

fn claims(report: &Report) -> Vec<KeyFigure> {
    let counts = report.figures.claims;
    let of_all = |part: usize| format!("{part} of {}", counts.claims);
    let removed = match counts.removed {
        0 => None,
        removed => Some(format!("{removed} more removed by the check")),
    };
    let unchecked = counts.claims.saturating_sub(counts.checked);
    let against = [
        (counts.contradicted, "contradicted"),
        (counts.unsupported, "not supported"),
        (unchecked, "not checked"),
    ];
    let against = against.iter().filter(|(count, _)| *count > 0);
    let against = against.map(|(count, word)| format!("{count} {word}"));
    let share = share(counts.supported, counts.claims);
    let supported: Vec<String> = share.into_iter().chain(against).collect();
    let supported = Some(supported.join(", ")).filter(|text| !text.is_empty());
    vec![
        figure(
            FigureGroup::Claims,
            "Claims",
            counts.claims.to_string(),
            removed,
        ),
        figure(
            FigureGroup::Claims,
            "Checked",
            of_all(counts.checked),
            self::share(counts.checked, counts.claims),
        ),
        figure(
            FigureGroup::Claims,
            "Supported",
            of_all(counts.supported),
            supported,
        ),
        meaning(report),
    ]
}

/// What a model says of the sentences, or that none was asked.
fn meaning(report: &Report) -> KeyFigure {
    let Some(opinions) = report.figures.claims.judged else {
        let why = Some("no model judged the meaning".to_owned());
        return figure(FigureGroup::Claims, "Judged", "by code".to_owned(), why);
    };
    let asked = opinions.asked();
    let against = [
        (opinions.contradicted, "contradicted"),
        (opinions.not_supported, "not supported"),
        (opinions.could_not_check, "could not be judged"),
    ];
    let against = against.iter().filter(|(count, _)| *count > 0);
    let against = against.map(|(count, word)| format!("{count} {word}"));
    let whole = match asked {
        0 => "plain quotations need no judgement".to_owned(),
        _ => "of those that are more than quotations, by a model".to_owned(),
    };
    let detail: Vec<String> = std::iter::once(whole).chain(against).collect();
    let value = format!("{} of {asked} supported", opinions.supported);
    figure(
        FigureGroup::Claims,
        "Judged",
        value,
        Some(detail.join(", ")),
    )
}

fn sources(report: &Report) -> Vec<KeyFigure> {
    let figures = &report.figures;
    let read = format!(
        "{} of {} found",
        figures.sources_read, figures.sources_found
    );
    let cited = Some(format!("{} cited", figures.sources_cited));
    let failed = figures.fetches_failed.to_string();
    vec![
        figure(FigureGroup::Sources, "Sources read", read, cited),
        figure(FigureGroup::Sources, "Fetches failed", failed, None),
    ]
}

fn spent(report: &Report) -> Vec<KeyFigure> {
    let figures = &report.figures;
    let (cost, why) = match figures.cost_micros {
        Some(micros) => (dollars(micros), None),
        None => ("not known".to_owned(), Some("no price is set".to_owned())),
    };
    vec![
        figure(FigureGroup::Spent, "Time", duration(figures.time_ms), None),
        figure(FigureGroup::Spent, "Tokens", grouped(figures.tokens), None),
        figure(FigureGroup::Spent, "Cost", cost, why),
    ]
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
