//! Settings: defaults, then `fathom.toml`, then the environment, then flags; each value knows where it came from.
//!
//! A `fathom.toml` that merely lies in the folder where one stands may change how reports are made and nothing else:
//! it may be a stranger's, and an address in it would get one's keys.
//!
//! Takes what a command was given; gives typed values. The names are in `keys`; what they mean is said by those who
//! use them. The environment is read here and nowhere else.

mod keys;
mod place;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use fathom_research as research;
use serde_json::Value;

use crate::exit::{Problem, Result};
use crate::nearest::nearest;
use keys::Key;

pub use place::Place;

const FILE: &str = "fathom.toml";

/// Names the settings file, as `--config` does.
const FILE_VARIABLE: &str = "FATHOM_CONFIG";

/// What a settings file may set that nobody named.
const OPEN_TABLE: &str = "report.";

/// Variables that begin so are all ours: one that is no setting is a slip.
const OWN_VARIABLES: &str = "FATHOM_REPORT_";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(variable) => f.write_str(variable),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A value that a flag gave.
pub struct Flag {
    pub setting: &'static str,
    pub flag: &'static str,
    pub value: Value,
}

/// A setting as `fathom config` shows it.
pub struct Shown {
    pub name: String,
    pub value: String,
    pub origin: Origin,
}

pub struct Settings {
    pub home: PathBuf,
    home_origin: Origin,
    pub store: Place,
    pub ttl: Duration,
    /// How long a run stays a process's own after it has died.
    pub lease: Duration,
    /// How long results of searches are kept; for no time at all, none are.
    pub search_kept: Duration,
    pub depth: research::AskedDepth,
    pub style: research::Style,
    pub report: research::Settings,
    values: BTreeMap<String, (Value, Origin)>,
    known: Vec<Key>,
}

/// Where values come from outside: the environment, or a test's own.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Settings {
    /// Of this process.
    pub fn load(file: Option<&Path>, flags: Vec<Flag>) -> Result<Self> {
        let own = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let own = own.filter(|name| name.starts_with(OWN_VARIABLES)).collect();
        Self::merge(file, &|name| std::env::var(name).ok(), own, flags)
    }

    fn merge(
        file: Option<&Path>,
        environment: Lookup<'_>,
        own_variables: Vec<String>,
        flags: Vec<Flag>,
    ) -> Result<Self> {
        let (home, home_origin) = place::home(environment)?;
        let known = keys::all();
        let mut layers = Layers {
            known: &known,
            values: BTreeMap::new(),
        };
        let named = environment(FILE_VARIABLE).filter(|path| !path.is_empty());
        let named = named.map(PathBuf::from);
        match file.or(named.as_deref()) {
            Some(path) => layers.take_file(path, Trust::Whole)?,
            None => layers.take_found_files(&home)?,
        }
        layers.take_environment(environment, &own_variables)?;
        for Flag {
            setting,
            flag,
            value,
        } in flags
        {
            layers.set(setting, value, Origin::Flag(flag))?;
        }
        let values = layers.values;
        let of = |name: &str| values.get(name).map(|(value, _)| value.clone());
        let seconds = |name: &str, unit: u64, otherwise: u64| {
            let given = of(name).and_then(|value| value.as_u64());
            Duration::from_secs(given.unwrap_or(otherwise).saturating_mul(unit))
        };
        Ok(Self {
            store: place::store(of("store").as_ref(), &home)?,
            home,
            home_origin,
            ttl: seconds("ttl_hours", 3_600, 24),
            lease: seconds("lease_s", 1, 10).max(Duration::from_secs(1)),
            search_kept: seconds("search.cache_ttl_s", 1, keys::SEARCH_KEPT_S),
            depth: word(of("report.depth"))?,
            style: word(of("report.style"))?,
            report: report(&values)?,
            values,
            known,
        })
    }

    /// A provider's setting by the name of its variable: from the environment, else from the file.
    pub fn lookup(&self, variable: &str) -> Option<String> {
        let known = self.known.iter().find(|key| key.variable == variable);
        match known {
            Some(key) => match self.values.get(&key.name)? {
                (Value::String(text), _) => Some(text.clone()),
                (other, _) => Some(other.to_string()),
            },
            None => std::env::var(variable).ok(),
        }
    }

    /// Every setting, secrets only as "set".
    pub fn shown(&self) -> Vec<Shown> {
        let home = Shown {
            name: "home".to_owned(),
            value: self.home.display().to_string(),
            origin: self.home_origin.clone(),
        };
        let rest = self.known.iter().map(|key| {
            let (value, origin) = match self.values.get(&key.name) {
                Some((value, origin)) => (value, origin.clone()),
                None => (&key.default, Origin::Default),
            };
            let value = match (key.name.as_str(), value) {
                ("store", _) => self.store.to_string(),
                (_, Value::Null) => "–".to_owned(),
                _ if key.secret => "set".to_owned(),
                (_, value) => in_brief(value),
            };
            Shown {
                name: key.name.clone(),
                value,
                origin,
            }
        });
        std::iter::once(home).chain(rest).collect()
    }
}

/// The settings of the report, those that are given in the place of the defaults.
fn report(values: &BTreeMap<String, (Value, Origin)>) -> Result<research::Settings> {
    let mut report = keys::report_defaults();
    for (name, (value, _)) in values {
        match name.strip_prefix("report.") {
            Some("depth" | "style") | None => {}
            Some(path) => keys::put(&mut report, path, value.clone()),
        }
    }
    serde_json::from_value(report).map_err(Problem::usage)
}

fn word<T: FromStr<Err = impl fmt::Display> + Default>(given: Option<Value>) -> Result<T> {
    match given.as_ref().and_then(Value::as_str) {
        Some(word) => word.parse().map_err(Problem::usage),
        None => Ok(T::default()),
    }
}

fn in_brief(value: &Value) -> String {
    const ITEMS_SHOWN: usize = 4;
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.len() > ITEMS_SHOWN => format!("[{} items]", items.len()),
        // Some defaults are stored in single precision, whose digits beyond the seventh are noise.
        Value::Number(number) if number.is_f64() => {
            let rounded = format!("{:.6}", number.as_f64().unwrap_or_default());
            rounded
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// Values as they are found, the later over the earlier, each checked on the way in.
struct Layers<'k> {
    known: &'k [Key],
    values: BTreeMap<String, (Value, Origin)>,
}

/// How far a settings file is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Whole,
    /// With the table `[report]` alone.
    Report,
}

impl Layers<'_> {
    /// The file in the data folder, then the one where one stands.
    fn take_found_files(&mut self, home: &Path) -> Result<()> {
        let (own, here) = (home.join(FILE), Path::new(FILE));
        if own.is_file() {
            self.take_file(&own, Trust::Whole)?;
        }
        let same = match (own.canonicalize(), here.canonicalize()) {
            (Ok(own), Ok(here)) => own == here,
            _ => false,
        };
        match here.is_file() && !same {
            true => self.take_file(here, Trust::Report),
            false => Ok(()),
        }
    }

    fn take_file(&mut self, path: &Path, trust: Trust) -> Result<()> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Problem::usage(format!("{} cannot be read: {error}", path.display()))
        })?;
        let table: toml::Table = toml::from_str(&text).map_err(|error| {
            let error = error.to_string();
            Problem::usage(format!(
                "{} is not TOML: {}",
                path.display(),
                error.trim_end()
            ))
        })?;
        let table = serde_json::to_value(table).map_err(Problem::usage)?;
        let mut leaves = Vec::new();
        keys::flatten("", &table, &mut leaves);
        for (name, value) in leaves {
            if trust == Trust::Report && !name.starts_with(OPEN_TABLE) {
                return Err(untrusted(&name, path));
            }
            self.set(&name, value, Origin::File(path.to_owned()))?;
        }
        Ok(())
    }

    fn take_environment(&mut self, environment: Lookup<'_>, own: &[String]) -> Result<()> {
        for variable in own {
            if self.known.iter().all(|key| key.variable != *variable) {
                let known = self.known.iter().map(|key| key.variable.as_str());
                return Err(unknown(variable, known, "the environment"));
            }
        }
        let known = self.known;
        for key in known {
            if let Some(text) = environment(&key.variable).filter(|text| !text.is_empty()) {
                let value = read_as(&key.default, &text);
                self.set(&key.name, value, Origin::Environment(key.variable.clone()))?;
            }
        }
        match place::shared_database(environment) {
            Some(url) if !self.values.contains_key("store") => {
                let origin = Origin::Environment("DATABASE_URL".to_owned());
                self.set("store", Value::from(url), origin)
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, name: &str, value: Value, origin: Origin) -> Result<()> {
        let Some(key) = self.known.iter().find(|key| key.name == name) else {
            let known = self.known.iter().map(|key| key.name.as_str());
            return Err(unknown(name, known, &origin.to_string()));
        };
        check(key, &value).map_err(|why| {
            let shown = if key.secret {
                "the value".to_owned()
            } else {
                value.to_string()
            };
            Problem::usage(format!(
                "the setting {name} in {origin} cannot be {shown}: {why}"
            ))
        })?;
        self.values.insert(name.to_owned(), (value, origin));
        Ok(())
    }
}

fn untrusted(name: &str, path: &Path) -> Problem {
    let path = path.display();
    Problem::usage(format!(
        "{path} in this folder sets \"{name}\", but a file that nobody named may set [report] alone"
    ))
    .advise(format!(
        "If it is yours, name it: --config ./{path} or {FILE_VARIABLE}=./{path}, or move it to FATHOM_HOME"
    ))
}

fn unknown<'k>(name: &str, known: impl Iterator<Item = &'k str>, place: &str) -> Problem {
    let problem = Problem::usage(format!(
        "there is no setting \"{name}\", which {place} gives"
    ));
    match nearest(name, known) {
        Some(near) => problem.advise(format!("Did you mean \"{near}\"?")),
        None => problem.advise("See all settings with: fathom config"),
    }
}

/// A text from the environment as the kind of value that the default is.
fn read_as(default: &Value, text: &str) -> Value {
    match default {
        Value::Array(_) => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => list,
            _ => {
                let items = text.split(',').map(|item| Value::from(item.trim()));
                items.collect()
            }
        },
        Value::Number(_) | Value::Bool(_) | Value::Null => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
        }
        Value::String(_) | Value::Object(_) => Value::from(text),
    }
}

/// Whether the value fits, by trying it in its place.
fn check(key: &Key, value: &Value) -> std::result::Result<(), String> {
    let text = value.as_str();
    match key.name.strip_prefix("report.") {
        Some("depth") => match text.map(str::parse::<research::AskedDepth>) {
            Some(Ok(_)) => Ok(()),
            _ => Err("choose quick, standard, comprehensive or auto".to_owned()),
        },
        Some("style") => match text.map(str::parse::<research::Style>) {
            Some(Ok(_)) => Ok(()),
            _ => Err("choose academic, technical or executive".to_owned()),
        },
        Some(path) => {
            let mut all = keys::report_defaults();
            keys::put(&mut all, path, value.clone());
            let tried = serde_json::from_value::<research::Settings>(all);
            tried.map(drop).map_err(|error| error.to_string())
        }
        None if key.default.is_number() => match value.is_u64() {
            true => Ok(()),
            false => Err("it must be a whole number".to_owned()),
        },
        None => match text {
            Some(_) => Ok(()),
            None => Err("it must be a text".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests;
