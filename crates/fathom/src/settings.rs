//! Settings: defaults, then `fathom.toml`, then the environment, then flags; each value knows where it came from.
//!
//! A `fathom.toml` that merely lies in the current folder may change how long and in which form reports are, and nothing
//! else: it may be a stranger's, and an address in it would receive the user's keys. What it sets besides is ignored by name.
//!
//! Takes what a command was given; gives typed values. The names are in `keys`, the merging in `layers`. The environment
//! is read here and nowhere else.

mod keys;
mod layers;
mod location;
mod prices;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_providers::model::{ModelPrices, ModelRole, RoleSettings};
use fathom_research as research;
use fathom_research::workflows::answer::AnswerSettings;
use fathom_research::workflows::report::breakpoint::WrittenBreakpoint;
use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::{Problem, Result};
use crate::http::ServeLimits;
use layers::{Layers, Trust};

pub use location::StoreLocation;

const FILE: &str = "fathom.toml";

/// Names the settings file, as `--config` does.
const FILE_VARIABLE: &str = "FATHOM_CONFIG";

/// The variables of the environment.
type Environment = BTreeMap<String, String>;

/// What the flags of a command say about settings.
#[derive(Default)]
pub struct FlagValues {
    table: &'static str,
    given: Vec<FlagValue>,
}

/// A setting's path, such as `report.target_length`, what was given, and the flag as it is typed: `--length`.
type FlagValue = (String, Value, &'static str);

impl FlagValues {
    /// The flags that follow are for settings of this table.
    pub fn table(self, table: &'static str) -> Self {
        Self { table, ..self }
    }

    /// Takes a flag in, unless it was left out: then it has no value, an empty list or `false`.
    pub fn flag(self, name: &str, flag: &'static str, value: impl Serialize) -> Self {
        let value = json!(value);
        match &value {
            Value::Null | Value::Bool(false) => self,
            Value::Array(list) if list.is_empty() => self,
            _ => self.set(name, flag, value),
        }
    }

    /// Takes a value in, whatever it is.
    pub fn set(mut self, name: &str, flag: &'static str, value: Value) -> Self {
        let setting = format!("{}.{name}", self.table);
        self.given.push((setting, value, flag));
        self
    }
}

/// A setting as `fathom config` shows it.
pub struct ShownSetting {
    /// Its path.
    pub name: String,
    /// Its value in brief; a secret is only "set".
    pub value: String,
    /// The file, variable or flag that set it; nothing for a default.
    pub origin: Option<String>,
}

/// All settings of this process, merged and checked.
pub struct Settings {
    /// The data folder.
    pub home: PathBuf,
    home_origin: Option<String>,
    /// Where runs are kept.
    pub store: StoreLocation,
    /// How long finished runs are kept.
    pub ttl: Duration,
    /// How long a run stays a process's own after the process has died.
    pub lease: Duration,
    /// How long search results are kept; zero keeps none.
    pub search_kept: Duration,
    /// Calls of one model that are under way at once, of all runs.
    pub model_calls_at_once: usize,
    /// Calls of one search provider that are under way at once, of all runs.
    pub searches_at_once: usize,
    /// How long the index of folders that have no name is kept after its last use.
    pub unnamed_kept: Duration,
    /// Where the service listens.
    pub listen: String,
    /// The collector that traces of the service's runs are sent to.
    pub traces_url: Option<String>,
    /// The bounds of the service.
    pub serve: ServeLimits,
    /// How far a report goes.
    pub depth: research::AskedDepth,
    /// How a report is written.
    pub style: research::ReportStyle,
    /// The settings of the report workflow.
    pub report: research::Settings,
    /// How each role of a language model is asked.
    pub roles: BTreeMap<ModelRole, RoleSettings>,
    /// What the tokens of models cost.
    pub prices: ModelPrices,
    /// The settings of the workflow `ask`.
    pub ask: research::AskSettings,
    /// The settings of the answer workflow.
    pub answer: AnswerSettings,
    /// What an appraisal may spend on a model.
    pub appraise_caps: research::settings::Caps,
    layers: Layers,
}

impl Settings {
    /// The settings of this process.
    pub fn load(file: Option<&Path>, flags: FlagValues) -> Result<Self> {
        let variables = std::env::vars_os();
        let texts = variables.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::merge(file, &texts.collect(), flags)
    }

    fn merge(file: Option<&Path>, environment: &Environment, flags: FlagValues) -> Result<Self> {
        let (home, home_origin) = location::home(environment)?;
        let mut layers = Layers::new();
        let named = environment
            .get(FILE_VARIABLE)
            .filter(|path| !path.is_empty());
        match file.or(named.map(Path::new)) {
            Some(path) => layers.add_file(path, Trust::Whole)?,
            None => layers.add_found_files(&home)?,
        }
        layers.add_environment(environment)?;
        for (setting, value, flag) in flags.given {
            layers.set(&setting, &value, flag);
        }
        layers.check_texts()?;
        // A stored run tolerates fields that it does not know; a person's settings do not.
        layers.get::<Vec<WrittenBreakpoint>>("report.people.breakpoints")?;
        let report: research::Settings = layers.get("report")?;
        report.check().map_err(|fault| {
            let name = format!("report.{}", fault.setting);
            let origin = layers.origin(&name).map(|origin| format!(" in {origin}"));
            let (origin, why) = (origin.unwrap_or_default(), fault.why);
            Problem::usage(format!("the setting {name}{origin} cannot be used: {why}"))
        })?;
        let prices: Option<String> = layers.get("model.prices")?;
        let prices = prices::parse(prices.as_deref().unwrap_or_default())?;
        let seconds = |name: &str| layers.get(name).map(Duration::from_secs);
        let at_least_one = |name: &str| layers.get(name).map(|count: usize| count.max(1));
        let store: Option<String> = layers.get("store")?;
        Ok(Self {
            store: match store {
                Some(text) => StoreLocation::parse(&text)?,
                None => StoreLocation::Sqlite(home.join("runs.db")),
            },
            home,
            home_origin,
            ttl: seconds("ttl_hours")?.saturating_mul(3_600),
            lease: seconds("lease_s")?.max(Duration::from_secs(1)),
            search_kept: seconds("search.cache_ttl_s")?,
            model_calls_at_once: at_least_one("calls.models_at_once")?,
            searches_at_once: at_least_one("calls.searches_at_once")?,
            unnamed_kept: seconds("library.unnamed_ttl_days")?.saturating_mul(24 * 3_600),
            listen: layers.get("serve.listen")?,
            traces_url: layers.get("serve.traces_url")?,
            serve: layers.get("serve")?,
            depth: layers.get("report.depth")?,
            style: layers.get("report.style")?,
            report,
            roles: layers.get("roles")?,
            prices,
            ask: layers.get("ask")?,
            answer: layers.get("answer")?,
            appraise_caps: layers.get("appraise.caps")?,
            layers,
        })
    }

    /// What was ignored of a settings file that merely lies in the current folder, in a sentence; nothing where all was
    /// taken.
    pub fn ignored(&self) -> Option<String> {
        let ignored = &self.layers.ignored;
        let names = || ignored.join(", ");
        (!ignored.is_empty()).then(|| {
            format!(
                "Ignored in the {FILE} of this folder: {}. If it is yours, name it: --config ./{FILE}, or move it to FATHOM_HOME.",
                names()
            )
        })
    }

    /// A provider's setting by the name of its variable, wherever it was set.
    pub fn lookup(&self, variable: &str) -> Option<String> {
        let mut known = self.layers.keys();
        match known.find(|key| keys::variable(key) == variable) {
            Some(key) => self.layers.get(key).ok()?,
            None => std::env::var(variable).ok(),
        }
    }

    /// Every setting, secrets only as "set".
    pub fn shown(&self) -> Vec<ShownSetting> {
        let home = ShownSetting {
            name: "home".to_owned(),
            value: self.home.display().to_string(),
            origin: self.home_origin.clone(),
        };
        let rest = self.layers.keys().map(|name| ShownSetting {
            name: name.to_owned(),
            value: match self.layers.get(name).unwrap_or(Value::Null) {
                _ if name == "store" => self.store.to_string(),
                Value::Null => "–".to_owned(),
                _ if keys::is_secret(name) => "set".to_owned(),
                value => in_brief(&value),
            },
            origin: self.layers.origin(name),
        });
        std::iter::once(home).chain(rest).collect()
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
            let rounded = rounded.trim_end_matches('0');
            rounded.trim_end_matches('.').to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
