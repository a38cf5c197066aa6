//! The amounts of a sentence: figures with their units, as values or ranges.
//!
//! "9 to 12 °C" is one amount, and "one in three" is a share in percent.

use crate::Span;
use crate::claim::number::{StatedNumber, figures};
use crate::span::outside_brackets;

/// Values are nearly the same when the larger is at most this many times the smaller.
const CLOSE: f64 = 1.15;

/// "One in 1,000" is a share still. Behind "one in", a larger number may be a year.
const PARTS_MOST: f64 = 1_000.0;

#[derive(Clone, Debug, PartialEq)]
struct Amount {
    span: Span,
    low: f64,
    high: f64,
    unit: String,
}

impl Amount {
    fn is_close(&self, other: &Self) -> bool {
        // The ends that face each other; they cross where two ranges overlap.
        let (above, below) = (self.low.max(other.low), self.high.min(other.high));
        let smaller = above.abs().min(below.abs());
        self.unit == other.unit && above - below <= (CLOSE - 1.0) * smaller
    }

    /// Whether it tells how long. Times are told of almost everything, and measure nothing beside another amount.
    fn is_time(&self) -> bool {
        self.unit.starts_with("time_")
    }
}

/// Whether the figures of two sentences are nearly the same: a tenth or so apart is no conflict, and neither are more
/// figures in one of them than in the other. Sentences without a figure in a unit have none that are close.
pub fn figures_are_close(left: &str, right: &str) -> bool {
    let told = |text: &str| {
        let plain = outside_brackets(text);
        let mut told = amounts(text);
        told.retain(|one| !one.is_time() && plain.iter().any(|part| part.holds(one.span)));
        told
    };
    let (left, right) = (told(left), told(right));
    let borne_out = |few: &[Amount], more: &[Amount]| {
        let close = |one: &Amount| more.iter().any(|other| one.is_close(other));
        !few.is_empty() && few.iter().all(close)
    };
    borne_out(&left, &right) || borne_out(&right, &left)
}

/// The amounts of a text in order. What is counted has no unit and is none.
fn amounts(text: &str) -> Vec<Amount> {
    let numbers = figures(text).numbers;
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(one) = numbers.get(at) {
        let pair = numbers.get(at + 1).and_then(|next| joined(text, one, next));
        at += if pair.is_some() { 2 } else { 1 };
        found.extend(pair.or_else(|| {
            Some(Amount {
                span: one.span,
                low: one.value,
                high: one.value,
                unit: one.unit.clone()?,
            })
        }));
    }
    found
}

/// Two numbers that are one amount: "9 to 12 °C", "between 20 and 25 percent", "one in three".
fn joined(text: &str, one: &StatedNumber, next: &StatedNumber) -> Option<Amount> {
    let between = text.get(one.span.end..next.span.start)?.trim();
    let before = text.get(..one.span.start)?.trim_end().to_lowercase();
    let plain = one.unit.is_none() && next.unit.is_none() && next.value <= PARTS_MOST;
    let (low, high, unit) = match between {
        "in" | "out of" if plain => {
            let percent = 100.0 * one.value / next.value;
            (percent, percent, "percent")
        }
        "and" if !before.ends_with("between") => return None,
        "to" | "–" | "-" | "and" if one.unit.is_none() || one.unit == next.unit => {
            (one.value, next.value, next.unit.as_deref()?)
        }
        _ => return None,
    };
    (one.value < next.value).then(|| Amount {
        span: Span::new(one.span.start, next.span.end),
        low,
        high,
        unit: unit.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_inside_a_range_is_close_to_it_and_one_far_outside_is_not() {
        assert!(figures_are_close("9 to 12 °C", "10.5 °C"));
        assert!(figures_are_close("between 20 and 30 metres", "30 metres"));
        assert!(figures_are_close("9–12 °C", "13 °C"));
        assert!(!figures_are_close("9 to 12 °C", "17 °C"));
        assert!(figures_are_close("about one in three", "34 percent"));
        assert!(figures_are_close("one in 1,000", "0.1 percent"));
    }

    #[test]
    fn the_order_of_two_sentences_makes_no_difference() {
        let cases = [
            ("12 %", "12 % of men and 30 % of women", true),
            ("12 % and 50 %", "12 % of men and 30 % of women", false),
            ("12 %", "30 %", false),
            ("12 %", "no figure", false),
        ];
        for (one, other, close) in cases {
            assert_eq!(figures_are_close(one, other), close, "{one} | {other}");
            assert_eq!(figures_are_close(other, one), close, "{other} | {one}");
        }
    }

    #[test]
    fn values_below_zero_are_close_as_those_above_are() {
        let degrees = |low: f64, high: f64| Amount {
            span: Span::new(0, 1),
            low,
            high,
            unit: "celsius".to_owned(),
        };
        let five = degrees(-5.0, -5.0);
        assert!(five.is_close(&five));
        assert!(five.is_close(&degrees(-5.5, -5.5)));
        assert!(five.is_close(&degrees(-9.0, -4.0)));
        assert!(!five.is_close(&degrees(-7.0, -7.0)));
        assert!(!five.is_close(&degrees(5.0, 5.0)));
    }

    #[test]
    fn another_unit_is_another_amount_and_times_and_counts_are_none() {
        assert!(!figures_are_close("12 metres", "12 litres"));
        assert!(!figures_are_close("12 percent", "12 euros"));
        assert!(!figures_are_close("412 patients", "412 patients"));
        assert!(!figures_are_close("in 2019 at 15:00", "in 2019 at 15:00"));
        assert!(!figures_are_close("in 3 hours", "in 3 hours"));
    }

    #[test]
    fn figures_in_brackets_do_not_count() {
        let interval = "1.9 °C cooler (95 % interval 1.4 to 2.4 °C)";
        assert!(figures_are_close(interval, "1.8 °C cooler"));
    }
}
