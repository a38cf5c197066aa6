//! JSON that people and programs give: read into types, and laid over what stands. What does not fit is refused by the
//! name of its field and in words, never by the name of a Rust type.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::InvalidInput;

/// Puts edited fields in the place of the old ones, deep inside too. An array is replaced whole. A
/// field that `whole` does not have is refused.
pub(super) fn overlay(whole: &mut Value, edits: &Value) -> Result<(), InvalidInput> {
    if whole.is_object() && !edits.is_object() {
        return Err(InvalidInput::new(
            "edits are a table of fields with their new values",
        ));
    }
    overlay_at(whole, edits, "")
}

fn overlay_at(whole: &mut Value, edits: &Value, path: &str) -> Result<(), InvalidInput> {
    if whole.is_object() && edits.is_array() {
        return Err(not_a_list(path));
    }
    let (Value::Object(fields), Value::Object(edits)) = (&mut *whole, edits) else {
        *whole = edits.clone();
        return Ok(());
    };
    for (name, edit) in edits {
        let Some(field) = fields.get_mut(name) else {
            let field = format!("{path}{name}");
            return Err(InvalidInput::unknown(field, fields.keys()));
        };
        overlay_at(field, edit, &format!("{path}{name}."))?;
    }
    Ok(())
}

/// A typed value with edits. The field that does not fit is named.
pub fn edited<T>(value: &T, edits: &Value) -> Result<T, InvalidInput>
where
    T: Serialize + DeserializeOwned,
{
    let mut whole = serde_json::to_value(value).map_err(InvalidInput::new)?;
    overlay(&mut whole, edits)?;
    read_lenient(whole)
}

/// Reads an input. A field that the type does not know is refused, deep inside too, although the type itself may pass
/// over it, as stored values must.
pub fn read_input<T>(given: Value) -> Result<T, InvalidInput>
where
    T: Serialize + DeserializeOwned,
{
    let value: T = read_lenient(given.clone())?;
    let known = serde_json::to_value(&value).map_err(InvalidInput::new)?;
    refuse_unknown(&given, &known, "")?;
    Ok(value)
}

fn not_a_list(path: &str) -> InvalidInput {
    let field = path.trim_end_matches('.').to_owned();
    InvalidInput::at(field, "it must be a table of fields, not a list")
}

fn refuse_unknown(given: &Value, known: &Value, path: &str) -> Result<(), InvalidInput> {
    match (given, known) {
        (Value::Object(given), Value::Object(fields)) => {
            given.iter().try_for_each(|(name, value)| {
                let field = format!("{path}{name}");
                match fields.get(name) {
                    Some(known) => refuse_unknown(value, known, &format!("{field}.")),
                    None => Err(InvalidInput::unknown(field, fields.keys())),
                }
            })
        }
        (Value::Array(given), Value::Array(known)) => {
            let path = path.trim_end_matches('.');
            let mut pairs = given.iter().zip(known).enumerate();
            pairs.try_for_each(|(nth, (given, known))| {
                refuse_unknown(given, known, &format!("{path}[{nth}]."))
            })
        }
        // A list is read into a type field by field, past every check that knows fields by their names.
        (Value::Array(_), Value::Object(_)) => Err(not_a_list(path)),
        // Some values are written in another form than they were given in, such as a sentence for a table.
        _ => Ok(()),
    }
}

/// Reads JSON into a type; fields that it does not know are passed over. The field that does not fit is named.
pub fn read_lenient<T: DeserializeOwned>(mut value: Value) -> Result<T, InvalidInput> {
    let refused = match serde_path_to_error::deserialize(&value) {
        Ok(read) => return Ok(read),
        Err(refused) => refused,
    };
    let path = refused.path().clone();
    let said = refused.into_inner().to_string();
    let field = match path.to_string() {
        whole if whole == "." => String::new(),
        field => field,
    };
    // Of a value that is no name at all, serde does not say which names there are; of a wrong name it does.
    if said.ends_with(NAME_EXPECTED)
        && let Some(place) = place_at(&mut value, &path)
    {
        let given = std::mem::replace(place, Value::String(String::new()));
        if let Err(refused) = serde_path_to_error::deserialize::<_, T>(&value)
            && let Some(names) = names_there_are(&refused.into_inner().to_string())
        {
            let why = format!("it must be one of {names}, not {}", given_in_words(&given));
            return Err(InvalidInput::at(field, why));
        }
    }
    Err(in_words(field, &said))
}

/// How serde says that a name of a choice was expected.
const NAME_EXPECTED: &str = "expected string or map";

/// The value that a path leads to.
fn place_at<'v>(whole: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    let mut segments = path.iter();
    segments.try_fold(whole, |at, segment| match segment {
        Segment::Seq { index } => at.get_mut(*index),
        Segment::Map { key } => at.get_mut(key),
        Segment::Enum { .. } | Segment::Unknown => None,
    })
}

/// The names that serde lists where it was given another.
fn names_there_are(said: &str) -> Option<String> {
    let rest = said.strip_prefix("unknown variant ")?;
    let names: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
    Some(names.join(", "))
}

fn given_in_words(given: &Value) -> String {
    match given {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => given.to_string(),
    }
}

/// What serde says of a field, as a person would say it.
fn in_words(path: String, said: &str) -> InvalidInput {
    let below = |name: &str| match path.as_str() {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    let quoted = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
    if said.starts_with("missing field") {
        return InvalidInput::at(below(&quoted(said)), "it is missing");
    }
    if let Some(rest) = said.strip_prefix("unknown field ") {
        let known = rest.split('`').skip(3).step_by(2);
        let name = quoted(said);
        // The path ends with the name already where serde has begun to read it.
        let field = if path.ends_with(&name) {
            path
        } else {
            below(&name)
        };
        return InvalidInput::unknown(field, known);
    }
    if let Some(names) = names_there_are(said) {
        let why = format!("\"{}\" is none of {names}", quoted(said));
        return InvalidInput::at(path, why);
    }
    if let Some((length, expected)) = said
        .strip_prefix("invalid length ")
        .and_then(|rest| rest.split_once(", expected "))
    {
        let expected = expected_in_words(expected);
        let why = format!("it must be {expected}, not a list of {length}");
        return InvalidInput::at(path, why);
    }
    if said.starts_with("data did not match any variant") {
        return InvalidInput::at(path, "it has none of the forms that are possible here");
    }
    let invalid = said.strip_prefix("invalid type: ");
    let invalid = invalid.or_else(|| said.strip_prefix("invalid value: "));
    match invalid.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((found, expected)) => {
            let (expected, found) = (expected_in_words(expected), found_in_words(found));
            InvalidInput::at(path, format!("it must be {expected}, not {found}"))
        }
        None => InvalidInput::at(path, said),
    }
}

/// What serde expected of a value, as a person would say it.
pub fn expected_in_words(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "string" | "path string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table of fields",
        other if other.starts_with("struct ") => "a table of fields",
        "string or map" | "variant identifier" => "one of the names there are",
        other if other.starts_with("enum ") => "one of the names there are",
        other if other.starts_with("tuple") => "a list",
        other => other,
    }
}

fn found_in_words(found: &str) -> String {
    let inner = |text: &str| text.trim_matches('`').to_owned();
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {text}"),
        Some(("integer", number)) => inner(number),
        Some(("floating", number)) => inner(number.trim_start_matches("point ")),
        Some(("boolean", value)) => inner(value),
        _ => match found {
            "map" => "a table".to_owned(),
            "sequence" => "a list".to_owned(),
            "null" | "unit value" => "nothing".to_owned(),
            other => other.to_owned(),
        },
    }
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
        let refused = overlay(&mut whole, &json!({"plan": ["b", []]})).unwrap_err();
        assert_eq!(refused.field, "plan");
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

    #[derive(Debug, serde::Serialize, serde::Deserialize)]
    struct Asked {
        question: String,
        #[serde(default)]
        limits: Limits,
        #[serde(default)]
        stops: Vec<Limits>,
        #[serde(default)]
        pace: Pace,
    }

    #[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Pace {
        #[default]
        Quick,
        Slow,
    }

    #[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
    #[serde(default)]
    struct Limits {
        most: u32,
        share: f64,
        open: bool,
    }

    #[test]
    fn what_does_not_fit_is_told_in_words_and_never_by_the_name_of_a_type() {
        let told = |given| read_input::<Asked>(given).unwrap_err().to_string();
        for (given, expected) in [
            (json!({}), "question: it is missing"),
            (
                json!("x"),
                "it must be a table of fields, not the text \"x\"",
            ),
            (json!({"question": 7}), "question: it must be a text, not 7"),
            (
                json!({"question": null}),
                "question: it must be a text, not nothing",
            ),
            (
                json!({"question": "why", "limits": {"most": -1}}),
                "limits.most: it must be a whole number, 0 or more, not -1",
            ),
            (
                json!({"question": "why", "limits": {"open": "yes"}}),
                "limits.open: it must be true or false, not the text \"yes\"",
            ),
            (
                json!({"question": "why", "limits": {"moast": 1}}),
                "limits.moast: there is no such field",
            ),
            (
                json!({"question": "why", "limits": [1, 0.5, true]}),
                "limits: it must be a table of fields, not a list",
            ),
            (json!(["why"]), "it must be a table of fields, not a list"),
            (
                json!({"question": "why", "pace": "lazy"}),
                "pace: \"lazy\" is none of quick, slow",
            ),
            (
                json!({"question": "why", "pace": 7}),
                "pace: it must be one of quick, slow, not 7",
            ),
            (json!([]), "it must be a table of fields, not a list of 0"),
            (
                json!({"question": "why", "stops": [{}, {"at": 1}]}),
                "stops[1].at: there is no such field",
            ),
        ] {
            assert_eq!(told(given), expected);
        }
        let refused = read_input::<Asked>(json!({"question": "why", "limits": {"moast": 1}}));
        assert_eq!(refused.unwrap_err().known, ["most", "open", "share"]);
    }
}
