//! A person's edits: read from a file, and refused by the name of the field.

use std::path::Path;

use fathom_workflow::InvalidInput;
use serde_json::Value;

use crate::exit::{Problem, Result};
use crate::nearest::nearest;

/// Why an input or an edit is refused, with the field that was probably meant.
pub fn explained(invalid: &InvalidInput) -> String {
    let name = invalid.field.rsplit('.').next().unwrap_or_default();
    match nearest(name, invalid.known.iter().map(String::as_str)) {
        Some(near) => format!("{invalid}; did you mean {near}?"),
        None if invalid.known.is_empty() => invalid.to_string(),
        None => format!("{invalid}; there are {}", invalid.known.join(", ")),
    }
}

/// Reads edits from a JSON or TOML file.
pub fn read(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Problem::usage(format!("{} cannot be read: {error}", path.display())))?;
    parse(&text).map_err(|why| {
        Problem::usage(format!(
            "{} is neither JSON nor TOML: {why}",
            path.display()
        ))
    })
}

/// Text as JSON if it looks so, else as TOML.
pub fn parse(text: &str) -> std::result::Result<Value, String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(table).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_a_fields_name_is_answered_with_the_field_that_was_meant() {
        let mut invalid = InvalidInput::at("plan.querys", "there is no such field");
        invalid.known = vec!["queries".to_owned(), "sections".to_owned()];
        let told = explained(&invalid);
        assert_eq!(
            told,
            "plan.querys: there is no such field; did you mean queries?"
        );
        invalid.field = "colour".to_owned();
        assert!(explained(&invalid).ends_with("; there are queries, sections"));
    }
}
