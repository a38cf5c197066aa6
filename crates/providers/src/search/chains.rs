//! Who is asked for which kind: providers that are set up, in order, through the call layer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cache::First;
use super::endpoint::Endpoint;
use super::{
    Engine, Found, Keeping, Kind, Query, Search, Settings, arxiv::Arxiv, brave::Brave,
    crossref::Crossref, gdelt::Gdelt, github::Github, newsapi::Newsapi, openalex::Openalex,
    pubmed::Pubmed, searxng::Searxng, semantic_scholar::SemanticScholar, serper::Serper,
    tavily::Tavily, wikipedia::Wikipedia,
};
use crate::call::{self, Caller, Exhausted, Fault, Health, Provider, Served, Terms};
use crate::{Address, Client};

/// Searches of every kind.
pub struct Chains {
    caller: Arc<Caller>,
    searches: BTreeMap<Engine, Ready>,
    left_out: Vec<LeftOut>,
    chains: BTreeMap<Kind, Vec<Engine>>,
    keeping: Option<Keeping>,
}

struct Ready {
    address: Address,
    search: Arc<dyn Search>,
}

/// A provider that is in a chain but lacks a setting. It prints as a sentence that says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub engine: Engine,
    /// The setting to set.
    pub setting: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: set {}", self.engine, self.setting)
    }
}

/// How a provider stands, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    pub engine: Engine,
    pub kind: Kind,
    /// The kinds of question for which it is asked.
    pub asked_for: Vec<Kind>,
    pub address: Option<Address>,
    pub state: State,
}

#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It can be asked; how it has been doing, once it was.
    Ready {
        health: Option<Health>,
    },
    LeftOut(LeftOut),
    /// No chain names it.
    NotAsked,
}

impl Chains {
    pub fn new(settings: &Settings, client: &Client, caller: Arc<Caller>) -> Self {
        let mut searches = BTreeMap::new();
        let mut left_out = Vec::new();
        for engine in Engine::ALL {
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
                    searches.insert(engine, Ready { address, search });
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
    pub fn keeping(self, keeping: Keeping) -> Self {
        Self {
            keeping: Some(keeping),
            ..self
        }
    }

    /// The answer that is kept from an earlier search, if there is one that still counts; else that of
    /// [`Chains::search_anew`].
    pub async fn search(
        &self,
        query: &Query,
        terms: &Terms<'_>,
    ) -> Result<Served<Found>, Exhausted> {
        if let Some((keeping, first)) = self.kept_for(query.kind())
            && let Some(kept) = keeping.answer(query, &first).await
        {
            return Ok(kept);
        }
        self.search_anew(query, terms).await
    }

    /// Asks the kind's providers in order until one answers. An answer without hits is an answer; a failure is never
    /// kept, whatever comes is kept all the same.
    pub async fn search_anew(
        &self,
        query: &Query,
        terms: &Terms<'_>,
    ) -> Result<Served<Found>, Exhausted> {
        let served = self.ask(query, terms).await?;
        if let Some((keeping, first)) = self.kept_for(query.kind()) {
            keeping.keep(query, &first, &served).await;
        }
        Ok(served)
    }

    /// Where answers of this kind are kept, and who is asked first for them.
    fn kept_for(&self, kind: Kind) -> Option<(&Keeping, First<'_>)> {
        let engine = self.ready(kind).next()?;
        let first = First {
            provider: Provider::new(engine.as_str()),
            address: &self.searches.get(&engine)?.address,
        };
        Some((self.keeping.as_ref()?, first))
    }

    async fn ask(&self, query: &Query, terms: &Terms<'_>) -> Result<Served<Found>, Exhausted> {
        let terms = Terms {
            kind: call::Kind::Search,
            ..*terms
        };
        let ready = self.ready(query.kind());
        let ready = ready.filter_map(|engine| self.searches.get(&engine));
        let providers: Vec<Provider> = ready
            .map(|ready| Provider::new(ready.search.name()))
            .collect();
        self.caller
            .chain(&providers, &terms, async |attempt| {
                let engine = attempt.provider.as_str().parse::<Engine>();
                let ready = engine.ok().and_then(|engine| self.searches.get(&engine));
                let ready = ready.ok_or(Fault::Bug)?;
                ready.search.search(query, &attempt).await
            })
            .await
    }

    /// Who is in a chain but lacks a setting.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The kind's providers that can be asked, in order.
    pub fn ready(&self, kind: Kind) -> impl Iterator<Item = Engine> {
        let chain = self.chains.get(&kind).map_or(&[][..], Vec::as_slice);
        let known = |engine: &Engine| self.searches.contains_key(engine);
        chain.iter().copied().filter(known)
    }

    /// How every provider stands.
    pub fn status(&self) -> Vec<Status> {
        let health = self.caller.health();
        let status = |engine: Engine| Status {
            engine,
            kind: engine.kind(),
            asked_for: Kind::ALL
                .into_iter()
                .filter(|kind| self.chains.get(kind).is_some_and(|c| c.contains(&engine)))
                .collect(),
            address: self
                .searches
                .get(&engine)
                .map(|ready| ready.address.clone()),
            state: self.state(engine, &health),
        };
        Engine::ALL.into_iter().map(status).collect()
    }

    fn state(&self, engine: Engine, health: &[Health]) -> State {
        let of_it = |health: &&Health| {
            health.kind == call::Kind::Search && health.provider.as_str() == engine.as_str()
        };
        if self.searches.contains_key(&engine) {
            let health = health.iter().find(of_it).cloned();
            return State::Ready { health };
        }
        let lacking = self
            .left_out
            .iter()
            .find(|lacking| lacking.engine == engine);
        lacking.cloned().map_or(State::NotAsked, State::LeftOut)
    }
}

/// What the provider needs to be asked, or what it lacks.
fn endpoint(engine: Engine, settings: &Settings, client: &Client) -> Result<Endpoint, LeftOut> {
    let own = settings.of(engine);
    let lacking = |setting: String| LeftOut { engine, setting };
    let public = || Address::parse(engine.public_address()?).ok();
    let address = own.address.or_else(public);
    let address = address.ok_or_else(|| lacking(engine.address_setting()))?;
    if engine.needs_key() && own.key.is_none() {
        return Err(lacking(engine.key_setting().unwrap_or_default().to_owned()));
    }
    Ok(Endpoint {
        client: client.clone(),
        address,
        key: own.key,
        contact: settings.contact.clone(),
        first_byte: settings.first_byte,
    })
}

fn search(engine: Engine, endpoint: Endpoint) -> Arc<dyn Search> {
    match engine {
        Engine::Serper => Arc::new(Serper(endpoint)),
        Engine::Tavily => Arc::new(Tavily(endpoint)),
        Engine::Brave => Arc::new(Brave(endpoint)),
        Engine::Searxng => Arc::new(Searxng(endpoint)),
        Engine::SemanticScholar => Arc::new(SemanticScholar(endpoint)),
        Engine::Openalex => Arc::new(Openalex(endpoint)),
        Engine::Crossref => Arc::new(Crossref(endpoint)),
        Engine::Pubmed => Arc::new(Pubmed(endpoint)),
        Engine::Arxiv => Arc::new(Arxiv(endpoint)),
        Engine::Newsapi => Arc::new(Newsapi(endpoint)),
        Engine::Gdelt => Arc::new(Gdelt(endpoint)),
        Engine::Github => Arc::new(Github(endpoint)),
        Engine::Wikipedia => Arc::new(Wikipedia(endpoint)),
    }
}
