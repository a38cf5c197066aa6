//! One claim held against one source.

use crate::Span;
use crate::claim::Claim;
use crate::claim::date::{Date, dates};
use crate::claim::name::names;
use crate::claim::number::{Number, figures};
use crate::claim::oppose::oppose;
use crate::claim::reading::words;

use super::support::{Lexical, support};
use super::{Reason, Settings, SourceText, Supporting};

/// From this share on a sentence says nearly the same as the claim.
const NEARLY_THE_SAME: f64 = 0.75;

/// What came of it.
pub(super) struct Comparison {
    /// The share of the claim that the source has, between 0 and 1.
    pub(super) score: f64,
    pub(super) by: Vec<Supporting>,
    /// Numbers, names and dates of the claim that the source does not bear out.
    pub(super) missing: Vec<Reason>,
    /// The best sentence says the opposite.
    pub(super) opposed: Option<Reason>,
    /// The best sentence states numbers of its own, so that a missing one stands against them.
    pub(super) other_numbers: bool,
}

impl Comparison {
    pub(super) fn new(
        id: u32,
        claim: &Claim,
        source: &SourceText<'_>,
        settings: &Settings,
    ) -> Self {
        let terms = terms(claim, source);
        let lexical = support(&terms, source);
        let place = |at: &usize| source.sentences().get(*at).copied();
        let supporting = |span: Span| Supporting { source: id, span };
        Self {
            score: score(&lexical).max(quoted(claim, source, &terms)),
            by: lexical
                .best
                .iter()
                .filter_map(place)
                .map(supporting)
                .collect(),
            missing: missing(&claim.text, source, &lexical),
            opposed: opposed(claim, source, &lexical, settings),
            other_numbers: source.numbers(&lexical.best).next().is_some(),
        }
    }
}

/// A claim may rest on several sentences, but one that has it all says it best.
fn score(lexical: &Lexical) -> f64 {
    0.5 * lexical.one + 0.3 * lexical.few + 0.2 * lexical.whole
}

/// The share of the claim that is quoted: the quotes have been found by now.
fn quoted(claim: &Claim, source: &SourceText<'_>, terms: &[String]) -> f64 {
    let quoted: Vec<String> = claim
        .quotes
        .iter()
        .flat_map(|quote| source.reader().about(quote))
        .collect();
    let held = terms.iter().filter(|term| quoted.contains(term)).count();
    held as f64 / terms.len().max(1) as f64
}

/// What the claim is about, numbers apart: those are compared by their values.
fn terms(claim: &Claim, source: &SourceText<'_>) -> Vec<String> {
    let mut terms = source.reader().about(&claim.text);
    terms.retain(|term| {
        !term.starts_with(|c: char| c.is_ascii_digit()) || term.chars().any(char::is_alphabetic)
    });
    terms
}

fn missing(claim: &str, source: &SourceText<'_>, lexical: &Lexical) -> Vec<Reason> {
    let mut missing = Vec::new();
    let dates = dates(claim);
    missing.extend(
        dates
            .iter()
            .filter_map(|date| missing_date(date, claim, source)),
    );
    let said = figures(claim);
    let near = near(lexical, source.sentences().len());
    let in_date = |number: &&Number| !dates.iter().any(|date| date.span.holds(number.span));
    // "One" is mostly no number, and small steps of counting are often left unsaid.
    let counts = |number: &&Number| !(number.value == 1.0 && number.unit.is_none());
    let numbers = said.numbers.iter().filter(in_date).filter(counts);
    let unsaid = numbers.filter_map(|number| missing_number(number, claim, source, &near));
    // Where no sentence says nearly the same, a number may rest on another part of the source.
    let counts = |reason: &Reason| {
        lexical.one >= NEARLY_THE_SAME || !matches!(reason, Reason::NumberElsewhere { .. })
    };
    missing.extend(unsaid.filter(counts));
    let text = |span: Span| span.of(claim).unwrap_or_default().to_owned();
    for (span, code) in &said.codes {
        if !source.has_code(code) && !source.has_letters(code) {
            missing.push(Reason::NameNotFound { name: text(*span) });
        }
    }
    let told = |span: &Span| {
        let code = said.codes.iter().any(|(code, _)| code.overlaps(*span));
        code || dates.iter().any(|date| date.span.overlaps(*span))
    };
    let plain = names(claim).into_iter().filter(|span| !told(span));
    let absent = plain.filter(|span| !has_name(source, span.of(claim).unwrap_or_default()));
    missing.extend(absent.map(|span| Reason::NameNotFound { name: text(span) }));
    missing
}

/// The sentences a claim rests on and those beside them.
fn near(lexical: &Lexical, sentences: usize) -> Vec<usize> {
    let around = |at: &usize| at.saturating_sub(1)..=(at + 1).min(sentences.saturating_sub(1));
    lexical.best.iter().flat_map(around).collect()
}

fn missing_number(
    number: &Number,
    claim: &str,
    source: &SourceText<'_>,
    near: &[usize],
) -> Option<Reason> {
    if source.numbers(near).any(|told| number.is_told_by(told)) {
        return None;
    }
    let written = number.span.of(claim).unwrap_or_default().to_owned();
    if source.all_numbers().any(|told| number.is_told_by(told)) {
        return Some(Reason::NumberElsewhere { number: written });
    }
    Some(Reason::NumberNotFound { number: written })
}

fn missing_date(date: &Date, claim: &str, source: &SourceText<'_>) -> Option<Reason> {
    let told = source.dates().iter().any(|told| date.is_told_by(told));
    let date = date.span.of(claim).unwrap_or_default().to_owned();
    (!told).then_some(Reason::DateNotFound { date })
}

/// A name stands in a source in any case and form, or as the first letters of its words.
fn has_name(source: &SourceText<'_>, name: &str) -> bool {
    let mut terms = source.reader().about(name).into_iter();
    terms.all(|term| !source.holding(&term).is_empty() || !source.relatives(&term).is_empty())
        || source.has_letters(stem(name))
        || is_initials(source, name)
}

/// A longer name without its ending: "Libyan" is borne out by "Libya".
fn stem(name: &str) -> &str {
    let ending = if name.chars().count() > 5 { 2 } else { 0 };
    let end = name
        .char_indices()
        .rev()
        .nth(ending)
        .map_or(0, |(at, c)| at + c.len_utf8());
    name.get(..end).unwrap_or(name)
}

/// "CKD" for "chronic kidney disease".
fn is_initials(source: &SourceText<'_>, name: &str) -> bool {
    let wanted: Vec<char> = name
        .trim_end_matches('s')
        .chars()
        .flat_map(char::to_lowercase)
        .collect();
    if wanted.len() < 2 || name.chars().filter(|c| c.is_uppercase()).count() < 2 {
        return false;
    }
    let first = |span: Span| {
        span.of(source.text())
            .and_then(|w| w.chars().next())
            .unwrap_or_default()
    };
    let initials: Vec<char> = words(source.text())
        .map(first)
        .flat_map(char::to_lowercase)
        .collect();
    initials.windows(wanted.len()).any(|run| run == wanted)
}

/// What the best sentence says against the claim, where it is on the same matter.
fn opposed(
    claim: &Claim,
    source: &SourceText<'_>,
    lexical: &Lexical,
    settings: &Settings,
) -> Option<Reason> {
    if lexical.one < settings.citation_same_matter_min {
        return None;
    }
    let sentence = source.sentence(*lexical.best.first()?)?;
    let (left, right) = (
        source.reader().read(&claim.text),
        source.reader().read(sentence),
    );
    let found = oppose(&left, &right)?;
    Some(Reason::Opposed {
        kind: found.kind,
        claim: found.left.of(&claim.text)?.to_owned(),
        source: found.right.of(sentence)?.to_owned(),
    })
}
