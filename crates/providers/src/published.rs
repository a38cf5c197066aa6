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

const YEARS: std::ops::RangeInclusive<i16> = 1_000..=2_199;

const MONTHS: &str =
    "january february march april may june july august september october november december";

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
        let start: String = text.chars().take(LOOK_AT_CHARS).collect();
        let start = start.to_lowercase();
        let words = words(&start);
        ago(&words, today).or_else(|| written_out(&words))
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
        written_out(&words(&text.to_lowercase())).ok_or(DateError)
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
    let mut words = Vec::new();
    let mut rest = text;
    // Each round takes at least one character.
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| kind(c) != kind(first));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        if kind(first) != (false, false) {
            words.push(word);
        }
        rest = after;
    }
    words
}

/// `3 days ago`, `an hour ago`, `yesterday`: as precise as its unit.
fn ago(words: &[&str], today: Date) -> Option<PublicationDate> {
    let (count, unit) = match words {
        ["today" | "now"] | ["just", "now"] => (0, "day"),
        ["yesterday"] => (1, "day"),
        ["a" | "an", unit, "ago"] => (1, *unit),
        [count, unit, "ago"] if count.len() <= 4 => (count.parse::<i16>().ok()?, *unit),
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

/// What a word may mean in a date that is written out.
#[derive(Clone, Copy)]
enum DateWord {
    Year(i16),
    Month(i8),
    /// A day, or a month in digits.
    Small(i8),
    /// `20240517`, alone or with a time after it.
    Packed(Date),
    Other,
}

impl DateWord {
    fn read(word: &str) -> Self {
        let packed = || Date::strptime("%Y%m%d", word.get(..8)?).ok();
        let month = || {
            let named = |month: &str| word.len() >= 3 && month.starts_with(word);
            i8::try_from(MONTHS.split(' ').position(named)? + 1).ok()
        };
        let read = match word.len() {
            1 | 2 => word.parse().ok().map(Self::Small),
            4 => word.parse().ok().map(Self::Year),
            8..=14 => packed().map(Self::Packed),
            _ => None,
        };
        let read = read.or_else(|| month().map(Self::Month));
        read.unwrap_or(Self::Other)
    }
}

fn written_out(words: &[&str]) -> Option<PublicationDate> {
    use DateWord::{Month, Packed, Small, Year};
    let words: Vec<DateWord> = words.iter().map(|word| DateWord::read(word)).collect();
    let date = PublicationDate::new;
    match *words {
        // `2024-05-17`, `2024/5`, `2024 May 17`.
        [
            Year(year),
            Month(month) | Small(month @ 1..=12),
            Small(day),
            ..,
        ] => date(year, Some(month), Some(day)),
        [Year(year), Month(month) | Small(month @ 1..=12), ..] => date(year, Some(month), None),
        // `17.5.2024`, `5/17/2024`; the year alone when day and month cannot be told apart.
        [Small(day @ 13..), Small(month @ ..=12), Year(year), ..]
        | [Small(month @ ..=12), Small(day @ 13..), Year(year), ..] => {
            date(year, Some(month), Some(day))
        }
        [Small(day), Small(month), Year(year), ..] if day == month => {
            date(year, Some(month), Some(day))
        }
        [Small(_), Small(_), Year(year), ..] => date(year, None, None),
        [Packed(day), ..] => date(day.year(), Some(day.month()), Some(day.day())),
        _ => named_month(&words).or_else(|| lone_year(&words)),
    }
}

/// `17 May 2024`, `17th of May 2024`, `May 17th, 2024`, `May 2024`, whatever stands before it.
fn named_month(words: &[DateWord]) -> Option<PublicationDate> {
    use DateWord::{Month, Other, Small, Year};
    let date = PublicationDate::new;
    (0..words.len()).find_map(|at| match words[at..] {
        [Small(day), Month(month), Year(year), ..]
        | [Small(day), Other, Month(month), Year(year), ..]
        | [Small(day), Other, Other, Month(month), Year(year), ..]
        | [Month(month), Small(day), Year(year), ..]
        | [Month(month), Small(day), Other, Year(year), ..] => date(year, Some(month), Some(day)),
        [Month(month), Year(year), ..] | [Month(month), Other, Year(year), ..] => {
            date(year, Some(month), None)
        }
        _ => None,
    })
}

/// `2024`, `2000 Spring`, `1978-1979`: the first of at most three words that is a year.
fn lone_year(words: &[DateWord]) -> Option<PublicationDate> {
    let few = Some(words).filter(|words| words.len() <= 3)?;
    few.iter().find_map(|word| match word {
        DateWord::Year(year) => PublicationDate::new(*year, None, None),
        _ => None,
    })
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
