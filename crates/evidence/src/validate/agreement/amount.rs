//! The amounts of a sentence: figures with their units, as values, ranges or bounds.
//!
//! Takes a sentence; gives each amount with the words that belong to it. "9 to 12 °C" is one amount, "one in
//! three" and "a third" are shares in percent, and "fewer than ten" is a bound. What is measured is left to others.

use super::ordinal::tells_half;
use crate::Span;
use crate::claim::number::{StatedNumber, figures};
use crate::terms;

/// Values lie near each other when the larger is at most this many times the smaller.
const NEAR: f64 = 1.2;

/// Values are nearly the same when the larger is at most this many times the smaller.
const CLOSE: f64 = 1.15;

/// A range that is wider than this says too little to agree by overlapping.
const RANGE_MOST: f64 = 2.0;

/// "One in 1,000" is a share still. Behind "one in", a larger number may be a year: "one in 2019".
const PARTS_MOST: f64 = 1_000.0;

const PERCENT: &str = "percent";

/// Words before a figure that make it a bound, and which.
const BOUNDS: [(&[&str], Bound); 16] = [
    (&["less", "than"], Bound::Most),
    (&["fewer", "than"], Bound::Most),
    (&["lower", "than"], Bound::Most),
    (&["smaller", "than"], Bound::Most),
    (&["not", "more", "than"], Bound::Most),
    (&["no", "more", "than"], Bound::Most),
    (&["at", "most"], Bound::Most),
    (&["up", "to"], Bound::Most),
    (&["under"], Bound::Most),
    (&["more", "than"], Bound::Least),
    (&["not", "less", "than"], Bound::Least),
    (&["no", "less", "than"], Bound::Least),
    (&["no", "fewer", "than"], Bound::Least),
    (&["at", "least"], Bound::Least),
    (&["greater", "than"], Bound::Least),
    (&["over"], Bound::Least),
];

/// Words for parts of a whole, and how many of them make it.
const PARTS: [(&str, f64); 7] = [
    ("half", 2.0),
    ("third", 3.0),
    ("thirds", 3.0),
    ("quarter", 4.0),
    ("quarters", 4.0),
    ("fifth", 5.0),
    ("fifths", 5.0),
];

/// Units of time in days.
const TIMES: [(&str, f64); 5] = [
    ("time_year", 365.0),
    ("time_month", 30.4),
    ("time_week", 7.0),
    ("time_day", 1.0),
    ("time_hour", 1.0 / 24.0),
];

/// On which side of its figure an amount lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Most,
    Least,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Amount {
    /// All its words: "fewer than one in ten".
    pub(super) span: Span,
    low: f64,
    high: f64,
    pub(super) unit: String,
    bound: Option<Bound>,
}

impl Amount {
    /// Times are told of almost everything.
    pub(super) fn is_time(&self) -> bool {
        self.unit.starts_with("time_")
    }

    /// Whether two amounts may be told of the same: of one unit, on one side of their figures, and near.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        if self.unit != other.unit {
            return false;
        }
        match (self.bound, other.bound) {
            (None, None) if self.is_told() && other.is_told() => self.within(other, NEAR),
            (None, None) => {
                let near = |a: f64, b: f64| a.max(b) <= NEAR * a.min(b);
                near(self.low, other.low) && near(self.high, other.high)
            }
            (Some(one), Some(two)) => one == two && self.within(other, NEAR),
            (Some(_), None) => self.admits(other),
            (None, Some(_)) => other.admits(self),
        }
    }

    /// Whether two amounts are a tenth or so apart at most.
    pub(super) fn is_close(&self, other: &Self) -> bool {
        self.unit == other.unit && self.within(other, CLOSE)
    }

    /// Whether two spans of time are nearly as long.
    pub(super) fn lasts_like(&self, other: &Self) -> bool {
        let days = |one: &Self| {
            let unit = TIMES.iter().find(|(unit, _)| *unit == one.unit);
            unit.map(|(_, days)| (one.low * days, one.high * days))
        };
        match (days(self), days(other)) {
            (Some(here), Some(there)) => here.0.max(there.0) <= NEAR * here.1.min(there.1),
            _ => self.unit == other.unit,
        }
    }

    fn within(&self, other: &Self, times: f64) -> bool {
        self.low.max(other.low) <= times * self.high.min(other.high)
    }

    /// Whether it is narrow enough to say how much.
    fn is_told(&self) -> bool {
        self.high <= RANGE_MOST * self.low
    }

    /// Whether a value lies on the right side of this bound, and not far from it.
    fn admits(&self, value: &Self) -> bool {
        let side = match self.bound {
            Some(Bound::Most) => value.high <= self.high,
            Some(Bound::Least) => value.low >= self.low,
            None => true,
        };
        side && self.within(value, NEAR)
    }
}

/// The amounts of a text in order.
pub(super) fn amounts(text: &str) -> Vec<Amount> {
    let numbers = figures(text).numbers;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(one) = numbers.get(at) {
        let pair = numbers.get(at + 1).and_then(|next| joined(text, one, next));
        at += if pair.is_some() { 2 } else { 1 };
        let single = || {
            let unit = one.unit.clone()?;
            Some(amount(text, one.span, one.value, one.value, unit))
        };
        found.extend(pair.or_else(single));
    }
    for part in parts(text) {
        let known = |one: &Amount| one.span.overlaps(part.span);
        if !found.iter().any(known) {
            found.push(part);
        }
    }
    for one in &mut found {
        bind(text, one);
    }
    found.sort_by_key(|one| one.span.start);
    found
}

fn amount(text: &str, span: Span, low: f64, high: f64, unit: String) -> Amount {
    // The letter behind a sign of degrees is no word of its own.
    let rest = text.get(span.end..).unwrap_or_default();
    let sign = rest.trim_start().strip_prefix('°').map(str::trim_start);
    let letter = sign.filter(|behind| behind.starts_with(['C', 'F', 'K']));
    let end = letter.map_or(span.end, |behind| text.len() - behind.len() + 1);
    let span = Span::new(span.start, end);
    Amount {
        span,
        low,
        high,
        unit,
        bound: None,
    }
}

/// Two numbers that are one amount: a range, or so many in so many.
fn joined(text: &str, one: &StatedNumber, next: &StatedNumber) -> Option<Amount> {
    let between = text.get(one.span.end..next.span.start).unwrap_or_default();
    let span = Span::new(one.span.start, next.span.end);
    match between.trim() {
        "in" | "out of" | "in every" | "of every" => {
            let plain = one.unit.is_none() && next.unit.is_none();
            let share = one.value < next.value && next.value <= PARTS_MOST;
            let percent = 100.0 * one.value / next.value;
            (plain && share).then(|| amount(text, span, percent, percent, PERCENT.to_owned()))
        }
        "to" | "–" | "-" | "and" => {
            let before = text.get(..one.span.start).unwrap_or_default();
            let before = before.trim_end().to_lowercase();
            let listed = between.trim() == "and" && !before.ends_with("between");
            let unit = next.unit.clone()?;
            let same = one.unit.is_none() || one.unit == next.unit;
            (same && !listed && one.value < next.value)
                .then(|| amount(text, span, one.value, next.value, unit))
        }
        _ => None,
    }
}

/// Parts of a whole in words: "half", "a third", "two thirds". "The third" counts in order, and is none.
fn parts(text: &str) -> Vec<Amount> {
    let words: Vec<(Span, String)> = words(text);
    let mut found = Vec::new();
    for (at, (span, word)) in words.iter().enumerate() {
        let Some((_, of)) = PARTS.iter().find(|(name, _)| name == word) else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let count = match before.map(|(_, word)| word.as_str()) {
            Some("a" | "one") => Some(1.0),
            Some("two") => Some(2.0),
            Some("three") => Some(3.0),
            Some("four") => Some(4.0),
            // "The first half" tells when, not how much.
            Some(before) if word == "half" && tells_half(before) => None,
            _ if word == "half" => Some(1.0),
            _ => None,
        };
        // "One and a half" is more than the half.
        let more = |step: usize| at.checked_sub(step).and_then(|at| words.get(at));
        let added = [more(1), more(2)].into_iter().flatten();
        let added = added.into_iter().any(|(_, word)| word == "and") && word == "half";
        if let Some(count) = count.filter(|count| count < of && !added) {
            let percent = 100.0 * count / of;
            let start = before
                .filter(|_| word != "half")
                .map_or(span.start, |(b, _)| b.start);
            let span = Span::new(start, span.end);
            found.push(amount(text, span, percent, percent, PERCENT.to_owned()));
        }
    }
    found
}

/// Takes the words before an amount in that make it a bound.
fn bind(text: &str, amount: &mut Amount) {
    let before = text.get(..amount.span.start).unwrap_or_default();
    let mut words = words(before);
    while words
        .last()
        .is_some_and(|(_, word)| matches!(word.as_str(), "a" | "the" | "about"))
    {
        words.pop();
    }
    let fits = |said: &&[&str]| {
        let from = words.len().checked_sub(said.len());
        let tail = from.and_then(|from| words.get(from..)).unwrap_or_default();
        tail.len() == said.len() && tail.iter().zip(*said).all(|((_, a), b)| a == b)
    };
    let mut known: Vec<&(&[&str], Bound)> = BOUNDS.iter().filter(|(said, _)| fits(said)).collect();
    known.sort_by_key(|(said, _)| std::cmp::Reverse(said.len()));
    if let Some((said, bound)) = known.first() {
        amount.bound = Some(*bound);
        let first = words.len().checked_sub(said.len());
        let first = first.and_then(|at| words.get(at));
        amount.span.start = first.map_or(amount.span.start, |(span, _)| span.start);
    }
}

fn words(text: &str) -> Vec<(Span, String)> {
    let written = |span: Span| Some((span, span.of(text)?.to_lowercase()));
    terms::words(text).filter_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: &str, right: &str) -> bool {
        let (left, right) = (amounts(left), amounts(right));
        match (left.as_slice(), right.as_slice()) {
            ([left], [right]) => {
                assert_eq!(left.is_near(right), right.is_near(left));
                left.is_near(right)
            }
            _ => panic!("one amount each: {left:?} {right:?}"),
        }
    }

    #[test]
    fn a_value_inside_a_range_is_near_it_and_one_far_outside_is_not() {
        assert!(near("9 to 12 °C", "10.5 °C"));
        assert!(near("between 20 and 30 metres", "30 metres"));
        assert!(near("9–12 °C", "13 °C"));
        assert!(!near("9 to 12 °C", "17 °C"));
        assert!(!near("1 to 90 percent", "45 percent"));
    }

    #[test]
    fn shares_in_words_are_told_in_percent() {
        assert!(near("about one in three", "34 percent"));
        assert!(near("two thirds", "66 percent"));
        assert!(near("half of them", "nine out of twenty"));
        assert!(!near("one in three", "50 percent"));
        assert!(amounts("the third autumn").is_empty());
        assert!(amounts("the poorest fifth of them").is_empty());
        assert!(near("one in 1,000", "0.1 percent"));
        assert!(amounts("one in 2019").is_empty());
        assert!(amounts("the first half of it").is_empty());
        assert!(amounts("the 2nd half and the last half").is_empty());
    }

    #[test]
    fn a_bound_is_near_only_what_lies_on_its_side() {
        assert!(near("fewer than one in ten", "9 percent"));
        assert!(!near("fewer than one in ten", "11 percent"));
        assert!(!near("fewer than one in ten", "3 percent"));
        assert!(near("at least 12 metres", "no less than 12 metres"));
        assert!(!near("at least 12 metres", "at most 12 metres"));
        assert!(!near("less than 5 percent", "more than 5 percent"));
    }

    #[test]
    fn another_unit_is_another_amount() {
        assert!(!near("12 metres", "12 litres"));
        assert!(!near("12 percent", "12 euros"));
    }
}
