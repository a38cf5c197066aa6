//! Fields of JSON that bends its form: numbers as strings, a list of one for a value, null or nothing for a list.
//!
//! Takes a value that may be missing (`null`); gives what it plainly means, or none. Broken JSON is `search::answer`.

use std::borrow::Cow;

use serde_json::Value;

use crate::PublicationDate;

/// A text or number, without the blanks around it; none if nothing else is there.
pub(crate) fn text(value: &Value) -> Option<Cow<'_, str>> {
    let text = match value {
        Value::String(text) => Cow::Borrowed(text.trim()),
        Value::Number(number) => Cow::Owned(number.to_string()),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The list, or an empty one.
pub(crate) fn list(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        _ => &[],
    }
}

/// The first text of a list, or the text itself.
pub(crate) fn first_text(value: &Value) -> Option<Cow<'_, str>> {
    list(value).iter().find_map(text).or_else(|| text(value))
}

/// A whole number from zero up, also as a string or with a point.
pub(crate) fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| whole(text.parse().ok()?))
        }
        _ => None,
    }
}

fn whole(number: f64) -> Option<u64> {
    // Beyond this a float no longer tells whole numbers apart.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && (0.0..=EXACT_MAX).contains(&number)).then_some(number as u64)
}

/// A yes, also as a string or number.
pub(crate) fn yes(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => text.eq_ignore_ascii_case("true") || text == "1",
        Value::Number(number) => number.as_u64() == Some(1),
        _ => false,
    }
}

/// `{"date-parts": [[2024, 3, 5]]}`, of which the end or all may be missing.
pub(crate) fn date_parts(value: &Value) -> Option<PublicationDate> {
    let parts = list(list(&value["date-parts"]).first()?);
    let part = |at: usize| parts.get(at).and_then(count);
    let small = |at: usize| part(at).and_then(|part| i8::try_from(part).ok());
    PublicationDate::new(i16::try_from(part(0)?).ok()?, small(1), small(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_every_form_but_never_below_zero() {
        for (raw, read) in [
            ("7", Some(7)),
            ("\" 7 \"", Some(7)),
            ("7.0", Some(7)),
            ("\"7.0\"", Some(7)),
            ("-7", None),
            ("7.5", None),
            ("1e300", None),
            ("null", None),
            ("\"many\"", None),
        ] {
            let value: Value = serde_json::from_str(raw).unwrap();
            assert_eq!(count(&value), read, "{raw}");
        }
    }
}
