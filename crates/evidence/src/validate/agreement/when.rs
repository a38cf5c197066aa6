//! When something was so: the times of day, the seasons and the years that a sentence names.
//!
//! Takes the words of a sentence; gives what it says of each of the three. A clock time counts as the time of day that
//! it falls in, so that "at 15:00" and "in the afternoon" are one.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::clock;
use crate::Span;
use crate::claim::lexicon::LEXICON;
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

/// Other words for times of day and seasons, and those themselves.
const NAMES: [(&str, &str); 24] = [
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

/// Words before "the fall" behind which it is a season.
const LEADS: [&str; 7] = ["in", "during", "by", "since", "until", "before", "after"];

/// The times of day, the seasons and the years of one text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When {
    days: BTreeSet<&'static str>,
    seasons: BTreeSet<&'static str>,
    years: BTreeSet<u32>,
}

impl When {
    /// What a text names.
    pub fn named_in(text: &str) -> Self {
        Self::of(text, terms::words(text))
    }

    /// Whether it names none.
    pub fn is_open(&self) -> bool {
        self.days.is_empty() && self.seasons.is_empty() && self.years.is_empty()
    }

    /// What some words of a text name.
    pub(super) fn of(text: &str, words: impl Iterator<Item = Span>) -> Self {
        let mut made = Self::default();
        for span in words {
            let written = span.of(text).unwrap_or_default();
            match clock::hour(text, span) {
                Some(hour) => made.take_hour(hour),
                None if is_autumn(text, span) => made.take("autumn"),
                None => made.take(&written.to_lowercase()),
            }
        }
        made
    }

    fn take(&mut self, word: &str) {
        if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == word) {
            let of_day = HOURS.iter().any(|(known, _)| known == name);
            match of_day {
                true => self.days.insert(name),
                false => self.seasons.insert(name),
            };
        }
        let year = word.parse().ok().filter(|_| word.len() == 4);
        self.years.extend(year.filter(|year| YEARS.contains(year)));
    }

    fn take_hour(&mut self, hour: u32) {
        let fits = |hours: &&[RangeInclusive<u32>]| hours.iter().any(|h| h.contains(&hour));
        let days = HOURS.iter().filter(|(_, hours)| fits(hours));
        self.days.extend(days.map(|(name, _)| *name));
    }

    /// What this leaves open as `other` says it.
    #[must_use]
    pub(super) fn or(&self, other: &Self) -> Self {
        fn told<T: Ord + Clone>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> BTreeSet<T> {
            let set = if one.is_empty() { other } else { one };
            set.clone()
        }
        Self {
            days: told(&self.days, &other.days),
            seasons: told(&self.seasons, &other.seasons),
            years: told(&self.years, &other.years),
        }
    }

    /// Whether the two name other times of day, other seasons or other years. What only one names is no difference.
    pub fn is_other(&self, other: &Self) -> bool {
        fn apart<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> bool {
            !one.is_empty() && !other.is_empty() && one.is_disjoint(other)
        }
        apart(&self.days, &other.days)
            || apart(&self.seasons, &other.seasons)
            || apart(&self.years, &other.years)
    }

    /// The times of day that it names.
    pub(super) fn days(&self) -> &BTreeSet<&'static str> {
        &self.days
    }
}

/// Whether a word is "fall" as a season: "in the fall", "last fall", "in fall 2019". "The fall in prices" and "in fall
/// risk" are none.
pub(super) fn is_autumn(text: &str, word: Span) -> bool {
    let lower = |text: &str, span: Span| span.of(text).unwrap_or_default().to_lowercase();
    if lower(text, word) != "fall" {
        return false;
    }
    let before = text.get(..word.start).unwrap_or_default();
    let said: Vec<Span> = terms::words(before).collect();
    let mut said = said.iter().rev().map(|span| lower(before, *span));
    let (last, earlier) = (said.next().unwrap_or_default(), said.next());
    let behind = text.get(word.end..).unwrap_or_default();
    let mut next = terms::words(behind).map(|span| (span.start, lower(behind, span)));
    let (next, then) = (next.next(), next.next());
    let figure = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let ends = match next {
        Some((1, next)) if next == "of" => then.is_some_and(|(_, then)| figure(&then)),
        Some((1, next)) if matches!(next.as_str(), "in" | "from" | "to") => {
            !matches!(last.as_str(), "the" | "this")
        }
        Some((1, next)) => figure(&next) || LEXICON.stop.contains(next.as_str()),
        _ => true,
    };
    let led = match last.as_str() {
        "in" | "this" | "last" | "next" | "each" | "every" => true,
        "the" => earlier.is_some_and(|word| LEADS.contains(&word.as_str())),
        _ => false,
    };
    ends && led
}

/// Whether a word in small letters names a time of day.
pub(super) fn is_day(word: &str) -> bool {
    let name = NAMES.iter().find(|(known, _)| *known == word);
    name.is_some_and(|(_, name)| HOURS.iter().any(|(known, _)| known == name))
}

/// Whether a word in small letters names a time of day, a year or a unit of time.
pub(super) fn is_time(word: &str) -> bool {
    let year = word.parse().is_ok_and(|number| YEARS.contains(&number));
    let unit = LEXICON.units.get(word);
    is_day(word) || year || unit.is_some_and(|unit| unit.starts_with("time_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fall_is_a_season_only_where_it_tells_when() {
        let autumn = |text: &str| When::named_in(text).seasons.contains("autumn");
        for text in [
            "sold in the fall",
            "In fall, it rose",
            "last fall in Rome",
            "in the fall of 2019",
            "this fall",
        ] {
            assert!(autumn(text), "{text}");
        }
        for text in [
            "the fall in prices",
            "in the fall of prices",
            "a drop in fall risk",
            "prices fall in spring",
            "the fall was 5 percent",
        ] {
            assert!(!autumn(text), "{text}");
        }
    }
}
