//! Citations by number: `[1]`, `[1, 3]`, `[2–4]`, `[^1]`.

use crate::Span;

/// A wider range is no citation.
const RANGE_MAX: u32 = 50;

/// Larger numbers in brackets are years and the like.
const ID_MAX: u32 = 999;

/// One bracket with the ids in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// The bracket with all that is in it.
    pub span: Span,
    /// The numbers it names, ranges written out.
    pub ids: Vec<u32>,
}

/// Every bracket of a text that cites by number, in order.
pub fn citations(text: &str) -> Vec<Bracket> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('[')) {
        let start = at + open;
        at = start + 1;
        let inside = text.get(at..).unwrap_or_default();
        let Some(close) = inside.find(['[', ']']) else {
            break;
        };
        if !inside.get(close..).unwrap_or_default().starts_with(']') {
            continue;
        }
        let end = at + close + 1;
        // "[1](address)" is a link, but its number is a citation all the same.
        if let Some(ids) = inside.get(..close).and_then(ids) {
            found.push(Bracket {
                span: Span::new(start, end),
                ids,
            });
            at = end;
        }
    }
    found
}

fn ids(inside: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in inside.trim_start_matches('^').split([',', ';']) {
        let mut ends = part.split(['-', '–', '—', '‑']);
        let first = id(ends.next()?)?;
        let last = match ends.next() {
            Some(last) => id(last)?,
            None => first,
        };
        if ends.next().is_some() || last < first || last - first > RANGE_MAX {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

fn id(text: &str) -> Option<u32> {
    let text = text.trim().trim_start_matches('^');
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|id| digits && *id <= ID_MAX)
}
