//! The settings of search, in plain data. Reading files and the environment is the binary's affair.
//!
//! | setting | what |
//! |---|---|
//! | `FATHOM_<PROVIDER>_URL` | address of a provider, such as `FATHOM_SERPER_URL`; SearXNG works only with one |
//! | `SERPER_API_KEY`, `TAVILY_API_KEY`, `BRAVE_API_KEY`, `NEWS_API_KEY`, `GITHUB_TOKEN` | keys without which the provider is left out |
//! | `SEMANTIC_SCHOLAR_API_KEY`, `OPENALEX_API_KEY`, `NCBI_API_KEY` | keys that raise a limit |
//! | `FATHOM_CONTACT` | mail address told to OpenAlex, Crossref and PubMed, which serve named callers better |
//! | `FATHOM_SEARCH_WEB`, `…_ACADEMIC`, `…_NEWS`, `…_CODE`, `…_ENCYCLOPAEDIA` | who is asked, in this order: `brave,wikipedia` |

use std::collections::BTreeMap;
use std::time::Duration;

use super::{SearchEngine, SearchKind};
use crate::{BaseUrl, BaseUrlError, Secret};

const CONTACT: &str = "FATHOM_CONTACT";

/// A key is a line of printable characters; anything else was copied wrongly.
const KEY_BYTES_MAX: usize = 4_096;

/// Which engines are asked, in which order, and how.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// An engine that is missing has its usual settings.
    pub engines: BTreeMap<SearchEngine, EngineSettings>,
    /// A mail address that registers ask for.
    pub contact: Option<String>,
    /// Who is asked for each kind, in order.
    pub chains: BTreeMap<SearchKind, Vec<SearchEngine>>,
    /// An answer must begin within this time.
    pub first_byte: Duration,
}

/// How one engine is reached.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// Instead of its public address.
    pub address: Option<BaseUrl>,
    /// Some engines are left out without one.
    pub key: Option<Secret>,
}

/// A setting that cannot be used. Its value is not repeated: it may be a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchSettingsError {
    /// An address that cannot serve.
    #[error("{setting} cannot be used as an address: {fault}")]
    Address {
        /// The setting's name.
        setting: String,
        /// What is wrong with it.
        fault: BaseUrlError,
    },
    /// A key with characters that no header can hold.
    #[error("{setting} holds characters that no key has; copy the key anew")]
    Key {
        /// The setting's name.
        setting: &'static str,
    },
    /// The mail address is none.
    #[error("{CONTACT} is no mail address; give one such as name@example.org, or none")]
    Contact,
    /// A chain names an engine that does not exist.
    #[error(
        "{setting} names `{name}`, which is no search provider; choose from {}",
        names()
    )]
    Engine {
        /// The setting's name.
        setting: String,
        /// The engine as it was written.
        name: String,
    },
}

impl Default for SearchSettings {
    fn default() -> Self {
        let of_kind = |kind| {
            let engines = SearchEngine::ALL.into_iter();
            (
                kind,
                engines.filter(|engine| engine.kind() == kind).collect(),
            )
        };
        let mut chains: BTreeMap<SearchKind, Vec<_>> = SearchKind::ALL.map(of_kind).into();
        // It knows something of most things, and asks for no key.
        chains
            .entry(SearchKind::Web)
            .or_default()
            .push(SearchEngine::Wikipedia);
        Self {
            engines: BTreeMap::new(),
            contact: None,
            chains,
            first_byte: Duration::from_secs(10),
        }
    }
}

impl SearchSettings {
    /// The settings under the names above, as `lookup` finds them. A blank value counts as none.
    pub fn from_lookup(
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, SearchSettingsError> {
        let value = |name: &str| {
            let value = lookup(name)?;
            Some(value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let mut settings = Self::default();
        for engine in SearchEngine::ALL {
            let found = EngineSettings {
                address: address(engine, &value)?,
                key: key(engine, &value)?,
            };
            settings.engines.insert(engine, found);
        }
        settings.contact = value(CONTACT).map(contact).transpose()?;
        for kind in SearchKind::ALL {
            let setting = chain_setting(kind);
            if let Some(order) = value(&setting) {
                settings.chains.insert(kind, chain(setting, &order)?);
            }
        }
        Ok(settings)
    }

    /// What is set for this engine, or the usual settings.
    pub fn for_engine(&self, engine: SearchEngine) -> EngineSettings {
        self.engines.get(&engine).cloned().unwrap_or_default()
    }
}

/// The setting that holds a kind's order.
fn chain_setting(kind: SearchKind) -> String {
    format!("FATHOM_SEARCH_{}", kind.as_str().to_ascii_uppercase())
}

fn address(
    engine: SearchEngine,
    value: &impl Fn(&str) -> Option<String>,
) -> Result<Option<BaseUrl>, SearchSettingsError> {
    let setting = engine.address_setting();
    let parsed = value(&setting).map(|raw| BaseUrl::parse(&raw)).transpose();
    parsed.map_err(|fault| SearchSettingsError::Address { setting, fault })
}

fn key(
    engine: SearchEngine,
    value: &impl Fn(&str) -> Option<String>,
) -> Result<Option<Secret>, SearchSettingsError> {
    let Some(setting) = engine.key_setting() else {
        return Ok(None);
    };
    let Some(raw) = value(setting) else {
        return Ok(None);
    };
    let fits = raw.len() <= KEY_BYTES_MAX && raw.bytes().all(|byte| byte.is_ascii_graphic());
    if !fits {
        return Err(SearchSettingsError::Key { setting });
    }
    Ok(Secret::parse(&raw))
}

fn contact(raw: String) -> Result<String, SearchSettingsError> {
    let whole = raw.len() <= 254 && raw.bytes().all(|byte| byte.is_ascii_graphic());
    let parts = raw.split_once('@');
    match parts {
        Some((name, host)) if whole && !name.is_empty() && host.contains('.') => Ok(raw),
        _ => Err(SearchSettingsError::Contact),
    }
}

fn chain(setting: String, order: &str) -> Result<Vec<SearchEngine>, SearchSettingsError> {
    let mut chain = Vec::new();
    for name in order
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let engine = name.parse().map_err(|_| SearchSettingsError::Engine {
            setting: setting.clone(),
            name: name.chars().take(40).collect(),
        })?;
        if !chain.contains(&engine) {
            chain.push(engine);
        }
    }
    Ok(chain)
}

fn names() -> String {
    SearchEngine::ALL.map(SearchEngine::as_str).join(", ")
}
