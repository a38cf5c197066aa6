//! The way out of this machine: the model's reasoner, the encoder, searches and pages, as far as settings open it.

use std::sync::Arc;
use std::time::Duration;

use fathom_providers::call::{self, CallContext, CallEvent, CallKind, Caller};
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher};
use fathom_providers::model::{
    self, Embedder, InferenceServer, ModelApi, ModelEndpoint, ModelRole, Models,
};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages};
use fathom_providers::search::{
    FolderSearchCache, SearchCaching, SearchChains, SearchEngine, SearchSettings,
};
use fathom_providers::works::{WorkSettings, Works};
use fathom_providers::{BaseUrl, ClientSettings, Clock, HttpClient, Secret, SystemClock};
use fathom_research::reasoner::model::ModelReasoner;
use fathom_research::{Encoder, EncoderKind, WebServices};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::encoder_files::PUBLISHED_AT;
use crate::exit::{Problem, Result};
use crate::settings::Settings;

const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com/v1";

/// The files of an encoder are larger than any answer of a provider, and may take their time.
const DOWNLOAD_MAX_BYTES: usize = 64 * 1024 * 1024;
const DOWNLOAD_TIME_MAX: Duration = Duration::from_secs(1_800);

/// The rules for calls, with what settings say of them.
fn calls(settings: &Settings) -> call::CallSettings {
    let mut calls = call::CallSettings::default();
    calls.model.in_flight_max = settings.model_calls_at_once;
    calls.search.in_flight_max = settings.searches_at_once;
    calls
}

/// A language model as settings describe it.
pub struct ConfiguredModel {
    /// Asks it.
    pub reasoner: ModelReasoner,
    /// Why no cap on money can hold, where a price is not known.
    pub unpriced: Option<String>,
}

/// What every call to the outside shares.
pub struct Outside {
    client: HttpClient,
    caller: Arc<Caller>,
    clock: Arc<dyn Clock>,
}

impl Outside {
    /// With the usual rules for calls that fail.
    pub fn open(settings: &Settings) -> Result<Self> {
        Self::with(calls(settings))
    }

    /// Every call is made once, whatever comes of it.
    pub fn asking_once(settings: &Settings) -> Result<Self> {
        let mut calls = calls(settings);
        calls.search.attempts = 1;
        Self::with(calls)
    }

    fn with(settings: call::CallSettings) -> Result<Self> {
        let client = HttpClient::new(ClientSettings::default()).map_err(Problem::failed)?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let rng = Box::new(StdRng::from_os_rng());
        let caller = Caller::new(settings, Arc::clone(&clock), rng);
        Ok(Self {
            client,
            caller: Arc::new(caller),
            clock,
        })
    }

    /// The client for the addresses of settings.
    pub fn client(&self) -> &HttpClient {
        &self.client
    }

    /// By which calls count their time.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The language model, if one is configured.
    pub fn model(&self, settings: &Settings) -> Result<Option<ConfiguredModel>> {
        let endpoints = endpoints(settings)?;
        let Some(first) = endpoints.first() else {
            return Ok(None);
        };
        let name = first.model.clone();
        let models = Models::new(
            &self.client,
            Arc::clone(&self.caller),
            model::ModelSettings {
                roles: settings.roles.clone(),
                prices: settings.prices.clone(),
                ..model::ModelSettings::new(endpoints)
            },
        );
        let name = name.unwrap_or_else(|| models.name(ModelRole::Writer));
        let unpriced = models.unpriced();
        let unpriced = (!unpriced.is_empty()).then(|| unpriced_cap(&unpriced));
        let clock = Arc::clone(&self.clock);
        Ok(Some(ConfiguredModel {
            reasoner: ModelReasoner::new(Arc::new(models), clock, &name),
            unpriced,
        }))
    }

    /// What judges passages by their meaning; nothing where none is installed or wanted.
    pub fn encoder(&self, settings: &Settings) -> Result<Option<Encoder>> {
        let kind = settings.lookup("FATHOM_ENCODER_KIND").unwrap_or_default();
        let (name, kind) = match kind.as_str() {
            "none" => return Ok(None),
            "file" => match installed_encoder(settings) {
                Some(found) => found,
                None => return Ok(None),
            },
            "embeddings" => {
                let model = settings.lookup("FATHOM_ENCODER_MODEL").ok_or_else(|| {
                    Problem::usage("encoder.model is not set; name the model of the endpoint")
                })?;
                let (client, caller) = (self.client.clone(), Arc::clone(&self.caller));
                let endpoint = encoder_endpoint(settings)?;
                let embedder = Embedder::new(client, caller, endpoint, &model);
                (model, EncoderKind::Embeddings(embedder))
            }
            "sparse" | "rerank" => {
                let endpoint = encoder_endpoint(settings)?;
                let named = settings.lookup("FATHOM_ENCODER_MODEL");
                let name = named.unwrap_or_else(|| endpoint.name.clone());
                let (client, caller) = (self.client.clone(), Arc::clone(&self.caller));
                let server = InferenceServer::new(client, caller, endpoint);
                match kind.as_str() {
                    "sparse" => (name, EncoderKind::Sparse(server)),
                    _ => (name, EncoderKind::Rerank(server)),
                }
            }
            other => {
                return Err(Problem::usage(format!(
                    "encoder.kind is file, embeddings, sparse, rerank or none, not \"{other}\""
                )));
            }
        };
        Ok(Some(Encoder::new(&name, kind, Arc::clone(&self.clock))))
    }

    /// A file below the place where the encoder's files are published.
    pub async fn download(&self, settings: &Settings, path: &str) -> Result<Vec<u8>> {
        let client = HttpClient::new(ClientSettings {
            answer_max_bytes: DOWNLOAD_MAX_BYTES,
            ..ClientSettings::default()
        });
        let client = client.map_err(Problem::failed)?;
        let address = settings.lookup("FATHOM_ENCODER_FILES_URL");
        let address = BaseUrl::parse(address.as_deref().unwrap_or(PUBLISHED_AT));
        let address = address.map_err(|fault| {
            Problem::usage(format!("FATHOM_ENCODER_FILES_URL cannot be used: {fault}"))
        })?;
        let sink = |event: CallEvent| drop(event);
        let context = CallContext {
            kind: CallKind::Model,
            deadline: self.clock.elapsed() + DOWNLOAD_TIME_MAX,
            sink: &sink,
        };
        let fetched = fathom_providers::download(&client, &self.caller, &address, path, &context);
        fetched.await.map_err(Problem::failed)
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
        let read = PageDeps {
            fetcher: fetcher(settings)?,
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

/// What fetches pages, under the rules for addresses.
pub fn fetcher(settings: &Settings) -> Result<Fetcher> {
    let allow = settings.lookup("FATHOM_FETCH_ALLOW").unwrap_or_default();
    let allow = AllowList::parse(&allow)
        .map_err(|fault| Problem::usage(format!("FATHOM_FETCH_ALLOW cannot be used: {fault}")))?;
    let network = FetchNetwork::system().map_err(Problem::failed)?;
    Ok(Fetcher::new(network, allow, FetchLimits::default()))
}

#[cfg(feature = "encoder")]
fn installed_encoder(settings: &Settings) -> Option<(String, EncoderKind)> {
    use crate::encoder_files::{LoadedEncoder, installed};

    let installed = installed(&settings.home)?;
    let name = installed.name.clone();
    let loaded = LoadedEncoder::new(installed);
    Some((name, EncoderKind::Local(Arc::new(loaded))))
}

#[cfg(not(feature = "encoder"))]
fn installed_encoder(_: &Settings) -> Option<(String, EncoderKind)> {
    None
}

fn encoder_endpoint(settings: &Settings) -> Result<ModelEndpoint> {
    let address = settings.lookup("FATHOM_ENCODER_URL").ok_or_else(|| {
        Problem::usage("encoder.url is not set; name the address of the endpoint")
    })?;
    let key = settings.lookup("FATHOM_ENCODER_API_KEY");
    endpoint(ModelApi::OpenAi, "FATHOM_ENCODER_URL", &address, key)
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

/// A cap on money holds nothing where nobody knows what a token costs.
fn unpriced_cap(models: &[&str]) -> String {
    format!(
        "caps.cost_micros is set, but the price of {} is not known; set it in dollars for a million tokens in and out, \
         such as FATHOM_MODEL_PRICES=\"{} 1.25 10\", or 0 0 where it is free",
        models.join(", "),
        models.first().copied().unwrap_or_default(),
    )
}

/// A server of models at an address.
pub fn endpoint(
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
