//! The way out of this machine: the model's reasoner, searches and pages, as far as settings open it.

use std::sync::Arc;

use fathom_providers::call::{self, Caller};
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher};
use fathom_providers::model::{self, ModelApi, ModelEndpoint, ModelRole, Models};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages};
use fathom_providers::search::{
    FolderSearchCache, SearchCaching, SearchChains, SearchEngine, SearchSettings,
};
use fathom_providers::works::{WorkSettings, Works};
use fathom_providers::{BaseUrl, ClientSettings, Clock, HttpClient, Secret, SystemClock};
use fathom_research::WebServices;
use fathom_research::reasoner::model::ModelReasoner;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::exit::{Problem, Result};
use crate::settings::Settings;

const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com/v1";

/// What every call to the outside shares.
pub struct Outside {
    client: HttpClient,
    caller: Arc<Caller>,
    clock: Arc<dyn Clock>,
}

impl Outside {
    pub fn open() -> Result<Self> {
        let client = HttpClient::new(ClientSettings::default()).map_err(Problem::failed)?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let rng = Box::new(StdRng::from_os_rng());
        let caller = Caller::new(call::CallSettings::default(), Arc::clone(&clock), rng);
        Ok(Self {
            client,
            caller: Arc::new(caller),
            clock,
        })
    }

    /// The reasoner that asks a language model, if one is configured.
    pub fn model(&self, settings: &Settings) -> Result<Option<ModelReasoner>> {
        let endpoints = endpoints(settings)?;
        let Some(first) = endpoints.first() else {
            return Ok(None);
        };
        let name = first
            .model
            .clone()
            .unwrap_or_else(|| model::RoleSettings::for_role(ModelRole::Writer).model);
        let models = Models::new(
            &self.client,
            Arc::clone(&self.caller),
            model::ModelSettings::new(endpoints),
        );
        Ok(Some(ModelReasoner::new(
            Arc::new(models),
            Arc::clone(&self.clock),
            &name,
        )))
    }

    pub fn chains(&self, settings: &Settings) -> Result<SearchChains> {
        Ok(SearchChains::new(
            &searched(settings)?,
            &self.client,
            Arc::clone(&self.caller),
        ))
    }

    /// The registers of works. Crossref is reached where its search is.
    fn works(&self, settings: &Settings) -> Result<Works> {
        let searched = searched(settings)?;
        let usual = WorkSettings::default();
        let datacite = settings.lookup("FATHOM_DATACITE_URL");
        let datacite = datacite.map(|raw| {
            BaseUrl::parse(&raw).map_err(|fault| {
                Problem::usage(format!("FATHOM_DATACITE_URL cannot be used: {fault}"))
            })
        });
        let crossref = searched.for_engine(SearchEngine::Crossref).address;
        let settings = WorkSettings {
            crossref: crossref.unwrap_or(usual.crossref),
            datacite: datacite.transpose()?.unwrap_or(usual.datacite),
            mail: searched.contact,
            ..WorkSettings::default()
        };
        let caller = Arc::clone(&self.caller);
        Ok(Works::new(self.client.clone(), caller, settings))
    }

    /// The chains with their answers kept in the data folder, unless for no time at all.
    fn keeping(&self, settings: &Settings, chains: SearchChains) -> SearchChains {
        if settings.search_kept.is_zero() {
            return chains;
        }
        let folder = settings.home.join("cache").join("search");
        chains.keeping(SearchCaching {
            cache: Arc::new(FolderSearchCache::new(folder)),
            clock: Arc::clone(&self.clock),
            kept: settings.search_kept,
        })
    }

    /// Search, pages and registers of works.
    pub fn web(&self, settings: &Settings) -> Result<WebServices> {
        let allow = settings.lookup("FATHOM_FETCH_ALLOW").unwrap_or_default();
        let allow = AllowList::parse(&allow).map_err(|fault| {
            Problem::usage(format!("FATHOM_FETCH_ALLOW cannot be used: {fault}"))
        })?;
        let network = FetchNetwork::system().map_err(Problem::failed)?;
        let read = PageDeps {
            fetcher: Fetcher::new(network, allow, FetchLimits::default()),
            caller: Arc::clone(&self.caller),
            clock: Arc::clone(&self.clock),
            cache: Arc::new(MemoryPageCache::default()),
        };
        Ok(WebServices {
            search: Arc::new(self.keeping(settings, self.chains(settings)?)),
            pages: Arc::new(Pages::new(read, PageSettings::default())),
            works: Arc::new(self.works(settings)?),
            clock: Arc::clone(&self.clock),
        })
    }
}

fn searched(settings: &Settings) -> Result<SearchSettings> {
    SearchSettings::from_lookup(|name| settings.lookup(name)).map_err(Problem::usage)
}

/// The endpoints that settings name, the one to ask first before the others.
pub fn endpoints(settings: &Settings) -> Result<Vec<ModelEndpoint>> {
    let mut endpoints = Vec::new();
    let openai = (
        settings.lookup("OPENAI_BASE_URL"),
        settings.lookup("OPENAI_API_KEY"),
    );
    if openai.0.is_some() || openai.1.is_some() {
        let address = openai.0.unwrap_or_else(|| OPENAI.to_owned());
        let mut endpoint = endpoint(ModelApi::OpenAi, "OPENAI_BASE_URL", &address, openai.1)?;
        endpoint.model = settings.lookup("FATHOM_MODEL");
        endpoints.push(endpoint);
    }
    // A key without a model's name is left out: models there come and go, and guessing one would fail at every call.
    let anthropic = (
        settings.lookup("ANTHROPIC_API_KEY"),
        settings.lookup("FATHOM_ANTHROPIC_MODEL"),
    );
    if let (Some(key), Some(model)) = anthropic {
        let address = settings
            .lookup("ANTHROPIC_BASE_URL")
            .unwrap_or_else(|| ANTHROPIC.to_owned());
        let mut endpoint = endpoint(
            ModelApi::Anthropic,
            "ANTHROPIC_BASE_URL",
            &address,
            Some(key),
        )?;
        endpoint.model = Some(model);
        endpoints.push(endpoint);
    }
    Ok(endpoints)
}

fn endpoint(
    api: ModelApi,
    setting: &str,
    address: &str,
    key: Option<String>,
) -> Result<ModelEndpoint> {
    let address = BaseUrl::parse(address)
        .map_err(|fault| Problem::usage(format!("{setting} cannot be used: {fault}")))?;
    Ok(ModelEndpoint::new(
        api,
        address,
        key.as_deref().and_then(Secret::parse),
    ))
}
