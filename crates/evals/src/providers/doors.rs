//! The doors of the providers crate whose calls are timed, each beside a bare call of the same server.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fathom_providers::call::{CallContext, CallEvent, CallKind, CallSettings, Caller};
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher};
use fathom_providers::model::{self, ModelApi, ModelEndpoint, ModelRole, Models};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages};
use fathom_providers::search::{self, EngineSettings, SearchChains, SearchEngine, SearchQuery};
use fathom_providers::works::{WorkSettings, Works};
use fathom_providers::{BaseUrl, ClientSettings, Doi, HttpClient, Secret, SystemClock};
use futures::future::BoxFuture;
use jiff::civil::Date;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::server::{Canned, Server};
use crate::loopback;

pub(super) type DoorCall = Arc<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// One call, through the whole layer and bare.
pub(super) struct Door {
    pub(super) name: &'static str,
    pub(super) answer_bytes: usize,
    pub(super) layered: DoorCall,
    pub(super) bare: DoorCall,
}

/// Everything that the server serves, for all doors.
pub(super) fn served() -> HashMap<String, Canned> {
    HashMap::from([
        (
            WORK.to_owned(),
            Canned::ok("application/json", work().to_string()),
        ),
        (
            SEARCH.to_owned(),
            Canned::ok("application/json", results().to_string()),
        ),
        (
            MODEL.to_owned(),
            Canned::ok("application/json", completion().to_string()),
        ),
        (PAGE.to_owned(), Canned::ok("text/html", page())),
    ])
}

pub(super) fn all(server: &Server) -> Result<Vec<Door>> {
    Ok(vec![
        work_door(server)?,
        search_door(server)?,
        model_door(server)?,
        page_door(server)?,
    ])
}

const WORK: &str = "/works/10.5555%2Fbench";
const SEARCH: &str = "/search";
const MODEL: &str = "/v1/chat/completions";
const PAGE: &str = "/page";

/// An answer of about 4 KB, as a search or a register gives it.
fn work() -> Value {
    let author =
        |n: usize| json!({"given": "Ada", "family": format!("Brook{n}"), "sequence": "additional"});
    let reference = |n: usize| json!({"key": format!("ref{n}"), "DOI": format!("10.5555/ref.{n}"), "unstructured": "A work that this work cites."});
    json!({"status": "ok", "message-type": "work", "message": {
        "DOI": "10.5555/bench", "type": "journal-article", "title": ["A title of some length, with <i>markup</i> in it"],
        "author": (0..20).map(author).collect::<Vec<_>>(), "issued": {"date-parts": [[2024, 3, 5]]},
        "container-title": ["Journal of Measured Things"], "publisher": "Example Press", "volume": "3",
        "reference": (0..24).map(reference).collect::<Vec<_>>(), "is-referenced-by-count": 12,
    }})
}

/// Ten results, of about 4 KB.
fn results() -> Value {
    let hit = |n: usize| {
        json!({"title": format!("The growth of kelp forests, part {n}"), "position": n,
            "link": format!("https://example.org/kelp/forests/part/{n}"), "date": "Mar 5, 2024",
            "snippet": "Kelp grows fastest where cold water brings nutrients up, and shrinks where it warms or where \
                urchins are left to graze. This part looks at what was measured over forty years, and by whom."})
    };
    let organic: Vec<Value> = (1..=10).map(hit).collect();
    json!({"searchParameters": {"q": "kelp", "type": "search"}, "organic": organic, "credits": 1})
}

/// An answer of about 2 KB.
fn completion() -> Value {
    let text = "Kelp forests shrink where the water warms and where urchins are left to graze. "
        .repeat(22);
    json!({"id": "1", "object": "chat.completion", "model": "bench", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 400, "total_tokens": 430}})
}

/// A small page, of 32 KB.
fn page() -> String {
    let paragraph = "<p>Some words of a page, which somebody wrote and somebody else reads.</p>\n";
    format!(
        "<!doctype html><title>Page</title>{}",
        paragraph.repeat(430)
    )
}

fn caller() -> Arc<Caller> {
    let clock = Arc::new(SystemClock::default());
    let rng = Box::new(StdRng::seed_from_u64(1));
    Arc::new(Caller::new(CallSettings::default(), clock, rng))
}

/// Ample, and told to nobody.
fn terms() -> CallContext<'static> {
    CallContext {
        kind: CallKind::Search,
        deadline: Duration::from_secs(24 * 60 * 60),
        sink: &|event: CallEvent| drop(event),
    }
}

/// `Works::look_up`: the caller and the client, with the answer read into a `Work`.
fn work_door(server: &Server) -> Result<Door> {
    let address = BaseUrl::parse(&server.url())?;
    let settings = WorkSettings {
        crossref: address.clone(),
        datacite: address,
        ..WorkSettings::default()
    };
    let client = HttpClient::new(ClientSettings::default())?;
    let works = Arc::new(Works::new(client, caller(), settings));
    let doi = Doi::parse("10.5555/bench")?;
    let layered: DoorCall = Arc::new(move || {
        let (works, doi) = (works.clone(), doi.clone());
        Box::pin(async move {
            let work = works.look_up(&doi, &terms()).await?;
            work.context("the server has this work").map(drop)
        })
    });
    let (client, url) = (loopback::client()?, format!("{}{WORK}", server.url()));
    let bare: DoorCall = Arc::new(move || {
        let sent = client.get(&url).send();
        Box::pin(async move {
            let reply = sent.await?.error_for_status()?;
            reply.json::<Value>().await?;
            Ok(())
        })
    });
    Ok(Door {
        name: "work",
        answer_bytes: work().to_string().len(),
        layered,
        bare,
    })
}

/// `SearchChains::search` at one provider, with the answer read into hits.
fn search_door(server: &Server) -> Result<Door> {
    let own = EngineSettings {
        address: Some(BaseUrl::parse(&server.url())?),
        key: Secret::parse("a-key-of-the-usual-length-0123456789abcdef"),
    };
    let settings = search::SearchSettings {
        engines: BTreeMap::from([(SearchEngine::Serper, own)]),
        chains: BTreeMap::from([(search::SearchKind::Web, vec![SearchEngine::Serper])]),
        ..search::SearchSettings::default()
    };
    let client = HttpClient::new(ClientSettings::default())?;
    let chains = Arc::new(SearchChains::new(&settings, &client, caller()));
    let query = SearchQuery::parse(
        search::SearchKind::Web,
        "kelp forests",
        Date::constant(2026, 3, 5),
    )?;
    let layered: DoorCall = Arc::new(move || {
        let (chains, query) = (chains.clone(), query.clone());
        Box::pin(async move {
            let served = chains.search(&query, &terms()).await?;
            ensure!(served.value.hits.len() == 10, "the server has ten hits");
            Ok(())
        })
    });
    Ok(Door {
        name: "search",
        answer_bytes: results().to_string().len(),
        layered,
        bare: post(server, SEARCH, json!({"q": "kelp forests", "num": 10}))?,
    })
}

/// `Models::ask` at one endpoint, which answers whole.
fn model_door(server: &Server) -> Result<Door> {
    let address = BaseUrl::parse(&format!("{}/v1", server.url()))?;
    let endpoint = ModelEndpoint::new(ModelApi::OpenAi, address, None);
    let client = HttpClient::new(ClientSettings::default())?;
    let settings = model::ModelSettings::new(vec![endpoint]);
    let models = Arc::new(Models::new(&client, caller(), settings));
    let request = Arc::new(model::ModelRequest::new(
        "You answer.",
        "Why do kelp forests shrink?",
    ));
    let layered: DoorCall = Arc::new(move || {
        let (models, request) = (models.clone(), request.clone());
        Box::pin(async move {
            let asked = models.ask(ModelRole::Writer, &request, &terms()).await?;
            ensure!(asked.value.text.len() > 1_000, "the server has an answer");
            Ok(())
        })
    });
    let body = json!({"model": "gpt-4o", "temperature": 0.4, "max_tokens": 4096, "stream": true, "messages": [
        {"role": "system", "content": "You answer."}, {"role": "user", "content": "Why do kelp forests shrink?"}]});
    Ok(Door {
        name: "model",
        answer_bytes: completion().to_string().len(),
        layered,
        bare: post(server, MODEL, body)?,
    })
}

/// A bare call that sends JSON and reads JSON.
fn post(server: &Server, path: &str, body: Value) -> Result<DoorCall> {
    let (client, url) = (loopback::client()?, format!("{}{path}", server.url()));
    Ok(Arc::new(move || {
        let sent = client.post(&url).json(&body).send();
        Box::pin(async move {
            let reply = sent.await?.error_for_status()?;
            reply.json::<Value>().await?;
            Ok(())
        })
    }))
}

/// `Pages::read`, which opens a connection for each page; the bare call is made to do so too.
fn page_door(server: &Server) -> Result<Door> {
    let allow = AllowList::parse(&format!("127.0.0.1:{}", server.port))?;
    let limits = FetchLimits {
        at_once_per_host: 16,
        ..FetchLimits::default()
    };
    let mut settings = CallSettings::default();
    settings.page.in_flight_max = 16;
    let clock = Arc::new(SystemClock::default());
    let rng = Box::new(StdRng::seed_from_u64(1));
    let deps = PageDeps {
        fetcher: Fetcher::new(FetchNetwork::system()?, allow, limits),
        caller: Arc::new(Caller::new(settings, clock.clone(), rng)),
        clock,
        cache: Arc::new(MemoryPageCache::default()),
    };
    let pages = Arc::new(Pages::new(deps, PageSettings::default()));
    let url = format!("{}{PAGE}", server.url());
    let number = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let address = url.clone();
    let layered: DoorCall = Arc::new(move || {
        // Each its own address, or those who ask at once would share one fetch.
        let n = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (pages, url) = (pages.clone(), format!("{address}?{n}"));
        Box::pin(async move { Ok(pages.read(&url, &terms()).await.map(drop)?) })
    });
    let client = loopback::client()?;
    let bare: DoorCall = Arc::new(move || {
        let sent = client.get(&url).header("connection", "close").send();
        Box::pin(async move {
            sent.await?.error_for_status()?.bytes().await?;
            Ok(())
        })
    });
    Ok(Door {
        name: "page",
        answer_bytes: page().len(),
        layered,
        bare,
    })
}
