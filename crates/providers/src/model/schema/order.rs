//! Writes JSON so that the properties of every schema in it stand in the order in which they are required.
//!
//! A model fills a schema in from top to bottom, so what has to be thought first must stand first. `serde_json` keeps
//! its maps sorted by name, and only the list `required` remembers the order of the Rust type.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A value to be written, and the names that go first if it is an object.
pub(in super::super) struct OrderedJson<'a> {
    value: &'a Value,
    first: &'a [Value],
}

impl<'a> OrderedJson<'a> {
    pub(in super::super) fn new(value: &'a Value) -> Self {
        Self { value, first: &[] }
    }

    fn goes_first(&self, name: &str) -> bool {
        self.first.iter().any(|first| first == name)
    }
}

impl Serialize for OrderedJson<'_> {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let map = match self.value {
            Value::Array(items) => return writer.collect_seq(items.iter().map(OrderedJson::new)),
            Value::Object(map) => map,
            other => return other.serialize(writer),
        };
        let required = map.get("required").and_then(Value::as_array);
        let required = required.map_or(&[][..], Vec::as_slice);
        let first = self.first.iter().filter_map(Value::as_str);
        let first = first.filter_map(|name| map.get_key_value(name));
        let rest = map.iter().filter(|(name, _)| !self.goes_first(name));
        writer.collect_map(first.chain(rest).map(|(name, value)| {
            let first = if name == "properties" { required } else { &[] };
            (name, OrderedJson { value, first })
        }))
    }
}
