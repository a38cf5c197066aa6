//! Fields of a register's JSON, which may be missing, null, of another type, or a list of one.

use jiff::civil::Date;
use serde_json::Value;

use super::plain::plain;
use super::work::{Author, Published};

const AUTHORS_MAX: usize = 1_000;

const YEARS: std::ops::RangeInclusive<i64> = 1_000..=2_199;

/// The text at a key: a string, a number, or the first such in a list. Never empty.
pub(super) fn text(record: &Value, key: &str) -> Option<String> {
    let text = match first(record.get(key)?) {
        Value::String(text) => plain(text),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

pub(super) fn count(record: &Value, key: &str) -> Option<u64> {
    match record.get(key)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn list<'a>(record: &'a Value, key: &str) -> &'a [Value] {
    match record.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

fn first(value: &Value) -> &Value {
    match value {
        Value::Array(items) => items.first().unwrap_or(&Value::Null),
        other => other,
    }
}

/// People and bodies, by the keys that a register has for a family name, a given name, and a whole name.
pub(super) fn authors(people: &[Value], [family, given, name]: [&str; 3]) -> Vec<Author> {
    let author = |person: &Value| match text(person, family) {
        Some(family) => Some(Author {
            family,
            given: text(person, given),
        }),
        None => text(person, name)
            .or_else(|| text(person, given))
            .map(|name| Author {
                family: name,
                given: None,
            }),
    };
    people.iter().filter_map(author).take(AUTHORS_MAX).collect()
}

/// `{"date-parts": [[2024, 3, 5]]}`; the parts may be strings, and the later ones missing or null.
pub(super) fn date(record: &Value, key: &str) -> Option<Published> {
    let parts = record.get(key)?.get("date-parts")?.get(0)?;
    let part = |n: usize| match parts.get(n)? {
        Value::String(text) => text.trim().parse().ok(),
        number => number.as_i64(),
    };
    published(part(0)?, part(1), part(2))
}

/// A date that begins with `2024`, `2024-03` or `2024-03-05`.
pub(super) fn date_in_words(text: &str) -> Option<Published> {
    let day = text.split(['T', ' ', '/']).next().unwrap_or_default();
    let mut parts = day.split('-').map(|part| part.parse().ok());
    let year = parts.next()??;
    published(year, parts.next().flatten(), parts.next().flatten())
}

/// A month or day that cannot be is left out; a year that cannot be leaves nothing.
pub(super) fn published(year: i64, month: Option<i64>, day: Option<i64>) -> Option<Published> {
    let small = |part: Option<i64>| part.and_then(|part| i8::try_from(part).ok());
    let year = YEARS.contains(&year).then(|| i16::try_from(year).ok())??;
    let month = small(month).filter(|month| (1..=12).contains(month));
    let day = month.zip(small(day));
    let day = day.filter(|&(month, day)| Date::new(year, month, day).is_ok());
    Some(Published {
        year,
        month,
        day: day.map(|(_, day)| day),
    })
}
