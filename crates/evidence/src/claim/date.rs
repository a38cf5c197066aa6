//! The dates a text states, as far as they name a month.
//!
//! A year alone is left to the numbers.

use serde::{Deserialize, Serialize};

use crate::{Span, terms};

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

/// A date as precise as it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Date {
    pub span: Span,
    pub year: Option<u32>,
    /// From 1.
    pub month: u32,
    pub day: Option<u32>,
}

impl Date {
    /// Whether nothing in `told` speaks against this date, and the month is the same.
    pub fn is_told_by(&self, told: &Date) -> bool {
        let agree = |a: Option<u32>, b: Option<u32>| a.is_none() || b.is_none() || a == b;
        self.month == told.month && agree(self.year, told.year) && agree(self.day, told.day)
    }
}

pub(crate) fn dates(text: &str) -> Vec<Date> {
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
        found.push(Date {
            span,
            year,
            month,
            day: day_before.or(day_after),
        });
    }
    found
}

type Placed<'t> = Option<(Span, &'t str)>;

/// 2024-05-17, as machines write it.
fn numeric(
    span: Span,
    word: &str,
    second: Placed<'_>,
    third: Placed<'_>,
    text: &str,
) -> Option<Date> {
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
    Some(Date {
        span,
        year: Some(year),
        month: two(month, 12)?,
        day: two(day, 31),
    })
}

/// A month's name or its first three or four letters, with a capital: "may" is mostly a verb.
fn month(word: &str) -> Option<u32> {
    if !word.starts_with(char::is_uppercase) {
        return None;
    }
    let lower = word.to_lowercase();
    let named =
        |month: &str| month == lower || (matches!(lower.len(), 3 | 4) && month.starts_with(&lower));
    let at = MONTHS.iter().position(|month| named(month))?;
    u32::try_from(at + 1).ok()
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
}
