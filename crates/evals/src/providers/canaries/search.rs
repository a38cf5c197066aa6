//! Search: every provider that takes a key gets the canary, and its server repeats it in refusals, headers and hits.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use fathom_providers::call::{CallContext, CallKind};
use fathom_providers::search::{
    EngineSettings, SearchChains, SearchEngine, SearchQuery, SearchSettings,
};
use fathom_providers::{BaseUrl, ClientSettings, HttpClient, Secret, SystemClock};
use futures::future::BoxFuture;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::super::server::{Canned, Server};
use super::{Canary, Trace, caller, soon};

const TODAY: Date = Date::constant(2026, 3, 5);

/// The answers of the server, each below a path of its own.
const WAYS: [&str; 6] = ["refuses", "fails", "limits", "talks", "errs", "finds"];

pub(super) fn make(canary: Canary) -> BoxFuture<'static, Result<Trace>> {
    Box::pin(search(canary))
}

async fn search(canary: Canary) -> Result<Trace> {
    let trace = Trace::default();
    let server = Server::start(answers(canary.secret()), true).await?;
    let client = HttpClient::new(ClientSettings::default())?;
    let clock = Arc::new(SystemClock::default());
    let keyed = SearchEngine::ALL
        .into_iter()
        .filter(|engine| engine.key_setting().is_some());
    for engine in keyed {
        for way in WAYS {
            let settings = settings(engine, &format!("{}/{way}", server.url()), &canary)?;
            trace.text(format!("{settings:?}"));
            let chains = SearchChains::new(&settings, &client, Arc::new(caller(&clock)));
            let query = SearchQuery::parse(engine.kind(), "kelp forests", TODAY)?;
            let terms = CallContext {
                kind: CallKind::Search,
                deadline: soon(&clock),
                sink: &trace,
            };
            match chains.search(&query, &terms).await {
                Ok(served) => {
                    let found = !served.value.hits.is_empty();
                    ensure!(found || way != "finds", "{engine}: the hit was not read");
                    trace.note(&served.value)?;
                }
                Err(exhausted) => trace.exhausted(&exhausted)?,
            }
            trace.text(format!("{:?}", chains.left_out()));
        }
        let sent = server.asked();
        let carried = sent.iter().any(|request| canary.is_in(request));
        ensure!(carried, "{engine} was not sent its key");
    }
    complaints(&canary, &trace)?;
    Ok(trace)
}

fn settings(engine: SearchEngine, address: &str, canary: &Canary) -> Result<SearchSettings> {
    let own = EngineSettings {
        address: Some(BaseUrl::parse(address)?),
        key: Secret::parse(canary.secret()),
    };
    Ok(SearchSettings {
        engines: BTreeMap::from([(engine, own)]),
        chains: BTreeMap::from([(engine.kind(), vec![engine])]),
        ..SearchSettings::default()
    })
}

/// A key where something else is due, or copied wrongly: the complaint must not repeat it.
fn complaints(canary: &Canary, trace: &Trace) -> Result<()> {
    let key = canary.secret();
    for (name, value) in [
        ("SERPER_API_KEY", format!("{key} {key}")),
        ("FATHOM_SERPER_URL", format!("https://me:{key}@example.org")),
        ("FATHOM_CONTACT", key.to_owned()),
    ] {
        let lookup = |asked: &str| (asked == name).then(|| value.clone());
        let fault = SearchSettings::from_lookup(lookup)
            .err()
            .with_context(|| format!("{name} cannot be so"))?;
        trace.text(format!("{fault} {fault:?}"));
    }
    Ok(())
}

fn answers(key: &str) -> HashMap<String, Canned> {
    let error = json!({"status": "error", "code": key, "message": key, "detail": {"error": key},
        "error": {"code": key, "type": key, "message": format!("{key} is wrong")}});
    let refusal = |status| {
        let mut canned = Canned::ok("application/json", error.to_string());
        canned.status = status;
        for name in ["www-authenticate", "x-request-id", "retry-after"] {
            canned.headers.push((name.into(), key.into()));
        }
        canned
    };
    let xml = format!(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>{key}\
         </ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    );
    let ids = json!({"esearchresult": {"idlist": ["1"]}}).to_string();
    HashMap::from([
        ("/refuses/*".into(), refusal(401)),
        ("/fails/*".into(), refusal(500)),
        ("/limits/*".into(), refusal(429)),
        ("/errs/*".into(), refusal(200)),
        (
            "/talks/*".into(),
            Canned::ok("text/html", format!("<p>{key}</p>")),
        ),
        (
            "/finds/*".into(),
            Canned::ok("application/json", hits(key).to_string()),
        ),
        (
            "/finds/esearch.fcgi".into(),
            Canned::ok("application/json", ids),
        ),
        ("/finds/efetch.fcgi".into(), Canned::ok("text/xml", xml)),
    ])
}

/// One hit that every provider of JSON understands, full of the key.
fn hits(key: &str) -> Value {
    let url = format!("https://a.example/{key}");
    let hit = json!({
        "title": format!("A title with {key}"), "display_name": key, "link": url, "url": url, "html_url": url,
        "path": key, "paperId": "1", "id": url, "doi": format!("10.5555/{key}"), "content": key, "snippet": key,
        "description": key, "abstract": key, "author": key, "repository": {"full_name": key},
    });
    json!({"status": "ok", "organic": [hit], "results": [hit], "web": {"results": [hit]}, "data": [hit],
        "items": [hit], "articles": [hit], "meta": {"count": 1}, "total": 1})
}
