//! Settings in layers: merged by figment, which remembers the layer of each value.
//!
//! Takes files, the environment and flags as they come; refuses names that no setting has, and gives values by type.

use std::collections::BTreeMap;
use std::path::Path;

use fathom_workflow::expected_in_words;
use figment::error::Kind;
use figment::providers::Serialized;
use figment::value::{Dict, Map};
use figment::{Figment, Metadata, Profile, Provider};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::keys;
use super::{Environment, FILE};
use crate::exit::{Problem, Result};
use crate::nearest::nearest;

/// The table of how reports are made.
const REPORT: &str = "report.";

/// What a file may set that merely lies in the current folder: how long, how deep and in which form a report is. It may be
/// a stranger's, so that nothing is here that reads a file, opens an address, asks fewer people, spends more or checks less.
const HARMLESS: &[&str] = &[
    "report.depth",
    "report.style",
    "report.target_length",
    "report.citation_style",
    "report.max_sources",
    "report.max_concurrency",
];

/// The table of how answers are made.
const ANSWER: &str = "answer.";

/// The table of the service.
const SERVE: &str = "serve.";

/// Variables that begin so are all ours: an unknown one is a slip.
const OWN_VARIABLES: &str = "FATHOM_REPORT_";

/// A database that other programs are told of too.
const SHARED_DATABASE: &str = "DATABASE_URL";

/// Values from one place.
struct Layer<'a> {
    origin: &'a str,
    /// The path of a single value; nothing where whole tables are given.
    key: Option<&'a str>,
    value: &'a Value,
}

impl Layer<'_> {
    const DEFAULT: &'static str = "default";
}

impl Provider for Layer<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.origin.to_owned())
    }

    fn data(&self) -> std::result::Result<Map<Profile, Dict>, figment::Error> {
        match self.key {
            Some(key) => Serialized::default(key, self.value).data(),
            None => Serialized::defaults(self.value).data(),
        }
    }
}

/// How far a settings file is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Whole,
    /// With what does no harm, whoever wrote it.
    Harmless,
}

/// The layers merged so far, the later over the earlier; unknown names are refused on the way in.
pub(super) struct Layers {
    /// Every setting with its default.
    known: BTreeMap<String, Value>,
    merged: Figment,
    /// Settings of a file in the current folder that were not taken.
    pub(super) ignored: Vec<String>,
}

impl Layers {
    pub(super) fn new() -> Self {
        let defaults = keys::defaults();
        Self {
            known: keys::flatten(&defaults),
            merged: Figment::from(Layer {
                origin: Layer::DEFAULT,
                key: None,
                value: &defaults,
            }),
            ignored: Vec::new(),
        }
    }

    /// Puts one value over the earlier ones.
    pub(super) fn set(&mut self, key: &str, value: &Value, origin: &str) {
        let merged = std::mem::take(&mut self.merged);
        self.merged = merged.merge(Layer {
            origin,
            key: Some(key),
            value,
        });
    }

    /// The path of every setting.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// A setting, or a table of them, as its type.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.merged.extract_inner(name).map_err(|mut error| {
            // figment names the table behind the value in it.
            let table = name.split('.').count().min(error.path.len());
            error.path.rotate_right(table);
            invalid(error)
        })
    }

    /// The file, variable or flag that set it; nothing for a default.
    pub(super) fn origin(&self, name: &str) -> Option<String> {
        let layer = self.merged.find_metadata(name)?;
        (layer.name != Layer::DEFAULT).then(|| layer.name.clone().into_owned())
    }

    /// Refuses a setting of a model or a provider that is no text. Nobody else reads them by type.
    pub(super) fn check_texts(&self) -> Result<()> {
        ["encoder", "model", "providers"]
            .iter()
            .try_for_each(|table| {
                self.get::<BTreeMap<String, Option<String>>>(table)
                    .map(drop)
            })
    }

    /// The file in the data folder, then the one in the current folder.
    pub(super) fn add_found_files(&mut self, home: &Path) -> Result<()> {
        let (own, here) = (home.join(FILE), Path::new(FILE));
        if own.is_file() {
            self.add_file(&own, Trust::Whole)?;
        }
        let same = match (own.canonicalize(), here.canonicalize()) {
            (Ok(own), Ok(here)) => own == here,
            _ => false,
        };
        if here.is_file() && !same {
            self.add_file(here, Trust::Harmless)?;
        }
        Ok(())
    }

    pub(super) fn add_file(&mut self, path: &Path, trust: Trust) -> Result<()> {
        let origin = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Problem::usage(format!(
                "the settings file {origin} cannot be read: {error}"
            ))
        })?;
        let table: toml::Table = toml::from_str(&text).map_err(|error| {
            let error = error.to_string();
            Problem::usage(format!(
                "the settings file {origin} is not TOML: {}",
                error.trim_end()
            ))
        })?;
        let table = serde_json::to_value(table).map_err(Problem::usage)?;
        for (name, value) in keys::flatten(&table) {
            if !self.known.contains_key(&name) {
                return Err(unknown(&name, self.keys(), &origin));
            }
            if trust == Trust::Harmless && !HARMLESS.contains(&name.as_str()) {
                self.ignored.push(name);
                continue;
            }
            self.set(&name, &value, &origin);
        }
        Ok(())
    }

    pub(super) fn add_environment(&mut self, environment: &Environment) -> Result<()> {
        let known: BTreeMap<String, String> = self
            .known
            .keys()
            .map(|key| (keys::variable(key), key.clone()))
            .collect();
        let is_set = |name: &str| environment.get(name).is_some_and(|text| !text.is_empty());
        let shared = environment.get(SHARED_DATABASE);
        // A database of another kind is not ours.
        if let Some(url) = shared.filter(|url| url.starts_with("postgres"))
            && self
                .merged
                .find_metadata("store")
                .is_some_and(|layer| layer.name == Layer::DEFAULT)
        {
            self.set("store", &Value::from(url.as_str()), SHARED_DATABASE);
        }
        for (variable, text) in environment.iter().filter(|(name, _)| is_set(name)) {
            match known.get(variable) {
                Some(key) => {
                    let value = read_as(key, &self.known[key], text);
                    self.set(key, &value, variable);
                }
                None if variable.starts_with(OWN_VARIABLES) => {
                    let known = known.keys().map(String::as_str);
                    return Err(unknown(variable, known, "the environment"));
                }
                None => {}
            }
        }
        Ok(())
    }
}

fn unknown<'k>(name: &str, known: impl Iterator<Item = &'k str>, origin: &str) -> Problem {
    let problem = Problem::usage(format!("unknown setting \"{name}\" in {origin}"));
    match nearest(name, known) {
        Some(near) => problem.advise(format!("Did you mean \"{near}\"?")),
        None => problem.advise("See all settings with: fathom config"),
    }
}

/// A text from the environment as the kind of value that the default is.
fn read_as(key: &str, default: &Value, text: &str) -> Value {
    let read = || serde_json::from_str(text).ok();
    match default {
        Value::Array(_) => read().filter(Value::is_array).unwrap_or_else(|| {
            text.split(',')
                .map(|item| Value::from(item.trim()))
                .collect()
        }),
        Value::Number(_) | Value::Bool(_) => read().unwrap_or_else(|| Value::from(text)),
        // A workflow's settings without a default are numbers; all others are texts, also a key of digits alone.
        Value::Null
            if [REPORT, ANSWER, SERVE]
                .iter()
                .any(|table| key.starts_with(table)) =>
        {
            read().unwrap_or_else(|| Value::from(text))
        }
        Value::Null | Value::String(_) | Value::Object(_) => Value::from(text),
    }
}

/// Says which setting cannot be used, who set it, and what it must be.
fn invalid(error: figment::Error) -> Problem {
    let why = match &error.kind {
        Kind::InvalidType(_, expected) | Kind::InvalidValue(_, expected) => {
            format!("it must be {}", expected_in_words(expected))
        }
        Kind::UnknownVariant(_, known) => format!("choose one of {}", known.join(", ")),
        other => other.to_string(),
    };
    let origin = error
        .metadata
        .map_or_else(String::new, |layer| format!(" in {}", layer.name));
    let name = error.path.join(".");
    Problem::usage(format!("the setting {name}{origin} cannot be used: {why}"))
}
