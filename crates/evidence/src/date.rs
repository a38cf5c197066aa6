//! Dates: those that stand in running text, and the one that a field of metadata holds.
//!
//! [`dates`] gives each date of a text that names a month, with its place; a year alone is left to the numbers. [`iso`]
//! reads a field and gives `2024`, `2024-05` or `2024-05-17`. Only what was told is kept: a month without a day stays
//! a month, and `03/04/2024`, which means two days depending on the country, stays a year.

use serde::{Deserialize, Serialize};

use crate::{Span, terms};

/// The first characters of a field say the date; the rest may be a time.
const LOOK_AT_CHARS: usize = 60;

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

/// A date that a text states, as precise as it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedDate {
    /// Where it stands.
    pub span: Span,
    /// The year, where the text tells it.
    pub year: Option<u32>,
    /// The month from 1 to 12.
    pub month: u32,
    /// The day of the month, where the text tells it.
    pub day: Option<u32>,
}

impl StatedDate {
    /// Whether nothing in `told` speaks against this date, and the month is the same.
    pub fn is_told_by(&self, told: &Self) -> bool {
        let agree = |a: Option<u32>, b: Option<u32>| a.is_none() || b.is_none() || a == b;
        self.month == told.month && agree(self.year, told.year) && agree(self.day, told.day)
    }
}

/// The dates of a text that name a month, in order.
pub(crate) fn dates(text: &str) -> Vec<StatedDate> {
    let words: Vec<(Span, &str)> = terms::words(text)
        .filter_map(|span| Some((span, span.of(text)?)))
        .collect();
    let at = |i: Option<usize>| i.and_then(|i| words.get(i)).copied();
    let mut found = Vec::new();
    for (i, (span, word)) in words.iter().enumerate() {
        if let Some(date) = numeric(*span, word, at(Some(i + 1)), at(Some(i + 2)), text) {
            found.push(date);
        }
        let Some(month) = month(word) else { continue };
        let (before, after, later) = (at(i.checked_sub(1)), at(Some(i + 1)), at(Some(i + 2)));
        let day_before = before.and_then(|(_, w)| day(w));
        let day_after = after
            .and_then(|(_, w)| day(w))
            .filter(|_| day_before.is_none());
        let next = if day_after.is_some() { later } else { after };
        let year = next.and_then(|(_, w)| year(w));
        if day_before.or(day_after).or(year).is_none() {
            continue;
        }
        let start = before
            .filter(|_| day_before.is_some())
            .map_or(span.start, |(s, _)| s.start);
        let day_end = after
            .filter(|_| day_after.is_some())
            .map_or(span.end, |(s, _)| s.end);
        let end = next
            .filter(|_| year.is_some())
            .map_or(day_end, |(s, _)| s.end);
        let span = Span::new(start, end);
        found.push(StatedDate {
            span,
            year,
            month,
            day: day_before.or(day_after),
        });
    }
    found
}

/// 2024-05-17, as machines write it.
fn numeric(
    span: Span,
    word: &str,
    second: Option<(Span, &str)>,
    third: Option<(Span, &str)>,
    text: &str,
) -> Option<StatedDate> {
    let year = year(word)?;
    let (month_at, month) = second?;
    let (day_at, day) = third?;
    let dashes = [(span.end, month_at.start), (month_at.end, day_at.start)];
    let dashed = dashes.iter().all(|(a, b)| text.get(*a..*b) == Some("-"));
    let two = |word: &str, most: u32| {
        word.parse()
            .ok()
            .filter(|n| word.len() == 2 && (1..=most).contains(n))
    };
    if !dashed {
        return None;
    }
    let span = Span::new(span.start, day_at.end);
    Some(StatedDate {
        span,
        year: Some(year),
        month: two(month, 12)?,
        day: two(day, 31),
    })
}

/// A month's name or its first three or four letters, with a capital: "may" is mostly a verb.
fn month(word: &str) -> Option<u32> {
    let short = matches!(word.len(), 3 | 4);
    let lower = word.to_lowercase();
    let named = |month: &str| month == lower || (short && month.starts_with(&lower));
    let at = MONTHS.iter().position(|month| named(month));
    at.filter(|_| word.starts_with(char::is_uppercase))
        .map(|at| at as u32 + 1)
}

/// A month by its first three letters, as fields of metadata and other languages write it: "Sept", "Januar".
fn month_of_field(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    let at = MONTHS
        .iter()
        .position(|month| lower.starts_with(&month[..3]))?;
    Some(at as u32 + 1)
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let tail = word.get(digits.len()..)?;
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(tail, "" | "st" | "nd" | "rd" | "th").then_some(day)
}

fn year(word: &str) -> Option<u32> {
    word.parse()
        .ok()
        .filter(|year| word.len() == 4 && (1000..=2999).contains(year))
}

/// The date at the beginning of a field, in one form.
pub(crate) fn iso(field: &str) -> Option<String> {
    let text: String = field.chars().take(LOOK_AT_CHARS).collect();
    let words = runs(text.trim().trim_start_matches("D:"));
    let date = year_first(&words)
        .or_else(|| named_month(&words))
        .or_else(|| year_last(&words));
    date.or_else(|| packed(&words))
        .or_else(|| lone_year(&words))
}

/// The parts of a date in one form. A month that is none is left out, and so is a day that the month does not have.
fn written(year: u32, month: Option<u32>, day: Option<u32>) -> Option<String> {
    let month = month.filter(|month| (1..=12).contains(month));
    let longest = match month {
        Some(2) => 29,
        Some(4 | 6 | 9 | 11) => 30,
        _ => 31,
    };
    let day = day.filter(|day| (1..=longest).contains(day));
    let written = match (month, day) {
        (Some(month), Some(day)) => format!("{year:04}-{month:02}-{day:02}"),
        (Some(month), None) => format!("{year:04}-{month:02}"),
        (None, _) => format!("{year:04}"),
    };
    (1_400..=2_199).contains(&year).then_some(written)
}

/// Runs of digits and runs of letters, as they follow each other.
fn runs(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let mut before = (false, false);
    for (at, c) in text.char_indices() {
        if kind(c) != before {
            words.push(&text[start..at]);
            start = at;
            before = kind(c);
        }
    }
    words.push(&text[start..]);
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

fn number(word: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    digits.contains(&word.len()).then(|| word.parse().ok())?
}

/// `2024-05-17`, `2024/5`, `2024 May 17`.
fn year_first(words: &[&str]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let year = number(first, 4..=4)?;
    let second = *rest.first()?;
    let month = number(second, 1..=2).or_else(|| month_of_field(second))?;
    let day = rest.get(1).and_then(|word| number(word, 1..=2));
    written(year, Some(month).filter(|month| *month <= 12), day)
}

/// `17 May 2024`, `May 17th, 2024`, `May 2024`, with or without a weekday before it.
fn named_month(words: &[&str]) -> Option<String> {
    let named = words.iter().enumerate();
    let (at, month) = named
        .filter_map(|(at, word)| Some((at, month_of_field(word)?)))
        .next()?;
    let after = words.get(at + 1..)?;
    let year_at = after
        .iter()
        .take(3)
        .position(|word| number(word, 4..=4).is_some())?;
    let year = number(after.get(year_at)?, 4..=4)?;
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let before = before.and_then(|word| number(word, 1..=2)).or_else(|| {
        // "17th of May": the day stands two or three words before.
        let few = &words[at.saturating_sub(3)..at];
        few.iter().find_map(|word| number(word, 1..=2))
    });
    let between = after[..year_at].iter().find_map(|word| number(word, 1..=2));
    written(year, Some(month), before.or(between))
}

/// `17.5.2024`, `5/17/2024`; the year alone when day and month cannot be told apart.
fn year_last(words: &[&str]) -> Option<String> {
    let [first, second, third, ..] = words else {
        return None;
    };
    let (a, b) = (number(first, 1..=2)?, number(second, 1..=2)?);
    let year = number(third, 4..=4)?;
    match (a > 12, b > 12) {
        (true, false) => written(year, Some(b), Some(a)),
        (false, true) => written(year, Some(a), Some(b)),
        (false, false) if a == b => written(year, Some(a), Some(b)),
        _ => written(year, None, None),
    }
}

/// `20240517`, alone or with a time after it as PDF writes it.
fn packed(words: &[&str]) -> Option<String> {
    let digits = words.first().filter(|word| word.len() >= 8)?;
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<u32>().ok();
    let month = part(4..6).filter(|month| (1..=12).contains(month))?;
    written(part(0..4)?, Some(month), part(6..8))
}

fn lone_year(words: &[&str]) -> Option<String> {
    match words {
        [only] => written(number(only, 4..=4)?, None, None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_usual_forms() {
        let parts = |text: &str| {
            let read = dates(text);
            read.iter()
                .map(|d| (d.year, d.month, d.day))
                .collect::<Vec<_>>()
        };
        for text in [
            "on 17 May 2024",
            "on May 17, 2024",
            "on 2024-05-17",
            "17th May 2024",
        ] {
            assert_eq!(parts(text), [(Some(2024), 5, Some(17))], "{text}");
        }
        assert_eq!(parts("in Sept 2001"), [(Some(2001), 9, None)]);
        assert_eq!(parts("it may 2 fold, March on"), []);
    }

    #[test]
    fn another_month_is_another_date() {
        let one = |text: &str| dates(text).remove(0);
        assert!(one("May 2024").is_told_by(&one("17 May 2024")));
        assert!(!one("June 2024").is_told_by(&one("17 May 2024")));
        assert!(!one("18 May 2024").is_told_by(&one("17 May 2024")));
    }

    #[test]
    fn dates_of_many_forms_become_one() {
        for told in [
            "2024-05-17",
            "2024-05-17T08:00:00+02:00",
            "2024/5/17",
            "17 May 2024",
            "May 17, 2024",
            "Fri, 17 May 2024 08:00:00 GMT",
            "17th of May 2024",
            "17.05.2024",
            "5/17/2024",
            "20240517",
            "D:20240517080000Z",
        ] {
            assert_eq!(iso(told).as_deref(), Some("2024-05-17"), "{told}");
        }
    }

    #[test]
    fn a_date_is_no_more_precise_than_it_was_told() {
        assert_eq!(iso("2024").as_deref(), Some("2024"));
        assert_eq!(iso("May 2024").as_deref(), Some("2024-05"));
        assert_eq!(iso("2024/05").as_deref(), Some("2024-05"));
        assert_eq!(iso("03/04/2024").as_deref(), Some("2024"));
    }

    #[test]
    fn what_is_no_date_gives_none() {
        for told in ["", "soon", "12345", "v1.2.3", "0000-00-00", "9999-01-01"] {
            assert_eq!(iso(told), None, "{told}");
        }
    }
}
