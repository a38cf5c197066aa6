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

use super::{Engine, Kind};
use crate::{Address, AddressFault, Secret};

const CONTACT: &str = "FATHOM_CONTACT";

/// A key is a line of printable characters; anything else was copied wrongly.
const KEY_BYTES_MAX: usize = 4_096;

#[derive(Clone, Debug)]
pub struct Settings {
    pub engines: BTreeMap<Engine, EngineSettings>,
    pub contact: Option<String>,
    /// Who is asked for each kind, in order.
    pub chains: BTreeMap<Kind, Vec<Engine>>,
    /// An answer must begin within this time.
    pub first_byte: Duration,
}

#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// Instead of its public address.
    pub address: Option<Address>,
    pub key: Option<Secret>,
}

/// A setting that cannot be used. Its value is not repeated: it may be a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsFault {
    #[error("{setting} cannot be used as an address: {fault}")]
    Address {
        setting: String,
        fault: AddressFault,
    },
    #[error("{setting} holds characters that no key has; copy the key anew")]
    Key { setting: &'static str },
    #[error("{CONTACT} is no mail address; give one such as name@example.org, or none")]
    Contact,
    #[error(
        "{setting} names `{name}`, which is no search provider; choose from {}",
        names()
    )]
    Engine { setting: String, name: String },
}

impl Default for Settings {
    fn default() -> Self {
        let chains = [
            (
                Kind::Web,
                vec![
                    Engine::Serper,
                    Engine::Tavily,
                    Engine::Brave,
                    Engine::Searxng,
                    Engine::Wikipedia,
                ],
            ),
            (
                Kind::Academic,
                vec![
                    Engine::SemanticScholar,
                    Engine::Openalex,
                    Engine::Crossref,
                    Engine::Pubmed,
                    Engine::Arxiv,
                ],
            ),
            (Kind::News, vec![Engine::Newsapi, Engine::Gdelt]),
            (Kind::Code, vec![Engine::Github]),
            (Kind::Encyclopaedia, vec![Engine::Wikipedia]),
        ];
        Self {
            engines: BTreeMap::new(),
            contact: None,
            chains: chains.into(),
            first_byte: Duration::from_secs(10),
        }
    }
}

impl Settings {
    /// The settings under the names above, as `lookup` finds them. A blank value counts as none.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsFault> {
        let value = |name: &str| {
            let value = lookup(name)?;
            Some(value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let mut settings = Self::default();
        for engine in Engine::ALL {
            let found = EngineSettings {
                address: address(engine, &value)?,
                key: key(engine, &value)?,
            };
            settings.engines.insert(engine, found);
        }
        settings.contact = value(CONTACT).map(contact).transpose()?;
        for kind in Kind::ALL {
            let setting = chain_setting(kind);
            if let Some(order) = value(&setting) {
                settings.chains.insert(kind, chain(setting, &order)?);
            }
        }
        Ok(settings)
    }

    pub fn of(&self, engine: Engine) -> EngineSettings {
        self.engines.get(&engine).cloned().unwrap_or_default()
    }
}

/// The setting that holds a kind's order.
fn chain_setting(kind: Kind) -> String {
    format!("FATHOM_SEARCH_{}", kind.as_str().to_ascii_uppercase())
}

fn address(
    engine: Engine,
    value: &impl Fn(&str) -> Option<String>,
) -> Result<Option<Address>, SettingsFault> {
    let setting = engine.address_setting();
    let parsed = value(&setting).map(|raw| Address::parse(&raw)).transpose();
    parsed.map_err(|fault| SettingsFault::Address { setting, fault })
}

fn key(
    engine: Engine,
    value: &impl Fn(&str) -> Option<String>,
) -> Result<Option<Secret>, SettingsFault> {
    let Some(setting) = engine.key_setting() else {
        return Ok(None);
    };
    let Some(raw) = value(setting) else {
        return Ok(None);
    };
    let fits = raw.len() <= KEY_BYTES_MAX && raw.bytes().all(|byte| byte.is_ascii_graphic());
    if !fits {
        return Err(SettingsFault::Key { setting });
    }
    Ok(Secret::parse(&raw))
}

fn contact(raw: String) -> Result<String, SettingsFault> {
    let whole = raw.len() <= 254 && raw.bytes().all(|byte| byte.is_ascii_graphic());
    let parts = raw.split_once('@');
    match parts {
        Some((name, host)) if whole && !name.is_empty() && host.contains('.') => Ok(raw),
        _ => Err(SettingsFault::Contact),
    }
}

fn chain(setting: String, order: &str) -> Result<Vec<Engine>, SettingsFault> {
    let mut chain = Vec::new();
    for name in order
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let engine = name.parse::<Engine>().map_err(|_| SettingsFault::Engine {
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
    Engine::ALL.map(Engine::as_str).join(", ")
}
