//! Breakpoints as people write them, and the sentences that say what is wrong with one.

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{Breakpoint, Condition, Moment, Part, Step, StopPlace, WAIT_S};

/// What is wrong with a breakpoint, and how to write it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It does not begin with `before` or `after`.
    #[error("\"{0}\" is no place; write it as: before write, or: after search")]
    Place(String),
    /// It names no step that a run can be stopped at.
    #[error(
        "there is no step \"{0}\"; choose plan, search, analyse, write, check, review or output"
    )]
    Step(String),
    /// After the last step there is nothing left to stop.
    #[error("after output the report is out already; write: before output")]
    TooLate,
    /// A comparison has no sign such as `<`.
    #[error("\"{0}\" is no comparison; write it as: sources < 5, with <, <=, =, >= or >")]
    Comparison(String),
    /// A comparison names no figure of a run.
    #[error("there is no figure \"{name}\" to compare; choose {known}")]
    Figure {
        /// As it was given.
        name: String,
        /// The names of all figures.
        known: String,
    },
    /// What a figure is compared with is no finite number.
    #[error("\"{0}\" is no number")]
    Number(String),
}

impl fmt::Display for StopPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.moment, self.step)
    }
}

impl FromStr for StopPlace {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let mut words = text.split_whitespace();
        let misplaced = || Malformed::Place(text.trim().to_owned());
        let (Some(moment), Some(step), None) = (words.next(), words.next(), words.next()) else {
            return Err(misplaced());
        };
        let moment = moment.parse().map_err(|_| misplaced())?;
        let step = step.parse().map_err(|_| Malformed::Step(step.to_owned()))?;
        match (moment, step) {
            (Moment::After, Step::Output) => Err(Malformed::TooLate),
            _ => Ok(Self { moment, step }),
        }
    }
}

impl TryFrom<String> for StopPlace {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        text.parse()
    }
}

impl From<StopPlace> for String {
    fn from(place: StopPlace) -> Self {
        place.to_string()
    }
}

impl FromStr for Breakpoint {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (place, when) = match text.split_once(" if ") {
            Some((place, condition)) => (place, Some(condition.parse::<Condition>()?)),
            None => (text, None),
        };
        Ok(Self {
            when,
            ..Self::new(place.parse()?)
        })
    }
}

impl<'de> Deserialize<'de> for Breakpoint {
    /// Reads what a run keeps: fields of another version are passed over.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BreakpointVisitor {
            refuse_unknown: false,
        })
    }
}

/// A breakpoint as a person writes it into settings. An unknown field is a slip there, and is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenBreakpoint(pub Breakpoint);

impl<'de> Deserialize<'de> for WrittenBreakpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let strict = BreakpointVisitor {
            refuse_unknown: true,
        };
        deserializer.deserialize_any(strict).map(Self)
    }
}

/// Reads a sentence or a table.
struct BreakpointVisitor {
    refuse_unknown: bool,
}

impl<'de> Visitor<'de> for BreakpointVisitor {
    type Value = Breakpoint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a breakpoint such as \"after search if sources < 5\", or a table with at, when, timeout_s and show")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Breakpoint, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Breakpoint, A::Error> {
        let fields = Map::deserialize(MapAccessDeserializer::new(map))?;
        let unknown = fields.keys().find(|name| !FIELDS.contains(&name.as_str()));
        if let Some(name) = unknown.filter(|_| self.refuse_unknown) {
            let why = format!("unknown field `{name}`; choose `at`, `when`, `timeout_s` or `show`");
            return Err(A::Error::custom(why));
        }
        let table = Table::deserialize(Value::Object(fields)).map_err(A::Error::custom)?;
        Ok(Breakpoint {
            at: table.at,
            when: table.when,
            timeout_s: table.timeout_s,
            show: table.show,
        })
    }
}

/// The names of a table's fields.
const FIELDS: [&str; 4] = ["at", "when", "timeout_s", "show"];

#[derive(Deserialize)]
struct Table {
    at: StopPlace,
    #[serde(default)]
    when: Option<Condition>,
    #[serde(default = "wait_s")]
    timeout_s: u64,
    #[serde(default)]
    show: Vec<Part>,
}

fn wait_s() -> u64 {
    WAIT_S
}
