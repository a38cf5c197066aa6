//! Conflicts between sources as a reader is shown them: both sides quoted, what they differ in, and what
//! weighs for one of them.

use std::collections::BTreeSet;

use fathom_evidence::phrases::phrases;
use fathom_evidence::validate::agreement::figures_are_close;
use fathom_evidence::validate::consistency::{ConflictKind, ConflictSide, Statement, conflicts};
use fathom_evidence::{Language, Span, sentences};

use super::Reading;
use crate::analysis::{Contradiction, Evidence, Side};
use crate::source::SourceId;

/// Contradictions beyond this are not shown.
const CONTRADICTIONS_MOST: usize = 20;

/// Phrases that tell what both sides are on.
const NAMED_MOST: usize = 2;
const PHRASES_SEEN: usize = 40;

/// Words that say which way something goes, and so name no matter.
const DIRECTIONS: &[&str] = &[
    "more",
    "less",
    "lower",
    "lowers",
    "lowered",
    "raise",
    "raises",
    "raised",
    "fall",
    "falls",
    "fell",
    "rise",
    "rises",
    "rose",
    "increase",
    "increased",
    "decrease",
    "decreased",
    "reduce",
    "reduced",
    "cost",
    "costs",
    "cooler",
    "warmer",
    "needs",
    "adding",
];

/// Designs that weigh more than others, the strongest first, and the words of a title that tell them.
const DESIGNS: &[(&str, &[&str])] = &[
    ("review", &["systematic review", "meta-analysis", "pooled"]),
    (
        "trial",
        &[
            "randomised",
            "randomized",
            "controlled trial",
            "matched pairs",
            "trial",
        ],
    ),
];

/// A sentence of the evidence.
struct SaidSentence<'e> {
    source: SourceId,
    name: String,
    span: Span,
    quote: &'e str,
}

/// The conflicts between sentences of different sources, in order, as a reader is shown them.
pub(super) fn contradictions(
    evidence: &[Evidence],
    readings: &[&Reading],
    language: Language,
) -> Vec<Contradiction> {
    let said = said(evidence, language);
    let statements: Vec<Statement<'_>> = said
        .iter()
        .map(|one| Statement {
            source: &one.name,
            start: one.span.start,
            text: one.quote,
        })
        .collect();
    let holder = |side: &ConflictSide| {
        let holds = |one: &&SaidSentence<'_>| one.name == side.source && one.span.holds(side.span);
        said.iter().find(holds)
    };
    let reading = |source: SourceId| readings.iter().copied().find(|one| one.source == source);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for conflict in conflicts(&statements, language) {
        // One source that says two things says them of two matters: two groups, two years.
        let same = conflict.left.source == conflict.right.source;
        let close = conflict.difference == ConflictKind::Number
            && figures_are_close(&conflict.left.quote, &conflict.right.quote);
        if same || close {
            continue;
        }
        let (Some(left), Some(right)) = (holder(&conflict.left), holder(&conflict.right)) else {
            continue;
        };
        let (Some(one), Some(other)) = (reading(left.source), reading(right.source)) else {
            continue;
        };
        if seen.insert((left.source, left.span, right.source, right.span)) {
            found.push(Contradiction {
                about: about(conflict.difference, left.quote, right.quote),
                weighed: weighed(one, other),
                left: left.side(),
                right: right.side(),
            });
        }
    }
    found.truncate(CONTRADICTIONS_MOST);
    found
}

impl SaidSentence<'_> {
    fn side(&self) -> Side {
        Side {
            source: self.source,
            span: self.span,
            quote: self.quote.to_owned(),
        }
    }
}

/// The sentences of all evidence, each once.
fn said(evidence: &[Evidence], language: Language) -> Vec<SaidSentence<'_>> {
    let mut seen = BTreeSet::new();
    let mut said = Vec::new();
    for piece in evidence {
        for within in sentences(&piece.quote, language) {
            let start = piece.span.start + within.start;
            let span = Span::new(start, start + within.len());
            let Some(quote) = within.of(&piece.quote) else {
                continue;
            };
            if seen.insert((piece.source, span)) {
                said.push(SaidSentence {
                    source: piece.source,
                    name: piece.source.0.to_string(),
                    span,
                    quote,
                });
            }
        }
    }
    said
}

fn about(difference: ConflictKind, left: &str, right: &str) -> String {
    let on = match named(left, right).as_slice() {
        [] => "the same matter".to_owned(),
        named => named.join(" and "),
    };
    match difference {
        ConflictKind::Number => format!("The sources read disagree on {on}."),
        ConflictKind::Date => format!("The sources read give different dates for {on}."),
        ConflictKind::Denied => format!("The sources read contradict each other on {on}."),
        ConflictKind::Turned => format!("The sources read point in opposite directions on {on}."),
    }
}

/// The longest phrases that both sides have, in the order in which they stand. A word that points a
/// way is no name of the matter, and ends it.
fn named(left: &str, right: &str) -> Vec<String> {
    let found = phrases(&[&masked(left), &masked(right)], PHRASES_SEEN);
    let mut shared: Vec<&str> = found
        .iter()
        .filter(|phrase| phrase.texts == 2)
        .flat_map(|phrase| without_directions(&phrase.text))
        .collect();
    shared.sort_by_key(|text| {
        let words = text.split(' ').count();
        (std::cmp::Reverse(words), left.find(text))
    });
    let mut named: Vec<&str> = Vec::new();
    for text in shared {
        let within = |known: &&str| known.contains(text) || text.contains(known);
        if named.len() < NAMED_MOST && !named.iter().any(within) {
            named.push(text);
        }
    }
    named.sort_by_key(|text| left.find(text));
    // A phrase that begins a sentence has a large letter for that alone.
    let begins = |text: &str| left.starts_with(text) || right.starts_with(text);
    let written = |text: &str| {
        if begins(text) {
            text.to_lowercase()
        } else {
            text.to_owned()
        }
    };
    named.into_iter().map(written).collect()
}

/// A text without its figures and the word behind each, which is a unit or counted: the sides differ in them.
fn masked(text: &str) -> String {
    let mut counted = false;
    let mut plain = Vec::new();
    for word in text.split_whitespace() {
        let figure = word.contains(|c: char| c.is_ascii_digit());
        plain.push(if figure || counted { ";" } else { word });
        counted = figure;
    }
    plain.join(" ")
}

/// The parts of a phrase around words that point a way.
fn without_directions(phrase: &str) -> Vec<&str> {
    let points = |word: &str| {
        let lower = word.to_lowercase();
        DIRECTIONS.contains(&lower.as_str())
    };
    let mut parts = Vec::new();
    let mut from = 0;
    let mut at = 0;
    for word in phrase.split(' ') {
        if points(word) {
            parts.push(phrase.get(from..at).unwrap_or_default());
            from = at + word.len();
        }
        at += word.len() + 1;
    }
    parts.push(phrase.get(from..).unwrap_or_default());
    parts.retain(|part| !part.trim().is_empty());
    parts.into_iter().map(str::trim).collect()
}

/// What weighs for one side: the later word of the same authors, or the more careful design.
fn weighed(left: &Reading, right: &Reading) -> Option<String> {
    later_word(left, right).or_else(|| design(left, right))
}

fn later_word(left: &Reading, right: &Reading) -> Option<String> {
    let (one, other) = (&left.document.about, &right.document.about);
    let same = one.authors.iter().any(|name| other.authors.contains(name));
    let (before, after) = (one.published.as_deref()?, other.published.as_deref()?);
    let differ = before.get(..4)? != after.get(..4)?;
    (same && differ).then(|| {
        "This report gives more weight to the newer one, since the two share an author.".to_owned()
    })
}

/// A review weighs more than a trial, a trial more than other work.
fn design(left: &Reading, right: &Reading) -> Option<String> {
    let ranked = |reading: &Reading| {
        let title = reading.document.about.title.as_deref().unwrap_or_default();
        let lower = title.to_lowercase();
        let mut kinds = DESIGNS.iter().enumerate();
        kinds.find(|(_, (_, said))| said.iter().any(|word| lower.contains(word)))
    };
    let (one, other) = (ranked(left), ranked(right));
    let place = |found: Option<(usize, _)>| found.map_or(usize::MAX, |(at, _)| at);
    let (_, (kind, _)) = match place(one).cmp(&place(other)) {
        std::cmp::Ordering::Less => one?,
        std::cmp::Ordering::Greater => other?,
        std::cmp::Ordering::Equal => return None,
    };
    Some(format!(
        "This report gives more weight to the one that calls itself a {kind}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_named_by_what_both_sides_speak_of_and_by_no_figure_unit_or_direction() {
        let cases = [
            (
                "A young oak needs 120 litres of rain a week.",
                "A young oak needs 60 litres of rain a week.",
                ["young oak", "rain"],
            ),
            (
                "Night trains raised the noise level by 4 percent.",
                "Night trains lowered the noise level by 5 percent.",
                ["night trains", "noise level"],
            ),
        ];
        for (left, right, expected) in cases {
            assert_eq!(named(left, right), expected);
        }
    }
}
