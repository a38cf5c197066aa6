//! Every setting by its path in `fathom.toml`, such as `report.target_length`: its default, the environment variable
//! that sets it, and whether it is a secret.

use std::collections::BTreeMap;

use fathom_providers::model::{ModelRole, RoleSettings};
use fathom_research as research;
use serde_json::{Map, Value, json};

/// Providers that ask for a key, as their keys are called in the environment.
const PROVIDER_KEYS: &[&str] = &[
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "NEWS_API_KEY",
    "GITHUB_TOKEN",
    "SEMANTIC_SCHOLAR_API_KEY",
    "OPENALEX_API_KEY",
    "NCBI_API_KEY",
];

/// Other settings of providers: an address each, then the order in which they are asked, by kind of source.
const PROVIDER_SETTINGS: &[&str] = &[
    "serper_url",
    "tavily_url",
    "brave_url",
    "searxng_url",
    "semantic_scholar_url",
    "openalex_url",
    "crossref_url",
    "datacite_url",
    "pubmed_url",
    "arxiv_url",
    "newsapi_url",
    "gdelt_url",
    "github_url",
    "wikipedia_url",
    "search_web",
    "search_academic",
    "search_news",
    "search_code",
    "search_encyclopaedia",
    "contact",
    "fetch_allow",
];

/// All settings with their defaults, in nested tables. A setting without a default is `null`.
pub fn defaults() -> Value {
    let keys = PROVIDER_KEYS.iter().map(|name| name.to_lowercase());
    let others = PROVIDER_SETTINGS.iter().map(|name| (*name).to_owned());
    let providers: Map<String, Value> =
        keys.chain(others).map(|name| (name, Value::Null)).collect();
    let roles = ModelRole::ALL.iter();
    let roles: Map<String, Value> = roles
        .map(|role| {
            (
                role.as_str().to_owned(),
                json!(RoleSettings::for_role(*role)),
            )
        })
        .collect();
    let mut report = json!(research::Settings::default());
    report["depth"] = json!(research::AskedDepth::default());
    report["style"] = json!(research::ReportStyle::default());
    json!({
        "store": null,
        "ttl_hours": 720,
        "lease_s": 30,
        "model": {
            "name": null,
            "base_url": null,
            "api_key": null,
            "anthropic_name": null,
            "anthropic_base_url": null,
            "anthropic_api_key": null,
            "prices": null,
            "servers": "ollama:11434,lm-studio:1234,llama.cpp:8080,vllm:8000",
        },
        "roles": roles,
        "encoder": {
            "kind": "file",
            "url": null,
            "model": null,
            "api_key": null,
            "files_url": null,
        },
        "providers": providers,
        "serve": {
            "listen": "127.0.0.1:7575",
            "workers": 16,
            "max_queue": 100,
            "max_body_bytes": 1024 * 1024,
            "max_upload_bytes": 64 * 1024 * 1024,
            "max_library_documents": 1_000,
            "max_libraries": 100,
            "max_owner_bytes": 1024 * 1024 * 1024,
            "max_uploads": 8,
            "max_connections": 2_000,
            "heartbeat_s": 15,
            "client_timeout_s": 45,
            "hosts": [],
            "traces_url": null,
            "owner_max_runs": null,
            "owner_max_tokens": null,
            "owner_run_tokens": 200_000,
            "owner_run_cost_micros": 1_000_000,
            "owner_max_cost_micros": null,
        },
        "search": { "cache_ttl_s": 24 * 60 * 60 },
        "calls": { "models_at_once": 32, "searches_at_once": 16 },
        "library": { "unnamed_ttl_days": 30 },
        "answer": research::workflows::answer::AnswerSettings::default(),
        "report": report,
        "ask": research::AskSettings::default(),
        "appraise": { "caps": research::settings::Caps::default() },
    })
}

/// The environment variable that sets it. Names that other programs use too are kept.
pub fn variable(key: &str) -> String {
    let name = match key {
        "model.name" => "FATHOM_MODEL",
        "model.base_url" => "OPENAI_BASE_URL",
        "model.api_key" => "OPENAI_API_KEY",
        "model.anthropic_name" => "FATHOM_ANTHROPIC_MODEL",
        "model.anthropic_base_url" => "ANTHROPIC_BASE_URL",
        "model.anthropic_api_key" => "ANTHROPIC_API_KEY",
        "answer.max_iters" => "RESEARCH_MAX_ITERS",
        "answer.max_queries" => "RESEARCH_MAX_QUERIES",
        "answer.max_sources" => "RESEARCH_MAX_SOURCES",
        "answer.max_execution_time_s" => "RESEARCH_MAX_EXECUTION_TIME_S",
        "answer.token_budget" => "RESEARCH_TOKEN_BUDGET",
        other => {
            let name = other.strip_prefix("providers.").unwrap_or(other);
            let name = name.replace('.', "_").to_uppercase();
            let kept = PROVIDER_KEYS.contains(&name.as_str());
            return if kept { name } else { format!("FATHOM_{name}") };
        }
    };
    name.to_owned()
}

/// Whether the value may never be shown.
pub fn is_secret(key: &str) -> bool {
    key.ends_with("_key") || key.ends_with("_token")
}

/// Every value that is not itself a table, by its path.
pub fn flatten(tables: &Value) -> BTreeMap<String, Value> {
    let mut leaves = BTreeMap::new();
    let mut rest = vec![(String::new(), tables)];
    while let Some((path, value)) = rest.pop() {
        match value {
            Value::Object(fields) => rest.extend(fields.iter().map(|(name, value)| {
                let dot = if path.is_empty() { "" } else { "." };
                (format!("{path}{dot}{name}"), value)
            })),
            leaf => {
                leaves.insert(path, leaf.clone());
            }
        }
    }
    leaves
}
