//! Dates as documents write them, made one form: `2024`, `2024-05` or `2024-05-17`.
//!
//! Only what was told is kept: a month without a day stays a month, and `03/04/2024`, which means two
//! days depending on the country, stays a year.

/// The first characters say the date; the rest may be a time.
const LOOK_AT_CHARS: usize = 60;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

pub(super) fn iso(text: &str) -> Option<String> {
    let text: String = text.chars().take(LOOK_AT_CHARS).collect();
    let text = text.trim().trim_start_matches("D:");
    let words = words(text);
    let date = year_first(&words)
        .or_else(|| named_month(&words))
        .or_else(|| year_last(&words));
    date.or_else(|| packed(&words))
        .or_else(|| lone_year(&words))
        .map(Date::said)
}

#[derive(Clone, Copy)]
struct Date {
    year: u32,
    month: Option<u32>,
    day: Option<u32>,
}

impl Date {
    fn new(year: u32, month: Option<u32>, day: Option<u32>) -> Option<Self> {
        let month = month.filter(|month| (1..=12).contains(month));
        let longest = match month {
            Some(2) => 29,
            Some(4 | 6 | 9 | 11) => 30,
            _ => 31,
        };
        let day = day.filter(|day| month.is_some() && (1..=longest).contains(day));
        (1_400..=2_199)
            .contains(&year)
            .then_some(Self { year, month, day })
    }

    fn said(self) -> String {
        match (self.month, self.day) {
            (Some(month), Some(day)) => format!("{:04}-{month:02}-{day:02}", self.year),
            (Some(month), None) => format!("{:04}-{month:02}", self.year),
            (None, _) => format!("{:04}", self.year),
        }
    }
}

/// Runs of digits and runs of letters, as they follow each other.
fn words(text: &str) -> Vec<&str> {
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

fn month(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    let at = MONTHS.iter().position(|month| lower.starts_with(month))?;
    Some(at as u32 + 1)
}

/// `2024-05-17`, `2024/5`, `2024 May 17`.
fn year_first(words: &[&str]) -> Option<Date> {
    let (first, rest) = words.split_first()?;
    let year = number(first, 4..=4)?;
    let second = *rest.first()?;
    let month = number(second, 1..=2).or_else(|| month(second))?;
    let day = rest.get(1).and_then(|word| number(word, 1..=2));
    Date::new(year, Some(month).filter(|month| *month <= 12), day)
}

/// `17 May 2024`, `May 17th, 2024`, `May 2024`, with or without a weekday before it.
fn named_month(words: &[&str]) -> Option<Date> {
    let named = words.iter().enumerate();
    let (at, month) = named
        .filter_map(|(at, word)| Some((at, month(word)?)))
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
    Date::new(year, Some(month), before.or(between))
}

/// `17.5.2024`, `5/17/2024`; the year alone when day and month cannot be told apart.
fn year_last(words: &[&str]) -> Option<Date> {
    let [first, second, third, ..] = words else {
        return None;
    };
    let (a, b) = (number(first, 1..=2)?, number(second, 1..=2)?);
    let year = number(third, 4..=4)?;
    match (a > 12, b > 12) {
        (true, false) => Date::new(year, Some(b), Some(a)),
        (false, true) => Date::new(year, Some(a), Some(b)),
        (false, false) if a == b => Date::new(year, Some(a), Some(b)),
        _ => Date::new(year, None, None),
    }
}

/// `20240517`, alone or with a time after it as PDF writes it.
fn packed(words: &[&str]) -> Option<Date> {
    let digits = words.first().filter(|word| word.len() >= 8)?;
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<u32>().ok();
    Date::new(part(0..4)?, part(4..6), part(6..8)).filter(|date| date.month.is_some())
}

fn lone_year(words: &[&str]) -> Option<Date> {
    match words {
        [only] => Date::new(number(only, 4..=4)?, None, None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::iso;

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
