//! The numbers a text states, and the names that hold digits.
//!
//! Takes a text; gives each number with its value, how exactly it was told and its unit, and apart
//! from them words such as "IL-6" or "B12", whose digits count nothing.

use serde::{Deserialize, Serialize};

use crate::{Span, terms};

use super::lexicon::LEXICON;

/// A number as a text states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatedNumber {
    /// The digits or words of the number, without its unit.
    pub span: Span,
    /// Without its sign: a fall of 5 and a change of -5 are told by the same number.
    pub value: f64,
    /// The unit of its last digit: 0.1 for "3.2", 1,000 for "3 thousand".
    pub step: f64,
    /// What it counts, as far as known: `percent`, `mass_mg`, ….
    pub unit: Option<String>,
}

impl StatedNumber {
    /// Whether a source that states `told` bears this number out: the same value, or one that
    /// rounds to it, in a unit that does not differ.
    pub fn is_told_by(&self, told: &StatedNumber) -> bool {
        if let (Some(here), Some(there)) = (&self.unit, &told.unit)
            && here != there
        {
            return false;
        }
        let apart = (self.value - told.value).abs();
        let same = apart <= 1e-9 * self.value.abs().max(1.0);
        same || (told.step < self.step && apart <= self.step / 2.0 * (1.0 + 1e-9))
    }
}

/// What a text says in digits and number words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StatedNumbers {
    pub(crate) numbers: Vec<StatedNumber>,
    /// Words with digits in them, in lower case and without hyphens.
    pub(crate) codes: Vec<(Span, String)>,
}

pub(crate) fn figures(text: &str) -> StatedNumbers {
    let words: Vec<Span> = terms::words(text).collect();
    let mut found = StatedNumbers::default();
    let mut i = 0;
    while let Some(word) = words.get(i) {
        let rest = words.get(i..).unwrap_or_default();
        let written = word.of(text).unwrap_or_default();
        let taken = if written.contains(|c: char| c.is_ascii_digit()) {
            digits(text, rest, &mut found)
        } else {
            spelt(text, rest, &mut found)
        };
        i += taken.max(1);
    }
    found
}

/// Reads what begins with a word that holds digits; gives how many words it took.
fn digits(text: &str, words: &[Span], found: &mut StatedNumbers) -> usize {
    let Some(first) = words.first() else { return 1 };
    let written = first.of(text).unwrap_or_default();
    if !written.starts_with(|c: char| c.is_ascii_digit()) || hangs_on_letters(text, *first) {
        return code(text, words, found);
    }
    let (taken, literal) = literal(text, words);
    let body = literal.of(text).unwrap_or_default();
    let figure_end = body
        .rfind(|c: char| c.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let (figure, tail) = body.split_at(figure_end);
    let rest = words.get(taken..).unwrap_or_default();
    let glued = rest
        .first()
        .filter(|next| is_hyphen(text, literal.end, next.start));
    let named = glued
        .and_then(|next| next.of(text))
        .is_some_and(|w| w.starts_with(char::is_uppercase));
    if !is_tail(tail) || named {
        return code(text, words, found);
    }
    let Some((value, step)) = parse(figure) else {
        return taken;
    };
    let mut number = StatedNumber {
        span: literal,
        value,
        step,
        unit: None,
    };
    let scaled = scale(text, &mut number, rest);
    number.unit = unit(text, tail, literal, rest.get(scaled..).unwrap_or_default());
    found.numbers.push(number);
    taken + scaled
}

/// What may follow digits in one word and leave them a number: "5th", "1990s", "10mg".
fn is_tail(tail: &str) -> bool {
    let lower = tail.to_lowercase();
    lower.is_empty()
        || matches!(
            lower.as_str(),
            "st" | "nd" | "rd" | "th" | "s" | "k" | "bn" | "mn" | "x" | "fold"
        )
        || LEXICON.units.contains_key(lower.as_str())
}

/// The digits with their separators: 1,234.5 is three words and one number.
fn literal(text: &str, words: &[Span]) -> (usize, Span) {
    let Some(mut span) = words.first().copied() else {
        return (0, Span::default());
    };
    let mut taken = 1;
    while let Some(next) = words.get(taken) {
        let between = text.get(span.end..next.start).unwrap_or_default();
        let last = span.of(text).unwrap_or_default();
        let more = next.of(text).unwrap_or_default();
        let joins = match between {
            "." | "·" => !last.contains(['.', '·']),
            "," => thousands(more),
            "\u{00A0}" | "\u{2009}" | "\u{202F}" => thousands(more),
            _ => false,
        };
        let numeric = last.ends_with(|c: char| c.is_ascii_digit())
            && more.starts_with(|c: char| c.is_ascii_digit());
        if !joins || !numeric {
            break;
        }
        span.end = next.end;
        taken += 1;
    }
    (taken, span)
}

fn thousands(group: &str) -> bool {
    let digits = group.chars().take_while(char::is_ascii_digit).count();
    digits == 3
}

/// Value and step of plain digits with separators.
fn parse(figure: &str) -> Option<(f64, f64)> {
    let plain: String = figure
        .chars()
        .filter_map(|c| match c {
            '0'..='9' | '.' => Some(c),
            '·' => Some('.'),
            _ => None,
        })
        .collect();
    let decimals = plain.split_once('.').map_or(0, |(_, after)| after.len());
    let value: f64 = plain.parse().ok()?;
    Some((value, 10_f64.powi(-i32::try_from(decimals).ok()?)))
}

/// Multiplies by "thousand", "million" and so on; gives how many words that took.
fn scale(text: &str, number: &mut StatedNumber, rest: &[Span]) -> usize {
    let Some(next) = rest
        .first()
        .filter(|next| is_near(text, number.span.end, next.start))
    else {
        return 0;
    };
    let word = next.of(text).unwrap_or_default().to_lowercase();
    let factor = match word.as_str() {
        "bn" => Some(1e9),
        "mn" | "m" if currency_before(text, number.span.start).is_some() => Some(1e6),
        _ => LEXICON
            .numerals
            .get(word.as_str())
            .copied()
            .filter(|value| *value >= 100.0),
    };
    let Some(factor) = factor else { return 0 };
    number.value *= factor;
    number.step *= factor;
    number.span.end = next.end;
    1
}

/// The unit before or behind a number.
fn unit(text: &str, tail: &str, span: Span, rest: &[Span]) -> Option<String> {
    let known = |name: &str| LEXICON.units.get(name.to_lowercase().as_str()).copied();
    let behind = text
        .get(span.end..)
        .unwrap_or_default()
        .trim_start_matches([' ', '\u{00A0}', '\u{2009}']);
    let kind = known(tail)
        .or_else(|| behind.starts_with(['%', '％']).then_some("percent"))
        .or_else(|| behind.starts_with("per cent").then_some("percent"))
        .or_else(|| behind.starts_with('°').then_some("temperature"))
        .or_else(|| currency_before(text, span.start));
    let next = || {
        let next = rest
            .first()
            .filter(|next| is_near(text, span.end, next.start))?;
        known(next.of(text)?)
    };
    kind.or_else(next).map(str::to_owned)
}

fn currency_before(text: &str, start: usize) -> Option<&'static str> {
    let sign = text.get(..start)?.chars().next_back()?;
    LEXICON.units.get(sign.to_string().as_str()).copied()
}

/// Only a space or a hyphen apart.
fn is_near(text: &str, end: usize, start: usize) -> bool {
    let between = text.get(end..start).unwrap_or("?");
    matches!(
        between,
        "" | " " | "-" | "\u{2010}" | "\u{2011}" | "\u{00A0}" | "\u{2009}"
    )
}

fn is_hyphen(text: &str, end: usize, start: usize) -> bool {
    matches!(text.get(end..start), Some("-" | "\u{2010}" | "\u{2011}"))
}

/// Behind letters and a hyphen, as in "IL-6"; not behind a long word, as in "mid-1990s".
fn hangs_on_letters(text: &str, span: Span) -> bool {
    let before = text.get(..span.start).unwrap_or_default();
    let Some(head) = before.strip_suffix(['-', '\u{2010}', '\u{2011}']) else {
        return false;
    };
    let letters: Vec<char> = head
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric())
        .collect();
    !letters.is_empty()
        && letters.last().is_some_and(|c| c.is_alphabetic())
        && (letters.len() <= 2 || letters.iter().any(|c| c.is_uppercase()))
}

/// Keeps a word with digits as it is, with what hyphens tie to it.
fn code(text: &str, words: &[Span], found: &mut StatedNumbers) -> usize {
    let Some(mut span) = words.first().copied() else {
        return 1;
    };
    let before = text.get(..span.start).unwrap_or_default();
    if let Some(head) = before.strip_suffix(['-', '\u{2010}', '\u{2011}']) {
        let letters = head.trim_end_matches(char::is_alphanumeric).len();
        span.start = letters;
    }
    let mut taken = 1;
    while let Some(next) = words.get(taken) {
        let digit = next
            .of(text)
            .is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit() || c.is_uppercase()));
        if !is_hyphen(text, span.end, next.start) || !digit {
            break;
        }
        span.end = next.end;
        taken += 1;
    }
    let name = span.of(text).unwrap_or_default();
    let plain = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase);
    found.codes.push((span, plain.collect()));
    taken
}

/// Reads a number written in words: "twenty-five", "two hundred million".
fn spelt(text: &str, words: &[Span], found: &mut StatedNumbers) -> usize {
    let (mut total, mut group, mut taken, mut step) = (0.0, 0.0, 0, 1.0);
    let mut span: Option<Span> = None;
    for word in words {
        let near = span.is_none_or(|span| is_near(text, span.end, word.start));
        let written = word.of(text).unwrap_or_default().to_lowercase();
        let Some(value) = LEXICON.numerals.get(written.as_str()).filter(|_| near) else {
            break;
        };
        let tens = *value < 10.0 && group >= 20.0 && group % 10.0 == 0.0;
        if *value >= 100.0 || written == "dozen" {
            group = f64::max(group, 1.0) * value;
            step = *value;
            if *value >= 1_000.0 {
                total += group;
                group = 0.0;
            }
        } else if group == 0.0 || tens || group % 100.0 == 0.0 {
            group += value;
            step = 1.0;
        } else {
            break;
        }
        taken += 1;
        span = Some(span.map_or(*word, |span| Span::new(span.start, word.end)));
    }
    let Some(span) = span else { return 1 };
    let rest = words.get(taken..).unwrap_or_default();
    found.numbers.push(StatedNumber {
        span,
        value: total + group,
        step,
        unit: unit(text, "", span, rest),
    });
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(f64, Option<&'static str>)> {
        let kinds = &LEXICON.units;
        let kind = |unit: &String| {
            *kinds
                .values()
                .find(|kind| *kind == unit)
                .expect("a known kind")
        };
        let read = figures(text).numbers;
        read.iter()
            .map(|n| (n.value, n.unit.as_ref().map(kind)))
            .collect()
    }

    #[test]
    fn numbers_are_read_with_their_units() {
        assert_eq!(
            told("rose 12.5% to 1,234 mg"),
            [(12.5, Some("percent")), (1234.0, Some("mass_mg"))]
        );
        assert_eq!(
            told("twenty-five percent of 3.2 million"),
            [(25.0, Some("percent")), (3.2e6, None)]
        );
        assert_eq!(
            told("a 12-week trial at $5"),
            [(12.0, Some("time_week")), (5.0, Some("dollar"))]
        );
        assert_eq!(told("5–10 mg or 5 to 10 mg").len(), 4);
        assert_eq!(
            told("10mg in the 1990s"),
            [(10.0, Some("mass_mg")), (1990.0, None)]
        );
        assert_eq!(told("two hundred and six"), [(200.0, None), (6.0, None)]);
    }

    #[test]
    fn digits_in_names_count_nothing() {
        let read = figures("IL-6, B12, COVID-19, H1N1, 4-PBA and p53");
        assert_eq!(read.numbers, []);
        let codes: Vec<&str> = read.codes.iter().map(|(_, code)| code.as_str()).collect();
        assert_eq!(codes, ["il6", "b12", "covid19", "h1n1", "4pba", "p53"]);
    }

    #[test]
    fn a_rounded_number_is_borne_out_and_another_is_not() {
        let one = |text: &str| figures(text).numbers.remove(0);
        assert!(one("32%").is_told_by(&one("32.4 percent")));
        assert!(one("3.2 million").is_told_by(&one("3,214,000")));
        assert!(!one("32.4%").is_told_by(&one("32%")));
        assert!(!one("33%").is_told_by(&one("32.4%")));
        assert!(!one("5 mg").is_told_by(&one("5 kg")));
        assert!(one("5").is_told_by(&one("five")));
    }
}
