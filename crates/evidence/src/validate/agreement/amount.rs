//! The amounts of a sentence: figures with their units, as values or ranges.
//!
//! "9 to 12 °C" is one amount, and "one in three" is a share in percent. Years and clock times are none.

use crate::Span;
use crate::claim::number::{StatedNumber, figures};
use crate::validate::times::NamedTimes;

/// Values lie near each other when the larger is at most this many times the smaller.
const NEAR: f64 = 1.2;

/// Values are nearly the same when the larger is at most this many times the smaller.
const CLOSE: f64 = 1.15;

/// "One in 1,000" is a share still. Behind "one in", a larger number may be a year.
const PARTS_MOST: f64 = 1_000.0;

/// A range that is wider than this says too little to agree by overlapping.
const RANGE_MOST: f64 = 2.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Amount {
    pub(super) span: Span,
    low: f64,
    high: f64,
    /// Absent where things are counted.
    pub(super) unit: Option<String>,
}

impl Amount {
    /// Whether two amounts may be told of the same: of one unit and near. What is counted must be the same.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let telling = |one: &Self| one.unit.is_some() && one.high <= RANGE_MOST * one.low;
        let near = telling(self) && telling(other) && self.within(other, NEAR);
        let same = (self.low, self.high) == (other.low, other.high);
        self.unit == other.unit && (near || same)
    }

    /// Whether two amounts are a tenth or so apart at most.
    pub(super) fn is_close(&self, other: &Self) -> bool {
        self.unit == other.unit && self.within(other, CLOSE)
    }

    /// Whether it tells how long. Times are told of almost everything, and measure nothing beside another amount.
    pub(super) fn is_time(&self) -> bool {
        (self.unit.as_ref()).is_some_and(|unit| unit.starts_with("time_"))
    }

    fn within(&self, other: &Self, times: f64) -> bool {
        self.low.max(other.low) <= times * self.high.min(other.high)
    }
}

/// The amounts of a text in order.
pub(super) fn amounts(text: &str) -> Vec<Amount> {
    let mut numbers = figures(text).numbers;
    numbers.retain(|one| one.unit.is_some() || !NamedTimes::names(text, one.span));
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(one) = numbers.get(at) {
        let pair = numbers.get(at + 1).and_then(|next| joined(text, one, next));
        at += if pair.is_some() { 2 } else { 1 };
        found.push(pair.unwrap_or_else(|| Amount {
            span: one.span,
            low: one.value,
            high: one.value,
            unit: one.unit.clone(),
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
        unit: Some(unit.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: &str, right: &str) -> bool {
        match (amounts(left).as_slice(), amounts(right).as_slice()) {
            ([left], [right]) => {
                assert_eq!(left.is_near(right), right.is_near(left));
                left.is_near(right)
            }
            other => panic!("one amount each: {other:?}"),
        }
    }

    #[test]
    fn a_value_inside_a_range_is_near_it_and_one_far_outside_is_not() {
        assert!(near("9 to 12 °C", "10.5 °C"));
        assert!(near("between 20 and 30 metres", "30 metres"));
        assert!(near("9–12 °C", "13 °C"));
        assert!(!near("9 to 12 °C", "17 °C"));
        assert!(!near("1 to 90 percent", "45 percent"));
        assert!(near("about one in three", "34 percent"));
        assert!(near("one in 1,000", "0.1 percent"));
    }

    #[test]
    fn another_unit_is_another_amount_and_counts_must_be_the_same() {
        assert!(!near("12 metres", "12 litres"));
        assert!(!near("12 percent", "12 euros"));
        assert!(!near("412 patients", "421 patients"));
        assert!(near("412 patients", "412 people"));
        assert!(amounts("in 2019 at 15:00").is_empty());
    }
}
