//! The times of day, the seasons and the years that a text names.
//!
//! A clock time counts as the time of day that it falls in, so that "at 15:00" and "in the afternoon" are one.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::terms;

const YEARS: RangeInclusive<u32> = 1800..=2199;

/// Times of day by the hours they hold. An hour may fall in two.
const HOURS: [(&str, &[RangeInclusive<u32>]); 5] = [
    ("morning", &[5..=11]),
    ("noon", &[11..=14]),
    ("afternoon", &[12..=18]),
    ("evening", &[18..=22]),
    ("night", &[21..=24, 0..=5]),
];

/// Words for times of day, and those by which they are known.
const DAYS: [(&str, &str); 15] = [
    ("morning", "morning"),
    ("mornings", "morning"),
    ("dawn", "morning"),
    ("noon", "noon"),
    ("midday", "noon"),
    ("noontime", "noon"),
    ("afternoon", "afternoon"),
    ("afternoons", "afternoon"),
    ("evening", "evening"),
    ("evenings", "evening"),
    ("dusk", "evening"),
    ("night", "night"),
    ("nights", "night"),
    ("nightly", "night"),
    ("midnight", "night"),
];

/// The same for seasons. "Fall" is mostly a verb and is left out.
const SEASONS: [(&str, &str); 9] = [
    ("spring", "spring"),
    ("springs", "spring"),
    ("summer", "summer"),
    ("summers", "summer"),
    ("autumn", "autumn"),
    ("autumns", "autumn"),
    ("winter", "winter"),
    ("winters", "winter"),
    ("wintertime", "winter"),
];

/// When something was so, as far as a text says it. What is not named is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTimes {
    days: BTreeSet<&'static str>,
    seasons: BTreeSet<&'static str>,
    years: BTreeSet<u32>,
}

impl NamedTimes {
    /// The times that a text names.
    pub fn read(text: &str) -> Self {
        let mut times = Self::default();
        for span in terms::words(text) {
            let word = span.of(text).unwrap_or_default().to_lowercase();
            times.days.extend(known(&DAYS, &word));
            times.seasons.extend(known(&SEASONS, &word));
            times
                .years
                .extend(word.parse::<u32>().ok().filter(|_| is_year(&word)));
            let minutes = text.get(span.end..).and_then(|rest| rest.strip_prefix(':'));
            let two = |rest: &str| matches!(rest.as_bytes(), [b'0'..=b'5', b'0'..=b'9', ..]);
            let clock = minutes.is_some_and(two);
            if let Some(hour) = word.parse().ok().filter(|_| clock) {
                let holds = |hours: &[RangeInclusive<u32>]| hours.iter().any(|h| h.contains(&hour));
                let days = HOURS.iter().filter(|(_, hours)| holds(hours));
                times.days.extend(days.map(|(name, _)| *name));
            }
        }
        times
    }

    /// Whether the text names no time at all.
    pub fn is_open(&self) -> bool {
        self.days.is_empty() && self.seasons.is_empty() && self.years.is_empty()
    }

    /// Whether it names a time of day.
    pub fn has_time_of_day(&self) -> bool {
        !self.days.is_empty()
    }

    /// Whether the two name other times of day, other seasons or other years. What only one names is no difference.
    pub fn differ_from(&self, other: &Self) -> bool {
        fn apart<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> bool {
            !one.is_empty() && !other.is_empty() && one.is_disjoint(other)
        }
        apart(&self.days, &other.days)
            || apart(&self.seasons, &other.seasons)
            || apart(&self.years, &other.years)
    }

    /// Whether a word in small letters names a time.
    pub(super) fn names(word: &str) -> bool {
        known(&DAYS, word).or(known(&SEASONS, word)).is_some() || is_year(word)
    }
}

/// Whether a word is the number of a year.
pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year| YEARS.contains(&year))
}

fn known(names: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let found = names.iter().find(|(name, _)| *name == word);
    found.map(|(_, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_both_name_can_differ() {
        let differ =
            |left: &str, right: &str| NamedTimes::read(left).differ_from(&NamedTimes::read(right));
        assert!(differ("at noon", "at night"));
        assert!(differ("at 15:00", "in the evening"));
        assert!(!differ("at 15:00", "in the afternoon"));
        assert!(differ("in the summer of 2019", "in the summer of 2020"));
        assert!(differ("in spring", "last autumn"));
        assert!(!differ("in 2019", "in winter"));
        assert!(NamedTimes::read("odds of 5:1").is_open());
        assert!(NamedTimes::read("the price was 3.30 euros").is_open());
    }
}
