//! The display form of a run's state: the same JSON with its long fields cut short.
//!
//! It takes a state as JSON and gives JSON that a page or a terminal can show whole. The log keeps
//! the full state; what is cut here is lost only to the eye.

use serde_json::{Map, Value};

/// How much of a state is shown. Lengths are in characters, not bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayLimits {
    /// What is kept of a field named "snippet".
    pub snippet_chars: usize,
    /// What is kept of a field named "section", "content" or "body".
    pub section_chars: usize,
    /// A field named "full_text" or "text" that is longer is shown as its length alone.
    pub full_text_chars: usize,
    /// What is kept of any other string.
    pub other_chars: usize,
    /// What is kept of an array.
    pub items: usize,
    /// How many arrays and objects may lie inside one another.
    pub depth: usize,
}

impl Default for DisplayLimits {
    fn default() -> Self {
        Self {
            snippet_chars: 200,
            section_chars: 500,
            full_text_chars: 500,
            other_chars: 2_000,
            items: 100,
            depth: 64,
        }
    }
}

impl DisplayLimits {
    /// The value with its long fields cut short.
    pub fn apply(&self, value: &Value) -> Value {
        self.shown(value, "", 0)
    }

    /// `field` is the nearest name above the value: the items of an array go by the array's name.
    /// `around` counts the arrays and objects the value lies in, and so bounds the recursion.
    fn shown(&self, value: &Value, field: &str, around: usize) -> Value {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
            Value::String(text) => Value::String(self.text(text, field)),
            Value::Array(_) | Value::Object(_) if around >= self.depth => {
                Value::String("[too deep]".to_owned())
            }
            Value::Array(items) => self.array(items, field, around + 1),
            Value::Object(fields) => self.object(fields, around + 1),
        }
    }

    fn text(&self, text: &str, field: &str) -> String {
        match field {
            "snippet" => cut(text, self.snippet_chars),
            "section" | "content" | "body" => cut(text, self.section_chars),
            "full_text" | "text" => length_if_longer(text, self.full_text_chars),
            _ => cut(text, self.other_chars),
        }
    }

    fn array(&self, items: &[Value], field: &str, around: usize) -> Value {
        let mut shown: Vec<Value> = items
            .iter()
            .take(self.items)
            .map(|item| self.shown(item, field, around))
            .collect();
        if items.len() > self.items {
            let more = items.len() - self.items;
            shown.push(Value::String(format!("[{more} more]")));
        }
        Value::Array(shown)
    }

    fn object(&self, fields: &Map<String, Value>, around: usize) -> Value {
        let shown = fields
            .iter()
            .map(|(name, value)| (name.clone(), self.shown(value, name, around)))
            .collect();
        Value::Object(shown)
    }
}

/// The first `limit` characters, and a "…" where any were left out.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn length_if_longer(text: &str, limit: usize) -> String {
    match text.chars().count() {
        length if length > limit => format!("[{length} chars]"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn shown(value: Value) -> Value {
        DisplayLimits::default().apply(&value)
    }

    fn first(count: usize) -> String {
        format!("{}…", "é".repeat(count))
    }

    #[test]
    fn a_snippet_is_cut_to_200_characters() {
        let value = json!({"snippet": "é".repeat(201)});
        assert_eq!(shown(value), json!({"snippet": first(200)}));
    }

    #[test]
    fn a_section_its_content_and_its_body_are_cut_to_500_characters() {
        for field in ["section", "content", "body"] {
            let value = json!({field: "é".repeat(501)});
            assert_eq!(shown(value), json!({field: first(500)}));
        }
    }

    #[test]
    fn a_long_full_text_is_shown_as_its_length() {
        for field in ["full_text", "text"] {
            let value = json!({field: "é".repeat(501)});
            assert_eq!(shown(value), json!({field: "[501 chars]"}));
        }
    }

    #[test]
    fn any_other_string_is_cut_to_2000_characters() {
        let value = json!({"why": "é".repeat(2_001)});
        assert_eq!(shown(value), json!({"why": first(2_000)}));
        assert_eq!(shown(json!("é".repeat(2_001))), json!(first(2_000)));
    }

    #[test]
    fn what_fits_is_shown_unchanged() {
        let value = json!({
            "snippet": "é".repeat(200),
            "section": "é".repeat(500),
            "text": "é".repeat(500),
            "why": "é".repeat(2_000),
            "hits": vec![1; 100],
            "score": 0.5,
            "done": true,
            "answer": null,
        });
        assert_eq!(shown(value.clone()), value);
    }

    #[test]
    fn a_long_array_shows_its_first_100_items_and_counts_the_rest() {
        let Value::Array(items) = shown(json!(vec![7; 130])) else {
            panic!("an array stays an array");
        };
        assert_eq!(items.len(), 101);
        assert_eq!(items[99], json!(7));
        assert_eq!(items[100], json!("[30 more]"));
    }

    #[test]
    fn the_items_of_an_array_go_by_its_name() {
        let value = json!({"snippet": ["é".repeat(201), {"text": "é".repeat(501)}]});
        let expected = json!({"snippet": [first(200), {"text": "[501 chars]"}]});
        assert_eq!(shown(value), expected);
    }

    #[test]
    fn nesting_of_64_is_shown_and_deeper_nesting_is_named() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(shown(nested(64)), nested(64));

        let inner = shown(nested(65)).to_string();
        assert_eq!(inner.matches('[').count(), 65, "64 arrays and the note");
        assert!(inner.contains("\"[too deep]\""));
    }

    proptest! {
        #[test]
        fn a_cut_keeps_a_whole_prefix_of_characters(text in any::<String>(), limit in 0usize..40) {
            let shown = cut(&text, limit);
            let kept: String = text.chars().take(limit).collect();
            if kept == text {
                prop_assert_eq!(shown, text);
            } else {
                prop_assert_eq!(shown, format!("{kept}…"));
            }
        }
    }
}
