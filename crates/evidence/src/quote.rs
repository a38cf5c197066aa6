//! Finds a quote in a text, and says exactly where it stands.
//!
//! Takes a text and words that somebody says stand in it; gives the place of those words in the
//! text as it was stored. Looked for as written first, then with typography left out of account:
//! Unicode forms, quotation marks, dashes, white space, hyphens at line ends. A changed word or
//! digit is never overlooked. What to do about a quote that is not there is left to the caller.

mod flat;
mod part;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::Span;
use flat::FlatText;

/// How a quote may differ from the text, typography apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuoteSettings {
    /// Only words that stand there to the byte.
    pub quote_exact: bool,
    /// Large and small letters count as the same.
    pub quote_ignore_case: bool,
    /// How many bytes may stand where a quote has an ellipsis.
    pub quote_gap_max: usize,
}

impl Default for QuoteSettings {
    fn default() -> Self {
        Self {
            quote_exact: false,
            quote_ignore_case: false,
            quote_gap_max: 1_000,
        }
    }
}

/// How the words of a quote agree with those of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchKind {
    /// To the byte.
    Exact,
    /// After typography is left out of account.
    Normalised,
}

/// Where a quote stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteMatch {
    /// From its first to its last byte in the text.
    pub span: Span,
    /// The stretches that were quoted: one, or several when the quote leaves words out.
    pub parts: Vec<Span>,
    /// How closely the words agree.
    pub matched: MatchKind,
}

/// Finds one quote in one text. Whoever looks for several prepares a [`SearchedText`].
pub fn find(text: &str, quote: &str, settings: &QuoteSettings) -> Option<QuoteMatch> {
    SearchedText::new(text).find(quote, settings)
}

/// A text that quotes are looked for in. Its plain form is made once, when it is first needed.
#[derive(Debug)]
pub struct SearchedText<'t> {
    text: &'t str,
    flat: OnceLock<FlatText>,
    lower: OnceLock<FlatText>,
}

impl<'t> SearchedText<'t> {
    /// Prepares a text, so that many quotes can be looked for in it.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            flat: OnceLock::new(),
            lower: OnceLock::new(),
        }
    }

    /// The text as it was given.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The first place where the quote stands, or nothing.
    pub fn find(&self, quote: &str, settings: &QuoteSettings) -> Option<QuoteMatch> {
        let quote = quote.trim();
        if !quote.contains(char::is_alphanumeric) {
            return None;
        }
        if let Some(span) = self.as_written(quote) {
            return Some(whole(span, MatchKind::Exact));
        }
        if settings.quote_exact {
            return None;
        }
        let flat = self.flat(settings.quote_ignore_case);
        let places = |words: &str| {
            let wanted = FlatText::new(words, settings.quote_ignore_case);
            flat.places(&wanted, self.text)
        };
        part::readings(quote)
            .iter()
            .find_map(|reading| places(reading).next())
            .map(|span| whole(span, MatchKind::Normalised))
            .or_else(|| part::in_order(quote, settings.quote_gap_max, places))
    }

    fn as_written(&self, quote: &str) -> Option<Span> {
        self.text
            .match_indices(quote)
            .map(|(at, found)| Span::new(at, at + found.len()))
            .find(|span| stands_alone(self.text, *span))
    }

    fn flat(&self, ignore_case: bool) -> &FlatText {
        let made = if ignore_case { &self.lower } else { &self.flat };
        made.get_or_init(|| FlatText::new(self.text, ignore_case))
    }
}

fn whole(span: Span, matched: MatchKind) -> QuoteMatch {
    QuoteMatch {
        span,
        parts: vec![span],
        matched,
    }
}

/// Whether a stretch begins and ends where a word or number does: "5 mg" does not stand in
/// "15 mg", nor in "1.5 mg", nor in "-5 mg".
fn stands_alone(text: &str, span: Span) -> bool {
    let Some(inside) = span.of(text) else {
        return false;
    };
    let (Some(before), Some(after)) = (text.get(..span.start), text.get(span.end..)) else {
        return false;
    };
    let mut back = before.chars().rev();
    let mut on = after.chars();
    begins_there(back.next(), back.next(), inside.chars().next())
        && ends_there(inside.chars().next_back(), on.next(), on.next())
}

fn begins_there(before: Option<char>, earlier: Option<char>, first: Option<char>) -> bool {
    let (Some(before), Some(first)) = (before, first) else {
        return true;
    };
    if first.is_numeric() {
        let decimal = matches!(before, '.' | ',') && earlier.is_some_and(char::is_numeric);
        let signed = matches!(before, '-' | '−')
            && earlier.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '['));
        if decimal || signed {
            return false;
        }
    }
    !one_word(before, first)
}

fn ends_there(last: Option<char>, after: Option<char>, later: Option<char>) -> bool {
    let (Some(last), Some(after)) = (last, after) else {
        return true;
    };
    let decimal =
        last.is_numeric() && matches!(after, '.' | ',') && later.is_some_and(char::is_numeric);
    !decimal && !one_word(last, after)
}

/// Whether two characters that follow each other belong to one word.
fn one_word(a: char, b: char) -> bool {
    a.is_alphanumeric() && b.is_alphanumeric() && !without_spaces(a) && !without_spaces(b)
}

/// Of a script that does not put spaces between words.
fn without_spaces(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF      // Thai and Lao
        | 0x1000..=0x109F    // Burmese
        | 0x1780..=0x17FF    // Khmer
        | 0x3040..=0x30FF    // Japanese syllables
        | 0x3400..=0x9FFF    // Chinese characters
        | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests;
