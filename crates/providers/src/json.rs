//! JSON as providers' answers are read: a tree whose texts and names lie in the answer itself.
//!
//! Takes the text of an answer by way of `serde_json`; gives a [`Json`] with those doors of `serde_json::Value` that
//! readers need. It copies only texts with escapes in them, and a field that is missing is null. What a field plainly
//! means is `lenient`; broken JSON is `search::answer`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    /// In the order of the answer. Of a name that is there twice, the last counts.
    Fields(Vec<(Cow<'a, str>, Json<'a>)>),
}

static NULL: Json<'static> = Json::Null;

impl<'a> Json<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let mut fields = self.fields().iter().rev();
        fields.find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// What is found by going down these names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The fields of an object; none of anything else.
    pub(crate) fn fields(&self) -> &[(Cow<'a, str>, Self)] {
        match self {
            Self::Fields(fields) => fields,
            _ => &[],
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The same apart from the answer that it was read from.
    pub(crate) fn into_owned(self) -> Json<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Json::Null,
            Self::Bool(yes) => Json::Bool(yes),
            Self::Number(number) => Json::Number(number),
            Self::Text(text) => Json::Text(own(text)),
            Self::List(items) => Json::List(items.into_iter().map(Self::into_owned).collect()),
            Self::Fields(fields) => {
                let fields = fields.into_iter();
                let fields = fields.map(|(name, value)| (own(name), value.into_owned()));
                Json::Fields(fields.collect())
            }
        }
    }
}

impl<'a> Index<&str> for Json<'a> {
    type Output = Json<'a>;

    fn index(&self, name: &str) -> &Self::Output {
        self.get(name).unwrap_or(&NULL)
    }
}

impl PartialEq<str> for Json<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Json<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(yes))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some((Name(name), value)) = entries.next_entry()? {
            fields.push((name, value));
        }
        Ok(Json::Fields(fields))
    }
}

/// The name of a field, which `Cow` alone would copy.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(Named)
    }
}

struct Named;

impl<'de> Visitor<'de> for Named {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// The same as `serde_json` has it.
    fn value(json: &Json<'_>) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(yes) => Value::Bool(*yes),
            Json::Number(number) => Value::Number(number.clone()),
            Json::Text(text) => Value::String(text.to_string()),
            Json::List(items) => items.iter().map(value).collect(),
            Json::Fields(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, field)| (name.to_string(), value(field)));
                Value::Object(fields.collect())
            }
        }
    }

    #[test]
    fn texts_and_names_lie_in_the_answer_unless_they_hold_escapes() {
        let json: Json<'_> = serde_json::from_str(r#"{"a": "one", "\u0062": "t\no"}"#).unwrap();
        let fields = json.fields();
        assert!(matches!(
            fields[0],
            (Cow::Borrowed("a"), Json::Text(Cow::Borrowed("one")))
        ));
        assert_eq!(json["b"], "t\no");
        assert_eq!(json.clone().into_owned(), json);
    }

    #[test]
    fn what_is_missing_is_null_and_the_last_of_two_counts() {
        let json: Json<'_> = serde_json::from_str(r#"{"a": 1, "a": {"b": true}}"#).unwrap();
        assert_eq!(json["a"]["b"], Json::Bool(true));
        assert!(json["none"]["deeper"].is_null() && json.get("none").is_none());
        assert_eq!(json.at(&["a", "b"]), Some(&Json::Bool(true)));
        assert_eq!(json.at(&["a", "c"]), None);
    }

    proptest! {
        #[test]
        fn it_reads_and_refuses_what_serde_json_does(text in r#"[\[\]{}:,"a\\u0019é .eE+-]{0,40}"#) {
            let ours = serde_json::from_str::<Json<'_>>(&text).ok();
            let theirs = serde_json::from_str::<Value>(&text).ok();
            prop_assert_eq!(ours.as_ref().map(value), theirs);
        }
    }
}
