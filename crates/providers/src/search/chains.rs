//! Who is asked for which kind: providers that are set up, in order, through the call layer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cache::FirstPlace;
use super::endpoint::SearchEndpoint;
use super::{
    SearchAnswer, SearchCaching, SearchEngine, SearchKind, SearchProvider, SearchQuery,
    SearchSettings, arxiv::Arxiv, brave::Brave, crossref::Crossref, gdelt::Gdelt, github::Github,
    newsapi::Newsapi, openalex::Openalex, pubmed::Pubmed, searxng::Searxng,
    semantic_scholar::SemanticScholar, serper::Serper, tavily::Tavily, wikipedia::Wikipedia,
};
use crate::call::{
    self, AttemptError, CallContext, Caller, ChainAnswer, ChainExhausted, ProviderHealth,
    ProviderName,
};
use crate::{BaseUrl, HttpClient};

/// Searches of every kind.
pub struct SearchChains {
    caller: Arc<Caller>,
    searches: BTreeMap<SearchEngine, ReadyEngine>,
    left_out: Vec<LeftOutEngine>,
    chains: BTreeMap<SearchKind, Vec<SearchEngine>>,
    keeping: Option<SearchCaching>,
}

struct ReadyEngine {
    address: BaseUrl,
    search: Arc<dyn SearchProvider>,
}

/// A provider that is in a chain but lacks a setting. It prints as a sentence that says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutEngine {
    /// The engine in question.
    pub engine: SearchEngine,
    /// The setting to set.
    pub setting: String,
}

impl fmt::Display for LeftOutEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: set {}", self.engine, self.setting)
    }
}

/// How a provider stands, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineStatus {
    /// The engine in question.
    pub engine: SearchEngine,
    /// What its hits are.
    pub kind: SearchKind,
    /// The kinds of question for which it is asked.
    pub asked_for: Vec<SearchKind>,
    /// Where it is reached, where that is known.
    pub address: Option<BaseUrl>,
    /// Whether it is asked.
    pub state: EngineState,
}

/// Whether an engine is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineState {
    /// It can be asked; how it has been doing, once it was.
    Ready {
        /// None if it was not asked yet.
        health: Option<ProviderHealth>,
    },
    /// It is not asked, and why.
    LeftOut(LeftOutEngine),
    /// No chain names it.
    NotAsked,
}

impl SearchChains {
    /// Leaves out engines that lack a key or an address; see [`EngineState`].
    pub fn new(settings: &SearchSettings, client: &HttpClient, caller: Arc<Caller>) -> Self {
        let mut searches = BTreeMap::new();
        let mut left_out = Vec::new();
        for engine in SearchEngine::ALL {
            let asked = settings
                .chains
                .values()
                .any(|chain| chain.contains(&engine));
            if !asked {
                continue;
            }
            match endpoint(engine, settings, client) {
                Ok(endpoint) => {
                    let address = endpoint.address.clone();
                    let search = search(engine, endpoint);
                    searches.insert(engine, ReadyEngine { address, search });
                }
                Err(lacking) => left_out.push(lacking),
            }
        }
        Self {
            caller,
            searches,
            left_out,
            chains: settings.chains.clone(),
            keeping: None,
        }
    }

    /// With answers kept for a while.
    pub fn keeping(self, keeping: SearchCaching) -> Self {
        Self {
            keeping: Some(keeping),
            ..self
        }
    }

    /// The answer that is kept from an earlier search, if there is one that still counts; else that of
    /// [`SearchChains::search_anew`].
    pub async fn search(
        &self,
        query: &SearchQuery,
        context: &CallContext<'_>,
    ) -> Result<ChainAnswer<SearchAnswer>, ChainExhausted> {
        if let Some((keeping, first)) = self.kept_for(query.kind())
            && let Some(kept) = keeping.answer(query, &first).await
        {
            return Ok(kept);
        }
        self.search_anew(query, context).await
    }

    /// Asks the kind's providers in order until one answers. An answer without hits is an answer; a failure is never
    /// kept, whatever comes is kept all the same.
    pub async fn search_anew(
        &self,
        query: &SearchQuery,
        context: &CallContext<'_>,
    ) -> Result<ChainAnswer<SearchAnswer>, ChainExhausted> {
        let served = self.ask(query, context).await?;
        if let Some((keeping, first)) = self.kept_for(query.kind()) {
            keeping.keep(query, &first, &served).await;
        }
        Ok(served)
    }

    /// Where answers of this kind are kept, and who is asked first for them.
    fn kept_for(&self, kind: SearchKind) -> Option<(&SearchCaching, FirstPlace<'_>)> {
        let engine = self.ready(kind).next()?;
        let first = FirstPlace {
            provider: ProviderName::new(engine.as_str()),
            address: &self.searches.get(&engine)?.address,
        };
        Some((self.keeping.as_ref()?, first))
    }

    async fn ask(
        &self,
        query: &SearchQuery,
        context: &CallContext<'_>,
    ) -> Result<ChainAnswer<SearchAnswer>, ChainExhausted> {
        let context = CallContext {
            kind: call::CallKind::Search,
            ..*context
        };
        let ready = self.ready(query.kind());
        let providers: Vec<ProviderName> = ready
            .filter(|engine| self.searches.contains_key(engine))
            .map(|engine| ProviderName::new(engine.as_str()))
            .collect();
        self.caller
            .chain(&providers, &context, async |attempt| {
                let engine = attempt.provider.as_str().parse::<SearchEngine>();
                let ready = engine.ok().and_then(|engine| self.searches.get(&engine));
                let ready = ready.ok_or(AttemptError::Bug)?;
                ready.search.search(query, &attempt).await
            })
            .await
    }

    /// Who is in a chain but lacks a setting.
    pub fn left_out(&self) -> &[LeftOutEngine] {
        &self.left_out
    }

    /// The kind's providers that can be asked, in order.
    pub fn ready(&self, kind: SearchKind) -> impl Iterator<Item = SearchEngine> {
        let chain = self.chains.get(&kind).map_or(&[][..], Vec::as_slice);
        let known = |engine: &SearchEngine| self.searches.contains_key(engine);
        chain.iter().copied().filter(known)
    }

    /// How every provider stands.
    pub fn status(&self) -> Vec<EngineStatus> {
        let health = self.caller.health();
        let status = |engine: SearchEngine| EngineStatus {
            engine,
            kind: engine.kind(),
            asked_for: SearchKind::ALL
                .into_iter()
                .filter(|kind| self.chains.get(kind).is_some_and(|c| c.contains(&engine)))
                .collect(),
            address: self
                .searches
                .get(&engine)
                .map(|ready| ready.address.clone()),
            state: self.state(engine, &health),
        };
        SearchEngine::ALL.into_iter().map(status).collect()
    }

    fn state(&self, engine: SearchEngine, health: &[ProviderHealth]) -> EngineState {
        let of_it = |health: &&ProviderHealth| {
            health.kind == call::CallKind::Search && health.provider.as_str() == engine.as_str()
        };
        if self.searches.contains_key(&engine) {
            let health = health.iter().find(of_it).cloned();
            return EngineState::Ready { health };
        }
        let lacking = self
            .left_out
            .iter()
            .find(|lacking| lacking.engine == engine);
        lacking
            .cloned()
            .map_or(EngineState::NotAsked, EngineState::LeftOut)
    }
}

/// What the provider needs to be asked, or what it lacks.
fn endpoint(
    engine: SearchEngine,
    settings: &SearchSettings,
    client: &HttpClient,
) -> Result<SearchEndpoint, LeftOutEngine> {
    let own = settings.for_engine(engine);
    let lacking = |setting: String| LeftOutEngine { engine, setting };
    let public = || BaseUrl::parse(engine.public_address()?).ok();
    let address = own.address.or_else(public);
    let address = address.ok_or_else(|| lacking(engine.address_setting()))?;
    if engine.needs_key() && own.key.is_none() {
        return Err(lacking(engine.key_setting().unwrap_or_default().to_owned()));
    }
    Ok(SearchEndpoint {
        client: client.clone(),
        address,
        key: own.key,
        contact: settings.contact.clone(),
        first_byte: settings.first_byte,
    })
}

fn search(engine: SearchEngine, endpoint: SearchEndpoint) -> Arc<dyn SearchProvider> {
    match engine {
        SearchEngine::Serper => Arc::new(Serper(endpoint)),
        SearchEngine::Tavily => Arc::new(Tavily(endpoint)),
        SearchEngine::Brave => Arc::new(Brave(endpoint)),
        SearchEngine::Searxng => Arc::new(Searxng(endpoint)),
        SearchEngine::SemanticScholar => Arc::new(SemanticScholar(endpoint)),
        SearchEngine::Openalex => Arc::new(Openalex(endpoint)),
        SearchEngine::Crossref => Arc::new(Crossref(endpoint)),
        SearchEngine::Pubmed => Arc::new(Pubmed(endpoint)),
        SearchEngine::Arxiv => Arc::new(Arxiv(endpoint)),
        SearchEngine::Newsapi => Arc::new(Newsapi(endpoint)),
        SearchEngine::Gdelt => Arc::new(Gdelt(endpoint)),
        SearchEngine::Github => Arc::new(Github(endpoint)),
        SearchEngine::Wikipedia => Arc::new(Wikipedia(endpoint)),
    }
}
