//! Every setting by name: its variable in the environment, its default, and whether it is a secret.

use fathom_research as research;
use serde_json::{Map, Value, json};

/// A setting that can be given.
pub struct Key {
    /// As in `fathom.toml`, its tables before it: `report.target_length`.
    pub name: String,
    pub variable: String,
    pub default: Value,
    pub secret: bool,
}

/// Keys of providers that stand in the environment under names of their own.
const SECRETS: &[&str] = &[
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "NEWS_API_KEY",
    "GITHUB_TOKEN",
    "SEMANTIC_SCHOLAR_API_KEY",
    "OPENALEX_API_KEY",
    "NCBI_API_KEY",
];

/// Providers whose address can be set.
const ADDRESSES: &[&str] = &[
    "serper",
    "tavily",
    "brave",
    "searxng",
    "semantic_scholar",
    "openalex",
    "crossref",
    "pubmed",
    "arxiv",
    "newsapi",
    "gdelt",
    "github",
    "wikipedia",
];

/// Kinds of sources for which the order of providers can be set.
const KINDS: &[&str] = &["web", "academic", "news", "code", "encyclopaedia"];

/// How long results of searches are kept.
pub const SEARCH_KEPT_S: u64 = 24 * 60 * 60;

/// All settings, in the order in which they are shown.
pub fn all() -> Vec<Key> {
    let mut keys = vec![
        key("store", "FATHOM_STORE", Value::Null),
        key("ttl_hours", "FATHOM_TTL_HOURS", json!(24)),
        key("lease_s", "FATHOM_LEASE_S", json!(10)),
        key("model.name", "FATHOM_MODEL", Value::Null),
        key("model.base_url", "OPENAI_BASE_URL", Value::Null),
        secret("model.api_key", "OPENAI_API_KEY"),
        key(
            "model.anthropic_name",
            "FATHOM_ANTHROPIC_MODEL",
            Value::Null,
        ),
        key(
            "model.anthropic_base_url",
            "ANTHROPIC_BASE_URL",
            Value::Null,
        ),
        secret("model.anthropic_api_key", "ANTHROPIC_API_KEY"),
    ];
    keys.extend(SECRETS.iter().map(|variable| {
        let name = format!("providers.{}", variable.to_lowercase());
        secret(&name, variable)
    }));
    keys.extend(ADDRESSES.iter().map(|provider| {
        let variable = format!("FATHOM_{}_URL", provider.to_uppercase());
        key(&format!("providers.{provider}_url"), &variable, Value::Null)
    }));
    keys.extend(KINDS.iter().map(|kind| {
        let variable = format!("FATHOM_SEARCH_{}", kind.to_uppercase());
        key(&format!("providers.search_{kind}"), &variable, Value::Null)
    }));
    keys.push(key("providers.contact", "FATHOM_CONTACT", Value::Null));
    keys.push(key(
        "providers.fetch_allow",
        "FATHOM_FETCH_ALLOW",
        Value::Null,
    ));
    keys.push(key(
        "search.cache_ttl_s",
        "FATHOM_SEARCH_CACHE_TTL_S",
        json!(SEARCH_KEPT_S),
    ));
    keys.extend(report());
    keys
}

/// Those of a report, as the method itself names them.
fn report() -> Vec<Key> {
    let mut leaves = vec![
        ("depth".to_owned(), json!(research::AskedDepth::default())),
        ("style".to_owned(), json!(research::Style::default())),
    ];
    flatten("", &report_defaults(), &mut leaves);
    let named = leaves.into_iter().map(|(leaf, default)| {
        let variable = leaf.replace('.', "_").to_uppercase();
        key(
            &format!("report.{leaf}"),
            &format!("FATHOM_REPORT_{variable}"),
            default,
        )
    });
    named.collect()
}

/// The method's own defaults.
pub fn report_defaults() -> Value {
    // A struct of numbers, words and lists is always JSON.
    serde_json::to_value(research::Settings::default()).unwrap_or_default()
}

/// Every value that is not itself a table, with its path.
pub fn flatten(path: &str, value: &Value, leaves: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                flatten(&path, value, leaves);
            }
        }
        leaf => leaves.push((path.to_owned(), leaf.clone())),
    }
}

/// Puts a value in its place among nested tables.
pub fn put(tables: &mut Value, path: &str, value: Value) {
    let mut at = tables;
    for part in path.split('.') {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        at = &mut at[part];
    }
    *at = value;
}

fn key(name: &str, variable: &str, default: Value) -> Key {
    Key {
        name: name.to_owned(),
        variable: variable.to_owned(),
        default,
        secret: false,
    }
}

fn secret(name: &str, variable: &str) -> Key {
    Key {
        secret: true,
        ..key(name, variable, Value::Null)
    }
}
