//! Edits of a JSON value: fields changed deep inside, unknown ones refused by name.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::InvalidInput;

/// Puts edited fields in the place of the old ones, deep inside too. An array is replaced whole. A
/// field that `whole` does not have is refused.
pub fn overlay(whole: &mut Value, edits: &Value) -> Result<(), InvalidInput> {
    if whole.is_object() && !edits.is_object() {
        return Err(InvalidInput::new(
            "edits are a table of fields with their new values",
        ));
    }
    overlay_at(whole, edits, "")
}

fn overlay_at(whole: &mut Value, edits: &Value, path: &str) -> Result<(), InvalidInput> {
    let (Value::Object(fields), Value::Object(edits)) = (&mut *whole, edits) else {
        *whole = edits.clone();
        return Ok(());
    };
    for (name, edit) in edits {
        let Some(field) = fields.get_mut(name) else {
            return Err(InvalidInput {
                known: fields.keys().cloned().collect(),
                ..InvalidInput::at(format!("{path}{name}"), "there is no such field")
            });
        };
        overlay_at(field, edit, &format!("{path}{name}."))?;
    }
    Ok(())
}

/// A typed value with edits. The field that does not fit is named.
pub(super) fn edited<T>(value: &T, edits: &Value) -> Result<T, InvalidInput>
where
    T: Serialize + DeserializeOwned,
{
    let mut whole = serde_json::to_value(value).map_err(InvalidInput::new)?;
    overlay(&mut whole, edits)?;
    typed(whole)
}

/// Reads JSON into a type. The field that does not fit is named.
pub(super) fn typed<T: DeserializeOwned>(value: Value) -> Result<T, InvalidInput> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = match error.path().to_string() {
            whole if whole == "." => String::new(),
            path => path,
        };
        InvalidInput::at(path, error.into_inner())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_changed_deep_inside_and_an_unknown_one_is_named_with_those_there_are() {
        let mut whole = json!({"plan": {"title": "a", "queries": [1, 2]}, "kept": true});
        overlay(&mut whole, &json!({"plan": {"queries": [3]}})).unwrap();
        assert_eq!(
            whole,
            json!({"plan": {"title": "a", "queries": [3]}, "kept": true})
        );
        let refused = overlay(&mut whole, &json!({"plan": {"querys": []}})).unwrap_err();
        assert_eq!(refused.to_string(), "plan.querys: there is no such field");
        assert_eq!(refused.known, ["queries", "title"]);
        assert!(overlay(&mut whole, &json!([1])).is_err());
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_by_its_path() {
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        struct Plan {
            queries: Vec<u32>,
        }
        let plan = Plan { queries: vec![1] };
        let refused = edited(&plan, &json!({"queries": [1, "x"]})).unwrap_err();
        assert_eq!(refused.field, "queries[1]");
    }
}
