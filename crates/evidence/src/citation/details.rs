//! The numbers, dates and names of a claim that its source does not bear out.

use crate::Span;
use crate::claim::name::names;
use crate::claim::number::{StatedNumber, figures};
use crate::date::{StatedDate, dates};

use super::against::MatchedSentences;
use super::{CitationReason, SourceText};

/// From this share on the best sentences say nearly the same as the claim.
const NEARLY_THE_SAME: f64 = 0.75;

pub(super) fn missing(beside: &MatchedSentences<'_>) -> Vec<CitationReason> {
    let (claim, source) = (beside.claim.text.as_str(), beside.source);
    // What is quoted has been found to the letter.
    let own = |span: Span| !beside.quotes.iter().any(|quote| quote.overlaps(span));
    let text = |span: Span| span.of(claim).unwrap_or_default().to_owned();
    let dates = dates(claim);
    let said = figures(claim);
    let untold = |date: &&StatedDate| {
        own(date.span) && !source.dates().iter().any(|told| date.is_told_by(told))
    };
    let mut missing: Vec<CitationReason> = dates
        .iter()
        .filter(untold)
        .map(|date| CitationReason::DateNotFound {
            date: text(date.span),
        })
        .collect();
    let in_date = |number: &&StatedNumber| !dates.iter().any(|date| date.span.holds(number.span));
    // "One" is mostly no number, and small steps of counting are often left unsaid.
    let counts = |number: &&StatedNumber| {
        own(number.span) && !(number.value == 1.0 && number.unit.is_none())
    };
    let numbers = said.numbers.iter().filter(in_date).filter(counts);
    missing.extend(numbers.filter_map(|number| missing_number(number, beside)));
    for (span, code) in &said.codes {
        if own(*span) && !source.has_code(code) && !source.has_letters(code) {
            missing.push(CitationReason::NameNotFound { name: text(*span) });
        }
    }
    let told = |span: &Span| {
        let code = said.codes.iter().any(|(code, _)| code.overlaps(*span));
        code || dates.iter().any(|date| date.span.overlaps(*span))
    };
    let plain = names(claim)
        .into_iter()
        .filter(|span| own(*span) && !told(span));
    let absent = plain.filter(|span| !has_name(source, span.of(claim).unwrap_or_default()));
    missing.extend(absent.map(|span| CitationReason::NameNotFound { name: text(span) }));
    missing
}

fn missing_number(number: &StatedNumber, beside: &MatchedSentences<'_>) -> Option<CitationReason> {
    let source = beside.source;
    let close = beside.lexical.few >= NEARLY_THE_SAME;
    let near = near(&beside.lexical.best, source.sentences().len(), !close);
    let told_near = source.numbers(&near).any(|told| number.is_told_by(told));
    if told_near && !is_replaced(number, beside) {
        return None;
    }
    let written = number
        .span
        .of(&beside.claim.text)
        .unwrap_or_default()
        .to_owned();
    if !source.tells(number) {
        return Some(CitationReason::NumberNotFound { number: written });
    }
    // Where no sentence says nearly the same, a number may rest on another part of the source.
    (close || told_near).then_some(CitationReason::NumberElsewhere { number: written })
}

/// The sentences a claim rests on and, where wanted, those beside them.
fn near(best: &[usize], sentences: usize, beside: bool) -> Vec<usize> {
    let more = usize::from(beside);
    let around =
        |at: &usize| at.saturating_sub(more)..=(at + more).min(sentences.saturating_sub(1));
    best.iter().flat_map(around).collect()
}

/// Whether the source has other numbers, which the claim has nowhere, in the place where the claim
/// has this one.
fn is_replaced(number: &StatedNumber, beside: &MatchedSentences<'_>) -> bool {
    let at = beside
        .left
        .iter()
        .position(|word| word.span.overlaps(number.span));
    let Some(place) = at.and_then(|at| beside.pairs.place(at)) else {
        return false;
    };
    let words = beside
        .right
        .iter()
        .enumerate()
        .skip(place.start)
        .take(place.len());
    let strange: Vec<Span> = words
        .filter(|(at, _)| beside.pairs.back(*at).is_none())
        .map(|(_, word)| word.span)
        .collect();
    let there = beside.source.numbers_at(&strange, &beside.lexical.best);
    !there.is_empty() && !there.iter().any(|told| number.is_told_by(told))
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
    let short = name.trim_end_matches('s').to_lowercase();
    let capitals = name.chars().filter(|c| c.is_uppercase()).count();
    short.chars().count() > 1 && capitals > 1 && source.has_initials(&short)
}
