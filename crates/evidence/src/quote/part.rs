//! Ways in which people shorten or fit in a quote: words left out, a capital changed.

use crate::Span;

use super::{MatchKind, QuoteMatch};

/// How people write that they left words out, longest first.
const ELLIPSES: &[&str] = &[
    "[. . .]", "(. . .)", "[...]", "(...)", "[…]", "(…)", ". . .", "...", "…",
];

/// Fewer words between two ellipses would be found in any text, unless the other parts are long.
const PART_MIN_WORDS: usize = 2;
const PART_MEAN_WORDS: usize = 4;

/// How many beginnings of a quote with ellipses are tried: a text that repeats one more often than
/// this is no prose.
const BEGINNINGS_MAX: usize = 64;

/// The quote as given, and as it would stand had it not been fitted into another's sentence: the
/// other case of its first letter, without brackets around it, without the stop put at its end.
pub(super) fn readings(quote: &str) -> Vec<String> {
    let mut all = vec![quote.to_owned()];
    let mut add = |reading: String| {
        if !reading.is_empty() && !all.contains(&reading) {
            all.push(reading);
        }
    };
    let bare = unbracketed(quote);
    let unstopped = bare.trim_end_matches(['.', ',', ';', ':']).trim_end();
    add(unstopped.to_owned());
    add(other_case(unstopped));
    all
}

/// "[T]he" as "The".
fn unbracketed(quote: &str) -> String {
    let mut chars = quote.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('['), Some(letter), Some(']')) if letter.is_alphabetic() => {
            format!("{letter}{}", chars.as_str())
        }
        _ => quote.to_owned(),
    }
}

/// With the first letter large instead of small, or small instead of large. A word that is large
/// throughout, such as "DNA", is left alone.
fn other_case(quote: &str) -> String {
    let mut chars = quote.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let rest = chars.as_str();
    if rest.starts_with(char::is_uppercase) {
        return quote.to_owned();
    }
    if first.is_uppercase() {
        first.to_lowercase().chain(rest.chars()).collect()
    } else {
        first.to_uppercase().chain(rest.chars()).collect()
    }
}

/// A quote with ellipses: its parts in order, none further from the one before than `gap`.
pub(super) fn in_order<P, I>(quote: &str, gap: usize, places: P) -> Option<QuoteMatch>
where
    P: Fn(&str) -> I,
    I: Iterator<Item = Span>,
{
    let parts = parts(quote);
    let words: Vec<usize> = parts
        .iter()
        .map(|part| part.split_whitespace().count())
        .collect();
    let long = words.iter().sum::<usize>() >= PART_MEAN_WORDS * parts.len();
    // An ellipsis at the end leaves one part.
    if parts == [quote.trim()] || !long && words.iter().any(|words| *words < PART_MIN_WORDS) {
        return None;
    }
    let (first, rest) = parts.split_first()?;
    let beginnings: Vec<Span> = first_places(first, &places);
    let later: Vec<Vec<Span>> = rest.iter().map(|part| places(part).collect()).collect();
    beginnings.into_iter().find_map(|begin| {
        let mut stretches = vec![begin];
        let mut end = begin.end;
        for places in &later {
            let next = places.partition_point(|place| place.start < end);
            let next = places.get(next).filter(|place| place.start - end <= gap)?;
            stretches.push(*next);
            end = next.end;
        }
        Some(QuoteMatch {
            span: Span::new(begin.start, end),
            parts: stretches,
            matched: MatchKind::Normalised,
        })
    })
}

fn first_places<I: Iterator<Item = Span>>(part: &str, places: &impl Fn(&str) -> I) -> Vec<Span> {
    let mut found: Vec<Span> = readings(part)
        .iter()
        .flat_map(|reading| places(reading).take(BEGINNINGS_MAX))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn parts(quote: &str) -> Vec<&str> {
    let mut parts = vec![quote];
    for ellipsis in ELLIPSES {
        parts = parts.iter().flat_map(|part| part.split(ellipsis)).collect();
    }
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| part.contains(char::is_alphanumeric))
        .collect()
}
