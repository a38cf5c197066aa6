//! JSON Schemas that endpoints take: strict, and with an end to every text and list.
//!
//! From a Rust type by `schemars`, then bent to what OpenAI's strict mode allows: every property required (what is
//! optional may be null), nothing besides them, and no keyword it refuses. A weak model writes on until the limit
//! of tokens if nothing ends a text, so texts and lists without a limit of their own get one.

mod order;

pub(super) use order::OrderedJson;

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Characters of a text whose type sets no limit. llama.cpp refuses a schema that repeats anything more often, so that a
/// longer limit is not sent.
const TEXT_MAX: u64 = 2_000;

/// Items of a list whose type sets no limit.
const ITEMS_MAX: u64 = 50;

/// A schema's name at most, as OpenAI has it.
const NAME_MAX: usize = 64;

/// Words for people and programs that strict mode does not know.
const DROPPED: &str = "$schema title format default examples $id readOnly writeOnly";

/// Limits that not every strict endpoint takes.
const LIMITS: &str = "maxLength minLength pattern maxItems minItems uniqueItems minimum maximum exclusiveMinimum \
    exclusiveMaximum multipleOf";

/// The schemas that were made, by their type. There are as many as the program has typed questions.
static MADE: LazyLock<Mutex<HashMap<TypeId, Arc<Value>>>> = LazyLock::new(Mutex::default);

/// The strict schema of a type, which should be a struct. It is made once: that takes longer than all else about a call.
pub(super) fn strict<T: JsonSchema + 'static>() -> Arc<Value> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = made.entry(TypeId::of::<T>());
    Arc::clone(schema.or_insert_with(|| Arc::new(make::<T>())))
}

fn make<T: JsonSchema>() -> Value {
    // Only of a type to be written does `schemars` require every field, in the order of the type.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    tighten(&mut schema);
    schema
}

pub(super) fn name<T: JsonSchema>() -> String {
    let name = T::schema_name();
    let fits = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
    name.chars().filter(fits).take(NAME_MAX).collect()
}

/// The schema without limits on lengths and numbers.
pub(super) fn without_lengths(schema: &Value) -> Value {
    let mut schema = schema.clone();
    each(&mut schema, &mut |map| {
        map.retain(|key, _| !is_one_of(LIMITS, key))
    });
    schema
}

/// The schema as an instruction, for endpoints that take none.
pub(super) fn in_words(schema: &Value) -> String {
    let schema = serde_json::to_string(&OrderedJson::new(schema));
    let schema = schema.unwrap_or_default();
    format!(
        "Answer with one JSON object and nothing else: no code fence, no words around it. \
         It must fit this JSON Schema:\n{schema}"
    )
}

/// Whether a value has what the schema's top level requires: an endpoint that keeps to it cannot miss that.
pub(super) fn keeps_to(schema: &Value, value: &Value) -> bool {
    let required = schema["required"].as_array().into_iter().flatten();
    value.is_object()
        && required
            .filter_map(Value::as_str)
            .all(|name| value.get(name).is_some())
}

fn is_one_of(words: &str, key: &str) -> bool {
    words.split(' ').any(|word| word == key)
}

fn tighten(schema: &mut Value) {
    each(schema, &mut |map| {
        map.retain(|key, _| !is_one_of(DROPPED, key));
        if map.contains_key("$ref") {
            map.retain(|key, _| key == "$ref");
        }
        if let Some(choices) = map.remove("oneOf") {
            map.insert("anyOf".into(), choices);
        }
        close(map);
        bound(map);
    });
}

/// Every property is required, and there are no others. A map with free keys cannot be put so, and stays.
fn close(map: &mut Map<String, Value>) {
    let Some(properties) = map.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required = map.get("required").and_then(Value::as_array);
    let mut all: Vec<Value> = required.cloned().unwrap_or_default();
    for name in properties.keys() {
        if !all.iter().any(|known| known == name) {
            all.push(name.as_str().into());
        }
    }
    map.insert("required".into(), all.into());
    if !map
        .get("additionalProperties")
        .is_some_and(Value::is_object)
    {
        map.insert("additionalProperties".into(), false.into());
    }
}

fn bound(map: &mut Map<String, Value>) {
    let is = |kind: &str| match map.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(some)) => some.iter().any(|one| one == kind),
        _ => false,
    };
    let (text, list) = (is("string"), is("array"));
    let fixed = map.contains_key("enum") || map.contains_key("const");
    if text && !fixed {
        let limit = map.entry("maxLength").or_insert(json!(TEXT_MAX));
        if limit.as_u64().is_some_and(|limit| limit > TEXT_MAX) {
            map.remove("maxLength");
        }
    }
    if list {
        map.entry("maxItems").or_insert(json!(ITEMS_MAX));
    }
}

/// Does something to every schema in a schema. Types nest as deep as they were written, so this ends.
fn each(schema: &mut Value, act: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(map) = schema else { return };
    act(map);
    for (key, part) in map.iter_mut() {
        match (key.as_str(), part) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(|schema| each(schema, act));
            }
            ("anyOf" | "allOf" | "prefixItems", Value::Array(some)) => {
                some.iter_mut().for_each(|schema| each(schema, act));
            }
            ("items" | "additionalProperties", schema @ Value::Object(_)) => each(schema, act),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
