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
    /// The number with the unit behind it.
    pub whole: Span,
}

impl StatedNumber {
    /// Whether a source that states `told` bears this number out: the same value, or one that
    /// rounds to it, in a unit that does not differ.
    pub fn is_told_by(&self, told: &StatedNumber) -> bool {
        self.scaled(told).is_some_and(|(value, step)| {
            let apart = (self.value - value).abs();
            let same = apart <= 1e-9 * self.value.abs().max(1.0);
            same || (step < self.step && apart <= self.step / 2.0 * (1.0 + 1e-9))
        })
    }

    /// Whether both are told in one unit, and neither rounding nor cutting off explains that they
    /// are not the same.
    pub(crate) fn differs_from(&self, told: &StatedNumber) -> bool {
        let rough = |step: f64| if step < self.step { self.step } else { 0.0 };
        self.unit.is_some() == told.unit.is_some()
            && self.scaled(told).is_some_and(|(value, step)| {
                !self.is_told_by(told) && (self.value - value).abs() > rough(step)
            })
    }

    /// Value and step of another number in this one's unit. One of the two may leave its unit out.
    fn scaled(&self, told: &StatedNumber) -> Option<(f64, f64)> {
        let (Some(here), Some(there)) = (&self.unit, &told.unit) else {
            return Some((told.value, told.step));
        };
        if here == there {
            return Some((told.value, told.step));
        }
        let dimension = |unit: &str| {
            unit.split_once('_')
                .map(|(dimension, _)| dimension.to_owned())
        };
        let scale = |unit: &str| LEXICON.scales.get(unit);
        let factor = scale(there)? / scale(here)?;
        (dimension(here) == dimension(there)).then_some((told.value * factor, told.step * factor))
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
    if !is_tail(tail) || named || is_power(text, literal) {
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
        whole: literal,
    };
    let scaled = scale(text, &mut number, rest);
    let rest = rest.get(scaled..).unwrap_or_default();
    (number.unit, number.whole) = unit(text, tail, number.span, rest);
    found.numbers.push(number);
    taken + scaled
}

/// "3×10⁴", "10^4": what is told as a power is not read as a number.
fn is_power(text: &str, span: Span) -> bool {
    let behind = text.get(span.end..).unwrap_or_default().trim_start();
    let before = text.get(..span.start).unwrap_or_default().trim_end();
    let raised = |c: char| matches!(c, '^' | '⁻' | '⁺') || (c.is_numeric() && !c.is_ascii());
    behind.starts_with(raised)
        || behind.starts_with(['×', '·'])
        || behind.starts_with("x 10")
        || before.ends_with(['×', '^', '⁻'])
        || before.ends_with(" x")
}

/// What may follow digits in one word and leave them a number: "1990s", "10mg". "18th" is a name.
fn is_tail(tail: &str) -> bool {
    let lower = tail.to_lowercase();
    lower.is_empty()
        || matches!(lower.as_str(), "s" | "k" | "bn" | "mn" | "x" | "fold")
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

/// The unit before or behind a number, and the number with the unit behind it.
fn unit(text: &str, tail: &str, span: Span, rest: &[Span]) -> (Option<String>, Span) {
    let known = |name: &str| LEXICON.units.get(name.to_lowercase().as_str()).copied();
    let behind = text
        .get(span.end..)
        .unwrap_or_default()
        .trim_start_matches([' ', '\u{00A0}', '\u{2009}']);
    let next = rest
        .first()
        .filter(|next| is_near(text, span.end, next.start))
        .and_then(|next| Some((known(next.of(text)?)?, *next)));
    let to = |end: usize| Span::new(span.start, end);
    let per_cent = behind.starts_with("per cent");
    let (kind, whole) = if let Some(kind) = known(tail) {
        (Some(kind), span)
    } else if behind.starts_with(['%', '％']) {
        (Some("percent"), span)
    } else if per_cent {
        let end = text.len() - behind.len() + "per cent".len();
        (Some("percent"), to(end))
    } else if behind.starts_with('°') {
        let scale = rest
            .first()
            .filter(|word| matches!(word.of(text), Some("C" | "F")));
        (Some("temperature"), scale.map_or(span, |word| to(word.end)))
    } else if let Some(kind) = currency_before(text, span.start) {
        (Some(kind), span)
    } else {
        next.map_or((None, span), |(kind, word)| (Some(kind), to(word.end)))
    };
    (kind.map(str::to_owned), whole)
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

/// Behind letters and a hyphen, as in "IL-6", "covid-19" and "mid-1990s".
fn hangs_on_letters(text: &str, span: Span) -> bool {
    let before = text.get(..span.start).unwrap_or_default();
    let head = before.strip_suffix(['-', '\u{2010}', '\u{2011}']);
    head.is_some_and(|head| head.ends_with(char::is_alphabetic))
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
    let (unit, whole) = unit(text, "", span, rest);
    found.numbers.push(StatedNumber {
        span,
        value: total + group,
        step,
        unit,
        whole,
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
        let read = figures("IL-6, B12, COVID-19, H1N1, 4-PBA, p53, covid-19 and kinesin-8");
        assert_eq!(read.numbers, []);
        let codes: Vec<&str> = read.codes.iter().map(|(_, code)| code.as_str()).collect();
        assert_eq!(
            codes,
            [
                "il6", "b12", "covid19", "h1n1", "4pba", "p53", "covid19", "kinesin8"
            ]
        );
    }

    #[test]
    fn ordinals_and_powers_are_not_judged_as_numbers() {
        for text in [
            "the 18th century",
            "3×10⁴ cells",
            "3 x 10 cells",
            "a 10^4 rise",
        ] {
            assert_eq!(figures(text).numbers, [], "{text}");
        }
    }

    #[test]
    fn numbers_differ_unless_rounding_or_cutting_off_explains_it() {
        let one = |text: &str| figures(text).numbers.remove(0);
        assert!(one("42%").differs_from(&one("32.4%")));
        assert!(one("33%").differs_from(&one("31.4%")));
        assert!(!one("33%").differs_from(&one("32.4%")));
        assert!(!one("32%").differs_from(&one("32.9%")));
        assert!(!one("5 mg").differs_from(&one("5 hours")));
        assert!(!one("5").differs_from(&one("7%")));
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
        assert!(one("5 g").is_told_by(&one("5,000 mg")));
        assert!(one("0.3 mg").is_told_by(&one("300 micrograms")));
        assert!(!one("5 g").is_told_by(&one("500 mg")));
    }
}
