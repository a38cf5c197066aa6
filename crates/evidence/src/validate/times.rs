//! The times of day, the seasons and the years that a text names.
//!
//! A clock time counts as the time of day that it falls in, so that "at 15:00" and "in the afternoon" are one.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::{Span, terms};

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

/// The same for seasons. "Fall" is mostly a verb and is told apart by its neighbours.
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
        Self::read_words(text, terms::words(text))
    }

    /// The times that some words of a text name.
    pub(super) fn read_words(text: &str, words: impl Iterator<Item = Span>) -> Self {
        let mut times = Self::default();
        for span in words {
            let word = span.of(text).unwrap_or_default().to_lowercase();
            times.days.extend(known(&DAYS, &word));
            times.seasons.extend(known(&SEASONS, &word));
            times
                .seasons
                .extend(is_autumn(text, span).then_some("autumn"));
            times
                .years
                .extend(word.parse::<u32>().ok().filter(|_| is_year(&word)));
            if let Some(hour) = clock_hour(text, span) {
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

    /// Whether the two name other times of day, other seasons or other years. What only one names is no difference.
    pub fn differ_from(&self, other: &Self) -> bool {
        fn apart<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> bool {
            !one.is_empty() && !other.is_empty() && one.is_disjoint(other)
        }
        apart(&self.days, &other.days)
            || apart(&self.seasons, &other.seasons)
            || apart(&self.years, &other.years)
    }

    /// Whether both name one time of day.
    pub(super) fn share_time_of_day(&self, other: &Self) -> bool {
        !self.days.is_disjoint(&other.days)
    }

    /// What this leaves open as `other` says it.
    #[must_use]
    pub(super) fn or(&self, other: &Self) -> Self {
        fn told<T: Ord + Clone>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> BTreeSet<T> {
            let named = if one.is_empty() { other } else { one };
            named.clone()
        }
        Self {
            days: told(&self.days, &other.days),
            seasons: told(&self.seasons, &other.seasons),
            years: told(&self.years, &other.years),
        }
    }

    /// Whether a word of a text names a time, or belongs to one.
    pub(super) fn names(text: &str, span: Span) -> bool {
        let word = span.of(text).unwrap_or_default().to_lowercase();
        let named = known(&DAYS, &word).or(known(&SEASONS, &word)).is_some();
        let half = matches!(word.as_str(), "am" | "pm" | "p");
        let minutes = text
            .get(..span.start)
            .is_some_and(|before| before.ends_with(':'))
            && word.starts_with(|c: char| c.is_ascii_digit());
        named
            || half
            || minutes
            || is_year(&word)
            || is_autumn(text, span)
            || clock_hour(text, span).is_some()
    }
}

/// The hour of the day, 0 to 24, that a word begins to tell: "15:00", "3:30 pm", "3 p.m.", "3pm".
fn clock_hour(text: &str, word: Span) -> Option<u32> {
    let (hour, minutes, half, rest) = clock(text.get(word.start..)?)?;
    let before = text.get(..word.start)?;
    if before.ends_with(':') || hour > 24 {
        return None;
    }
    // "From 1:00 to 3:00 pm" and "11 to 3 pm": the half of the day that is told last counts for both.
    let until = ["to ", "and ", "until ", "–", "-"];
    let until = until.iter().find_map(|join| rest.strip_prefix(join));
    let until = until.and_then(clock);
    let half = half.or_else(|| {
        let (end, _, half, _) = until?;
        half.map(|late| late == (hour % 12 <= end % 12))
    });
    match half {
        Some(late) => (1..=12)
            .contains(&hour)
            .then(|| hour % 12 + if late { 12 } else { 0 }),
        None => minutes.then_some(hour),
    }
}

/// A clock time at the beginning of a text: its hour, whether minutes are told, whether it is after noon as far as that
/// is said, and what stands behind it.
fn clock(text: &str) -> Option<(u32, bool, Option<bool>, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (hour, rest) = text.split_at_checked(digits.min(3))?;
    let two = |rest: &str| matches!(rest.as_bytes(), [b'0'..=b'5', b'0'..=b'9', ..]);
    let minutes = rest.strip_prefix(':').filter(|rest| two(rest));
    let behind = minutes.and_then(|rest| rest.get(2..)).unwrap_or(rest);
    let behind = behind.trim_start();
    let halves = ["am", "a.m", "pm", "p.m", "AM", "A.M", "PM", "P.M"];
    let half = halves.iter().find(|half| {
        let rest = behind.strip_prefix(**half);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let late = half.map(|half| half.starts_with(['p', 'P']));
    Some((hour.parse().ok()?, minutes.is_some(), late, behind))
}

/// Whether a word is "fall" as a season: "in the fall", "last fall". "The fall in prices" is none.
pub(super) fn is_autumn(text: &str, word: Span) -> bool {
    let lower = |part: Option<&str>| part.unwrap_or_default().trim().to_lowercase();
    let (before, behind) = (lower(text.get(..word.start)), lower(text.get(word.end..)));
    let leads = [
        "in the",
        "during the",
        "by the",
        "since the",
        "until the",
        "last",
        "this",
        "every",
        "each",
    ];
    word.of(text)
        .is_some_and(|word| word.eq_ignore_ascii_case("fall"))
        && leads.iter().any(|lead| before.ends_with(lead))
        && !["in ", "of "].iter().any(|tail| behind.starts_with(tail))
}

/// Whether a word is the number of a year.
fn is_year(word: &str) -> bool {
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
        assert!(differ("in the fall", "in spring"));
        assert!(!differ("the fall in prices", "in spring"));
        assert!(NamedTimes::read("odds of 5:1").is_open());
        assert!(NamedTimes::read("the price was 3.30 euros").is_open());
    }

    #[test]
    fn hours_are_told_with_and_without_a_half_of_the_day() {
        let hours = |text: &str| -> Vec<u32> {
            let words = terms::words(text);
            words.filter_map(|word| clock_hour(text, word)).collect()
        };
        assert_eq!(hours("at 15:00"), [15]);
        assert_eq!(hours("at 3:05 pm"), [15]);
        assert_eq!(hours("at 3pm or 3 A.M."), [15, 3]);
        assert_eq!(hours("at 12 am"), [0]);
        assert_eq!(hours("from 1:00 to 3:00 p.m."), [13, 15]);
        assert_eq!(hours("between 10 and 2 am"), [22, 2]);
        for text in ["5 amps", "13 pm", "25:00", "2 to 4 °C", "in 2019"] {
            assert_eq!(hours(text), [0; 0], "{text}");
        }
    }
}
