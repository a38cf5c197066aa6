//! Cuts text into words, and words into the tokens that become terms.

use super::fold;
use crate::Span;

/// The words of a text and where they stand: runs of letters and digits. A number keeps the points
/// and commas inside it.
pub fn words(text: &str) -> impl Iterator<Item = Span> {
    WordSpans { text, at: 0 }
}

/// Hands over every token of a text, in lower case, with the place of its word.
///
/// Most words are one token. Two parts joined by a hyphen, one of which has a digit, also give the
/// whole without the hyphen. Runs of a script that is written without spaces give pairs of
/// characters.
pub(super) fn each(text: &str, mut take: impl FnMut(&str, Span)) {
    let mut buffer = String::with_capacity(64);
    let mut before: Option<Span> = None;
    for span in words(text) {
        let Some(word) = span.of(text) else {
            continue;
        };
        if word.is_ascii() {
            lowered(word, &mut buffer);
            take(&buffer, span);
        } else {
            each_of_other(word, |token| take(token, span));
        }
        if let Some(first) = before
            && let Some(joined) = joined_name(text, first, span)
        {
            take(&joined, Span::new(first.start, span.end));
        }
        before = Some(span);
    }
}

/// Hands over every word of a text as it is written, with false; and every name that is written with a hyphen as one word,
/// with true: that is a token already.
pub(super) fn each_word(text: &str, mut take: impl FnMut(&str, bool)) {
    let mut before = None;
    for span in words(text) {
        let Some(word) = span.of(text) else {
            continue;
        };
        take(word, false);
        if let Some(first) = before
            && let Some(joined) = joined_name(text, first, span)
        {
            take(&joined, true);
        }
        before = Some(span);
    }
}

struct WordSpans<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for WordSpans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let start = self.skip_to(true)?;
        self.at = start;
        loop {
            let end = self.skip_to(false).unwrap_or(self.text.len());
            self.at = end;
            if !self.inside_number(end) {
                return Some(Span::new(start, end));
            }
            self.at = end + 1;
        }
    }
}

impl WordSpans<'_> {
    /// Where the next character stands that is part of a word, or is not.
    fn skip_to(&self, wanted: bool) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            let byte = *bytes.get(at)?;
            if byte.is_ascii() {
                if byte.is_ascii_alphanumeric() == wanted {
                    return Some(at);
                }
                at += 1;
            } else {
                let c = self.text.get(at..)?.chars().next()?;
                if is_part_of_word(c) == wanted {
                    return Some(at);
                }
                at += c.len_utf8();
            }
        }
    }

    /// Whether a point or comma with digits on both sides stands here.
    fn inside_number(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        matches!(bytes.get(at), Some(b'.' | b','))
            && at.checked_sub(1).is_some_and(digit)
            && digit(at + 1)
    }
}

/// Accents may follow their letter as signs of their own.
fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}')
}

/// In lower case and, if it is a number, in one spelling: `1,000` is `1000`, `2,5` is `2.5`.
fn lowered(word: &str, into: &mut String) {
    into.clear();
    into.push_str(word);
    into.make_ascii_lowercase();
    if word.contains(',') {
        let thousands = word.split(',').skip(1).all(|part| {
            let whole = part.split('.').next().unwrap_or(part);
            whole.len() == 3
        });
        let spelt = into.replace(',', if thousands { "" } else { "." });
        into.clear();
        into.push_str(&spelt);
    }
}

fn each_of_other(word: &str, mut take: impl FnMut(&str)) {
    let lower = fold::lower(word);
    let mut rest: &str = &lower;
    while let Some(first) = rest.chars().next() {
        let spaceless = is_spaceless(first);
        let end = rest
            .find(|c| is_spaceless(c) != spaceless)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if spaceless {
            pairs(run, &mut take);
        } else {
            take(run);
        }
    }
}

fn pairs(run: &str, take: &mut impl FnMut(&str)) {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    if starts.len() < 2 {
        take(run);
        return;
    }
    for (nth, start) in starts.iter().enumerate().take(starts.len() - 1) {
        let end = starts.get(nth + 2).copied().unwrap_or(run.len());
        take(&run[*start..end]);
    }
}

/// Scripts whose words are not set apart: Thai, Lao, Khmer, Kana, Han, Hangul.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{1100}'..='\u{11ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn hyphen_between(text: &str, first: Span, second: Span) -> bool {
    let between = text.get(first.end..second.start);
    matches!(between, Some("-" | "\u{2010}" | "\u{2011}" | "\u{2013}"))
}

/// The whole of two neighbouring words that are a name written with a hyphen, in lower case: `COVID-19` and `5-HT`, but not
/// the range `10-20` nor the compound `well-known`.
pub(super) fn joined_name(text: &str, first: Span, second: Span) -> Option<String> {
    if !hyphen_between(text, first, second) {
        return None;
    }
    let (one, two) = (first.of(text)?, second.of(text)?);
    let letter = |word: &str| word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let name = (digit(one) && letter(two)) || (letter(one) && digit(two));
    name.then(|| format!("{}{}", fold::lower(one), fold::lower(two)))
}
