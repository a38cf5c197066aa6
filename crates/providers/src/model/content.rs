//! What a model's JSON says where it may be said in several forms: text in parts, values written out as text.

use serde_json::Value;

/// Parts of a content that are looked at: real ones have a few.
const PARTS_MAX: usize = 10_000;

/// The text of a content: a string, or the text parts of a list. Parts that hold thoughts are no part of it.
pub(super) fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().take(PARTS_MAX).map(part).collect(),
        Value::Object(_) => part(content).to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn part(part: &Value) -> &str {
    let is_text = matches!(part["type"].as_str(), None | Some("text" | "output_text"));
    let text = part.as_str().or_else(|| part["text"].as_str());
    text.filter(|_| is_text).unwrap_or_default()
}

/// JSON text: as it is, or written out where the endpoint sent the value itself.
pub(super) fn json_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A text with something in it.
pub(super) fn filled(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}
