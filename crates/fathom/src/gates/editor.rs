//! Editing fields in the person's own editor, as TOML.

use std::process::Command;

use serde_json::{Map, Value};

use crate::edits;
use crate::exit::{Problem, Result};

const HEAD: &str = "\
# Change what you like, save and close. Where one field refers to an item of another, items are counted from 0.
# Feedback says what you want done differently, in your own words.
feedback = \"\"

";

/// What came of the editing.
#[derive(Debug, PartialEq)]
pub(super) struct EditedFields {
    /// The fields that were changed, if any were.
    pub(super) edits: Option<Value>,
    pub(super) feedback: Option<String>,
}

/// The fields as a person edits them.
pub(super) fn text(fields: &Value) -> Result<String> {
    let fields = toml::to_string_pretty(fields).map_err(Problem::failed)?;
    Ok(format!("{HEAD}{fields}"))
}

/// Lets the person edit a text, and waits for them.
pub(super) async fn edit(text: String) -> Result<String> {
    let editing = tokio::task::spawn_blocking(move || edit_now(&text)).await;
    editing.map_err(Problem::failed)?
}

fn edit_now(text: &str) -> Result<String> {
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok());
    let editor = editor.filter(|editor| !editor.trim().is_empty());
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let unusable = |why: String| {
        Problem::failed(format!("your editor \"{editor}\" cannot be used: {why}")).advise(
            "Set EDITOR to one that is installed, such as EDITOR=nano. Or choose later, and decide with: fathom runs review ID modify --edits FILE",
        )
    };
    let file = tempfile::Builder::new()
        .prefix("fathom-")
        .suffix(".toml")
        .tempfile();
    let file = file.map_err(|error| unusable(error.to_string()))?;
    let path = file.into_temp_path();
    std::fs::write(&path, text).map_err(|error| unusable(error.to_string()))?;
    // As usual, the variable may hold flags besides the program: "code --wait".
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("vi"));
    let ended = command.args(words).arg(&path).status();
    let ended = ended.map_err(|error| unusable(error.to_string()))?;
    if !ended.success() {
        return Err(unusable(format!("it ended with {ended}")));
    }
    std::fs::read_to_string(&path).map_err(|error| unusable(error.to_string()))
}

/// What the person changed of the fields that could be edited; nothing if nothing was. The error names the field.
pub(super) fn taken(
    text: &str,
    before: &Value,
) -> std::result::Result<Option<EditedFields>, String> {
    let Value::Object(mut fields) = edits::parse(text)? else {
        return Err("it is not a table of fields".to_owned());
    };
    let feedback = match fields.remove("feedback") {
        None => None,
        Some(Value::String(feedback)) => Some(feedback).filter(|text| !text.trim().is_empty()),
        Some(_) => return Err("feedback: it must be a text".to_owned()),
    };
    let changed: Map<String, Value> = fields
        .into_iter()
        .filter(|(name, value)| before.get(name) != Some(value))
        .collect();
    let edits = (!changed.is_empty()).then_some(Value::Object(changed));
    let edited = EditedFields { edits, feedback };
    Ok((edited.edits.is_some() || edited.feedback.is_some()).then_some(edited))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_changed_is_an_edit_and_feedback_stands_apart() {
        let fields = json!({
            "title": "Trees",
            "summary": "They cool.\n\nMuch.",
            "sections": [{ "title": "Shade", "answers": [0] }],
        });
        let taken = |text: &str| taken(text, &fields);
        let before = text(&fields).unwrap();
        assert_eq!(taken(&before), Ok(None));
        let renamed = before.replace("\"Trees\"", "\"Street trees\"");
        let edited = taken(&renamed).unwrap().unwrap();
        assert_eq!(edited.edits, Some(json!({"title": "Street trees"})));
        assert_eq!(edited.feedback, None);
        let spoken = before.replace("feedback = \"\"", "feedback = \"Shorter.\"");
        let edited = taken(&spoken).unwrap().unwrap();
        assert_eq!(
            (edited.edits, edited.feedback.as_deref()),
            (None, Some("Shorter."))
        );
        let wrong = before.replace("feedback = \"\"", "feedback = 7");
        assert!(taken(&wrong).unwrap_err().starts_with("feedback: "));
    }
}
