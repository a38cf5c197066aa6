//! When something was published, no more precisely than it was told: a year, a month or a day.
//!
//! Reads what search providers write: `2024`, `2024-03`, RFC 3339 and 2822, `Mar 5, 2024`, `20240305T120000Z`,
//! `1998 Dec-1999 Jan`, `3 days ago`. `03/04/2024` means two days, depending on the country, and stays a year.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};

/// The first characters say the date; the rest may be a time.
const LOOK_AT_CHARS: usize = 60;

/// Words and what stands between them, in a date with its time.
const WORDS_USUAL: usize = 16;

const YEARS: std::ops::RangeInclusive<i16> = 1_000..=2_199;

/// The words that a date relative to today ends with.
const AGO: [&str; 4] = ["ago", "now", "today", "yesterday"];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A date of which the day, or month and day, may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicationDate {
    year: i16,
    month: Option<i8>,
    day: Option<i8>,
}

impl PublicationDate {
    /// A month or day that cannot be is left out; a year that cannot be leaves nothing.
    pub fn new(year: i16, month: Option<i8>, day: Option<i8>) -> Option<Self> {
        let month = month.filter(|month| (1..=12).contains(month));
        let day = month
            .zip(day)
            .filter(|&(month, day)| Date::new(year, month, day).is_ok())
            .map(|(_, day)| day);
        YEARS.contains(&year).then_some(Self { year, month, day })
    }

    /// The date in a provider's words; `today` gives "3 days ago" its meaning.
    pub fn parse(text: &str, today: Date) -> Option<Self> {
        let end = text.char_indices().nth(LOOK_AT_CHARS).map(|(at, _)| at);
        let words = words(end.and_then(|end| text.get(..end)).unwrap_or(text));
        ago(&words, today)
            .or_else(|| year_first(&words))
            .or_else(|| named_month(&words))
            .or_else(|| year_last(&words))
            .or_else(|| packed(&words))
            .or_else(|| lone_year(&words))
    }

    /// The only part that is always known.
    pub fn year(self) -> i16 {
        self.year
    }

    /// The latest day that it may mean.
    pub fn last_day(self) -> Date {
        let month = self.month.unwrap_or(12);
        let first = Date::new(self.year, month, 1).unwrap_or(Date::MAX);
        match self.day {
            Some(day) => Date::new(self.year, month, day).unwrap_or(first),
            None => first.last_of_month(),
        }
    }
}

impl From<Date> for PublicationDate {
    fn from(date: Date) -> Self {
        Self {
            year: date.year(),
            month: Some(date.month()),
            day: Some(date.day()),
        }
    }
}

impl fmt::Display for PublicationDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

impl From<PublicationDate> for String {
    fn from(published: PublicationDate) -> Self {
        published.to_string()
    }
}

/// A text that is no date of the form 2024, 2024-03 or 2024-03-05.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no date; write it as 2024, 2024-03 or 2024-03-05")]
pub struct DateError;

/// Reads the form in which it is stored, and registers' dates, which are of that form with or without a time.
impl FromStr for PublicationDate {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = words(text);
        year_first(&words)
            .or_else(|| lone_year(&words))
            .ok_or(DateError)
    }
}

impl TryFrom<String> for PublicationDate {
    type Error = DateError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Runs of digits and runs of letters, as they follow each other.
fn words(text: &str) -> Vec<&str> {
    let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let mut words = Vec::with_capacity(WORDS_USUAL);
    let mut start = 0;
    let mut before = (false, false);
    for (at, c) in text.char_indices() {
        if kind(c) != before {
            words.extend(text.get(start..at));
            start = at;
            before = kind(c);
        }
    }
    words.extend(text.get(start..));
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

fn number(word: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i16> {
    digits.contains(&word.len()).then(|| word.parse().ok())?
}

fn small(word: &str) -> Option<i8> {
    number(word, 1..=2).and_then(|number| i8::try_from(number).ok())
}

fn month(word: &str) -> Option<i8> {
    let named = |month: &&str| {
        let start = month.get(..word.len());
        word.len() >= 3 && start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    i8::try_from(MONTHS.iter().position(named)? + 1).ok()
}

/// `3 days ago`, `an hour ago`, `yesterday`: as precise as its unit.
fn ago(words: &[&str], today: Date) -> Option<PublicationDate> {
    // Most dates are written out, and an answer has many.
    let last = words.last()?;
    if !AGO.iter().any(|word| last.eq_ignore_ascii_case(word)) {
        return None;
    }
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let told: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (count, unit) = match told.as_slice() {
        ["today" | "now"] | ["just", "now"] => (0, "day"),
        ["yesterday"] => (1, "day"),
        ["a" | "an", unit, "ago"] => (1, *unit),
        [count, unit, "ago"] => (number(count, 1..=4)?, *unit),
        _ => return None,
    };
    let back = |span: Span| today.checked_sub(span).ok().map(PublicationDate::from);
    match unit.trim_end_matches('s') {
        "second" | "sec" | "minute" | "min" | "hour" | "hr" => back(0.days()),
        "day" => back(count.days()),
        "week" => back(count.weeks()).map(|date| PublicationDate { day: None, ..date }),
        "month" => back(count.months()).map(|date| PublicationDate { day: None, ..date }),
        "year" => back(count.years()).and_then(|date| PublicationDate::new(date.year, None, None)),
        _ => None,
    }
}

/// `2024-05-17`, `2024/5`, `2024 May 17`.
fn year_first(words: &[&str]) -> Option<PublicationDate> {
    let (first, rest) = words.split_first()?;
    let year = number(first, 4..=4)?;
    let second = *rest.first()?;
    let month = small(second)
        .filter(|month| (1..=12).contains(month))
        .or_else(|| month(second))?;
    let day = rest.get(1).and_then(|word| small(word));
    PublicationDate::new(year, Some(month), day)
}

/// `17 May 2024`, `May 17th, 2024`, `May 2024`, with or without a weekday before it.
fn named_month(words: &[&str]) -> Option<PublicationDate> {
    let (at, month) = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, month(word)?)))?;
    let after = words.get(at + 1..)?;
    let year_at = after
        .iter()
        .take(3)
        .position(|word| number(word, 4..=4).is_some())?;
    let year = number(after.get(year_at)?, 4..=4)?;
    let few = words.get(at.saturating_sub(3)..at).unwrap_or_default();
    let before = few.iter().rev().find_map(|word| small(word));
    let between = after.get(..year_at).unwrap_or_default();
    let between = between.iter().find_map(|word| small(word));
    PublicationDate::new(year, Some(month), before.or(between))
}

/// `17.5.2024`, `5/17/2024`; the year alone when day and month cannot be told apart.
fn year_last(words: &[&str]) -> Option<PublicationDate> {
    let [first, second, third, ..] = words else {
        return None;
    };
    let (a, b) = (small(first)?, small(second)?);
    let year = number(third, 4..=4)?;
    match (a > 12, b > 12) {
        (true, false) => PublicationDate::new(year, Some(b), Some(a)),
        (false, true) => PublicationDate::new(year, Some(a), Some(b)),
        (false, false) if a == b => PublicationDate::new(year, Some(a), Some(b)),
        _ => PublicationDate::new(year, None, None),
    }
}

/// `20240517`, alone or with a time after it.
fn packed(words: &[&str]) -> Option<PublicationDate> {
    let digits = words
        .first()
        .filter(|word| (8..=14).contains(&word.len()))?;
    let year = number(digits.get(0..4)?, 4..=4)?;
    let month = digits.get(4..6).and_then(small);
    let day = digits.get(6..8).and_then(small);
    PublicationDate::new(year, month, day).filter(|date| date.month.is_some())
}

/// `2024`, `2000 Spring`, `1978-1979`: the first of at most three words that is a year.
fn lone_year(words: &[&str]) -> Option<PublicationDate> {
    let few = words.get(..words.len().min(4))?;
    let year = few.iter().find_map(|word| number(word, 4..=4))?;
    (words.len() <= 3).then(|| PublicationDate::new(year, None, None))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let today = Date::constant(2024, 3, 8);
        PublicationDate::parse(text, today).map_or_else(|| "none".to_owned(), String::from)
    }

    #[test]
    fn dates_of_many_forms_become_one() {
        for told in [
            "2024-03-05",
            "2024-03-05T12:00:00Z",
            "2024-03-05T12:00:00.3635098+02:00",
            "2024-03-05 00:00:00",
            "2024/3/5",
            "2024 Mar 5",
            "5 March 2024",
            "5 Mar 2024",
            "Mar 5, 2024",
            "March 5th, 2024",
            "Tue, 05 Mar 2024 12:00:00 GMT",
            "3/5/2024 ",
            "20240305T120000Z",
            "20240305",
            "3 days ago",
        ] {
            let expected = if told.starts_with("3/5") {
                "2024"
            } else {
                "2024-03-05"
            };
            assert_eq!(read(told), expected, "{told}");
        }
    }

    #[test]
    fn a_date_is_no_more_precise_than_it_was_told() {
        for (told, date) in [
            ("2024", "2024"),
            ("2024-03", "2024-03"),
            ("Mar 2024", "2024-03"),
            ("1998 Dec-1999 Jan", "1998-12"),
            ("2000 Spring", "2000"),
            ("1978-1979", "1978"),
            ("2024-02-31", "2024-02"),
            ("2 weeks ago", "2024-02"),
            ("5 months ago", "2023-10"),
            ("a year ago", "2023"),
            ("14 hours ago", "2024-03-08"),
            ("yesterday", "2024-03-07"),
        ] {
            assert_eq!(read(told), date, "{told}");
        }
    }

    #[test]
    fn what_is_no_date_gives_none() {
        for told in [
            "",
            "soon",
            "12345",
            "v1.2.3",
            "0000-00-00",
            "9999-01-01",
            "99999 years ago",
        ] {
            assert_eq!(read(told), "none", "{told}");
        }
    }

    #[test]
    fn a_date_survives_being_stored() {
        for told in ["2024", "2024-03", "2024-03-05"] {
            let date = PublicationDate::try_from(told.to_owned()).unwrap();
            let stored = serde_json::to_string(&date).unwrap();
            assert_eq!(stored, format!("\"{told}\""));
            assert_eq!(
                serde_json::from_str::<PublicationDate>(&stored).unwrap(),
                date
            );
        }
        assert!(serde_json::from_str::<PublicationDate>("\"soon\"").is_err());
    }
}
