//! The phrases a sentence puts in quotation marks.

use crate::Span;

/// Opening marks and what closes each.
const PAIRS: &[(char, &[char])] = &[
    ('"', &['"']),
    ('“', &['”', '"']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«']),
];

/// What stands between quotation marks, without them. A mark that is never closed opens nothing.
pub fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    let opening = |c: char| PAIRS.iter().any(|(open, _)| *open == c);
    while let Some(at) = rest.find(opening) {
        let mut chars = rest.get(at..).unwrap_or_default().chars();
        let open = chars.next().unwrap_or_default();
        let inside = chars.as_str();
        let closing = PAIRS
            .iter()
            .find(|(mark, _)| *mark == open)
            .map_or(&[][..], |(_, close)| close);
        let Some(end) = inside.find(closing).filter(|_| !is_inch(rest, at, open)) else {
            rest = inside;
            continue;
        };
        let phrase = inside.get(..end).unwrap_or_default().trim();
        if phrase.contains(char::is_alphanumeric) {
            found.push(phrase.to_owned());
        }
        let mut after = inside.get(end..).unwrap_or_default().chars();
        after.next();
        rest = after.as_str();
    }
    found
}

/// Where phrases that were taken from a text stand in it, in order.
pub(crate) fn quotes_of(text: &str, phrases: &[String]) -> Vec<Span> {
    let mut at = 0;
    let mut spans = Vec::new();
    for phrase in phrases {
        let found = text.get(at..).and_then(|rest| rest.find(phrase));
        let Some(start) = found.map(|found| at + found) else {
            continue;
        };
        at = start + phrase.len();
        spans.push(Span::new(start, at));
    }
    spans
}

/// `12"` is a length.
fn is_inch(text: &str, at: usize, open: char) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    open == '"' && before.is_some_and(|c| c.is_ascii_digit())
}
