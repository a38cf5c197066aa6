//! Who is asked for which kind: providers that are configured, in order, through the call layer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cache::FirstPlace;
use super::endpoint::{EngineCall, SearchEndpoint};
use super::{
    SearchAnswer, SearchCaching, SearchEngine, SearchKind, SearchQuery, SearchSettings, arxiv,
    brave, crossref, gdelt, github, newsapi, openalex, pubmed, searxng, semantic_scholar, serper,
    tavily, wikipedia,
};
use crate::call::{
    AttemptError, CallContext, CallKind, Caller, ChainAnswer, ChainExhausted, ProviderName,
};
use crate::{BaseUrl, CallFailure, HttpClient};

/// Searches of every kind.
pub struct SearchChains {
    caller: Arc<Caller>,
    endpoints: BTreeMap<SearchEngine, SearchEndpoint>,
    left_out: Vec<LeftOutEngine>,
    chains: BTreeMap<SearchKind, Vec<SearchEngine>>,
    keeping: Option<SearchCaching>,
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

impl SearchChains {
    /// Leaves out engines that lack a key or an address; see [`SearchChains::left_out`].
    pub fn new(settings: &SearchSettings, client: &HttpClient, caller: Arc<Caller>) -> Self {
        let mut endpoints = BTreeMap::new();
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
                Ok(endpoint) => drop(endpoints.insert(engine, endpoint)),
                Err(lacking) => left_out.push(lacking),
            }
        }
        Self {
            caller,
            endpoints,
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
            address: &self.endpoints.get(&engine)?.address,
        };
        Some((self.keeping.as_ref()?, first))
    }

    async fn ask(
        &self,
        query: &SearchQuery,
        context: &CallContext<'_>,
    ) -> Result<ChainAnswer<SearchAnswer>, ChainExhausted> {
        let context = context.with_kind(CallKind::Search);
        let ready = self.ready(query.kind());
        let providers: Vec<ProviderName> = ready
            .map(|engine| ProviderName::new(engine.as_str()))
            .collect();
        self.caller
            .chain(&providers, &context, async |attempt| {
                let engine = attempt.provider.as_str().parse::<SearchEngine>();
                let engine = engine.map_err(|_| AttemptError::Bug)?;
                let call = EngineCall {
                    engine,
                    endpoint: self.endpoints.get(&engine).ok_or(AttemptError::Bug)?,
                    query,
                    attempt: &attempt,
                };
                search(call).await
            })
            .await
    }

    /// Puts a query to one engine, whatever the chains say, and keeps nothing of it.
    pub async fn ask_engine(
        &self,
        engine: SearchEngine,
        query: &SearchQuery,
        context: &CallContext<'_>,
    ) -> Result<SearchAnswer, CallFailure> {
        let context = context.with_kind(CallKind::Search);
        let provider = ProviderName::new(engine.as_str());
        self.caller
            .call(&provider, &context, async |attempt| {
                let endpoint = self.endpoints.get(&engine).ok_or(AttemptError::Bug)?;
                let attempt = &attempt;
                search(EngineCall {
                    engine,
                    endpoint,
                    query,
                    attempt,
                })
                .await
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
        let known = |engine: &SearchEngine| self.endpoints.contains_key(engine);
        chain.iter().copied().filter(known)
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

async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    match call.engine {
        SearchEngine::Serper => serper::search(call).await,
        SearchEngine::Tavily => tavily::search(call).await,
        SearchEngine::Brave => brave::search(call).await,
        SearchEngine::Searxng => searxng::search(call).await,
        SearchEngine::SemanticScholar => semantic_scholar::search(call).await,
        SearchEngine::Openalex => openalex::search(call).await,
        SearchEngine::Crossref => crossref::search(call).await,
        SearchEngine::Pubmed => pubmed::search(call).await,
        SearchEngine::Arxiv => arxiv::search(call).await,
        SearchEngine::Newsapi => newsapi::search(call).await,
        SearchEngine::Gdelt => gdelt::search(call).await,
        SearchEngine::Github => github::search(call).await,
        SearchEngine::Wikipedia => wikipedia::search(call).await,
    }
}
