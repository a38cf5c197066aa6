//! A person's edits: read from a file, checked against what they change, and refused by the name of the field.

use std::path::Path;

use fathom_research::State;
use fathom_research::edits::{self, Editable, Misfit};
use serde_json::Value;

use crate::exit::{Problem, Result};
use crate::nearest::nearest;

/// Whether edits fit what a waiting run lets be changed; if not, which field and why.
pub fn check(state: &State, given: &Value) -> std::result::Result<(), String> {
    let editable = Editable::of(state).ok_or(Misfit::Nothing);
    let checked = editable.and_then(|editable| editable.check(state, given));
    checked.map_err(told)
}

/// A misfit in a sentence, with the field that was probably meant.
fn told(misfit: Misfit) -> String {
    match &misfit {
        Misfit::Unknown { name, known } => match nearest(name, known.iter().copied()) {
            Some(near) => format!("{name}: there is no such field; did you mean {near}?"),
            None => misfit.to_string(),
        },
        Misfit::NoTable
        | Misfit::Value { .. }
        | Misfit::Plan(_)
        | Misfit::Nothing
        | Misfit::Settled(_)
        | Misfit::Unheard => misfit.to_string(),
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

/// A state with fields changed, deep inside too; an array is replaced whole.
pub fn changed(state: &State, given: &Value) -> std::result::Result<State, String> {
    let mut whole = serde_json::to_value(state).map_err(|error| error.to_string())?;
    overlay(&mut whole, given, "")?;
    edits::typed(whole).map_err(told)
}

fn overlay(whole: &mut Value, edits: &Value, path: &str) -> std::result::Result<(), String> {
    match (whole, edits) {
        (Value::Object(fields), Value::Object(edits)) => {
            for (name, edit) in edits {
                let Some(field) = fields.get_mut(name) else {
                    let near = nearest(name, fields.keys().map(String::as_str));
                    let near = near.map(|near| format!("; did you mean {near}?"));
                    let near = near.unwrap_or_default();
                    return Err(format!("{path}{name}: the state has no such field{near}"));
                };
                overlay(field, edit, &format!("{path}{name}."))?;
            }
            Ok(())
        }
        (field, edit) => {
            *field = edit.clone();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_research::plan::Plan;
    use fathom_research::{Question, Settings};
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn state() -> State {
        let question = Question::parse("How do trees cool towns?", jiff::civil::date(2026, 1, 2));
        let mut state = State::new(
            question.unwrap(),
            Settings::default(),
            Timestamp::UNIX_EPOCH,
        );
        let plan: Plan = serde_json::from_value(json!({
            "sub_questions": [{"text": "a?", "needs": []}, {"text": "b?", "needs": [0]}],
            "queries": [{"text": "a", "intent": "a", "kind": "local", "priority": 1, "serves": 0}],
            "sections": [{"title": "A", "answers": [0, 1]}],
            "methodology": "", "confidence": 0.5, "warnings": [], "trace": {},
        }))
        .unwrap();
        state.plan = Some(std::sync::Arc::new(plan));
        state
    }

    fn refused(edits: &Value) -> String {
        check(&state(), edits).unwrap_err()
    }

    #[test]
    fn edits_that_fit_are_taken_and_others_are_refused_by_their_field() {
        let good = json!({"methodology": "Read, then count."});
        assert_eq!(check(&state(), &good), Ok(()));
        let bad = json!({"queries": [{"text": "a", "intent": "", "kind": "moon", "priority": 1, "serves": 0}]});
        assert!(
            refused(&bad).starts_with("queries[0].kind: "),
            "{}",
            refused(&bad)
        );
        assert!(refused(&json!({"querys": []})).contains("did you mean queries?"));
        assert!(refused(&json!({"queries": []})).contains("it has no search query"));
        assert!(refused(&json!([1])).contains("edits are a table"));
    }

    #[test]
    fn the_fields_for_an_editor_survive_being_written_as_toml_and_read_again() {
        let current = Editable::Plan.current(&state());
        let text = toml::to_string_pretty(&current).unwrap();
        assert_eq!(parse(&text).unwrap(), current);
        assert_eq!(check(&state(), &current), Ok(()));
    }

    #[test]
    fn a_state_is_changed_deep_inside_and_an_unknown_field_is_refused() {
        let edits = json!({"settings": {"target_length": 77}});
        let changed_state = changed(&state(), &edits).unwrap();
        assert_eq!(changed_state.settings.target_length, 77);
        assert_eq!(changed_state.settings.max_iterations, 3);
        let refused = changed(&state(), &json!({"settings": {"target_lenght": 7}})).unwrap_err();
        assert!(refused.contains("settings.target_lenght"), "{refused}");
        assert!(changed(&state(), &json!({"settings": {"target_length": "x"}})).is_err());
    }
}
