//! Fields that the registers' records have in common.

use serde_json::Value;

use super::work::WorkAuthor;
use crate::Doi;
use crate::lenient;
use crate::plain::plain;

const AUTHORS_MAX: usize = 1_000;

const TEXT_CHARS_MAX: usize = 2_000;

/// The plain text at a key, of which a list may hold several. Never empty.
pub(super) fn text(record: &Value, key: &str) -> Option<String> {
    let raw = lenient::first_text(&record[key])?;
    let mut text = plain(&raw, TEXT_CHARS_MAX);
    // Publishers hand in some titles escaped, so that the first reading brings markup to light.
    if raw.contains('&') && text.contains(['<', '&']) {
        text = plain(&text, TEXT_CHARS_MAX);
    }
    (!text.is_empty()).then_some(text)
}

/// The work's own DOI, by which we know that this is a record of one; the one asked for if it is malformed.
pub(super) fn doi(record: &Value, key: &str, asked: &Doi) -> Option<Doi> {
    let told = record[key].as_str()?;
    Some(Doi::parse(told).unwrap_or_else(|_| asked.clone()))
}

/// People and bodies, by the keys that a register has for a family name, a given name, and a whole name.
pub(super) fn authors(people: &[Value], [family, given, name]: [&str; 3]) -> Vec<WorkAuthor> {
    let author = |person: &Value| match text(person, family) {
        Some(family) => Some(WorkAuthor {
            family,
            given: text(person, given),
        }),
        None => text(person, name)
            .or_else(|| text(person, given))
            .map(|name| WorkAuthor {
                family: name,
                given: None,
            }),
    };
    people.iter().filter_map(author).take(AUTHORS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markup_of_publishers_is_taken_out_also_when_it_was_escaped() {
        for (title, is) in [
            (
                "CO<sub>2</sub> and <i>c</i><sub><i>p</i></sub>",
                "CO2 and cp",
            ),
            ("<jats:title>A &amp; B</jats:title>", "A & B"),
            (
                "&lt;i&gt;E. coli&lt;/i&gt; &#8211; p &lt; 0.05",
                "E. coli – p < 0.05",
            ),
            (
                "&amp;lt;i&amp;gt;E. coli&amp;lt;/i&amp;gt;",
                "<i>E. coli</i>",
            ),
            (
                "<i>Women in Ming China</i>\n            .",
                "Women in Ming China .",
            ),
            ("p < 0.05 & more", "p < 0.05 & more"),
        ] {
            let record = json!({"title": [title]}).to_string();
            let record: Value = serde_json::from_str(&record).unwrap();
            assert_eq!(text(&record, "title").as_deref(), Some(is));
        }
        let record: Value = serde_json::from_str(r#"{"title": [" ", null]}"#).unwrap();
        assert_eq!(text(&record, "title"), None);
    }
}
