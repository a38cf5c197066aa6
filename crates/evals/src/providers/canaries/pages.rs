//! Pages: addresses that carry a secret, and servers that repeat it. No host of a page is ever sent one of ours.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use fathom_providers::SystemClock;
use fathom_providers::call::{CallContext, CallKind};
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher};
use fathom_providers::pages::{DeadLink, MemoryPageCache, PageDeps, PageSettings, Pages};
use futures::future::BoxFuture;

use super::super::server::{Canned, Server};
use super::{Canary, Trace, caller, soon};

pub(super) fn make(canary: Canary) -> BoxFuture<'static, Result<Trace>> {
    Box::pin(pages(canary))
}

async fn pages(canary: Canary) -> Result<Trace> {
    let trace = Trace::default();
    let key = canary.secret();
    let server = Server::start(site(&canary), true).await?;
    let clock = Arc::new(SystemClock::default());
    let allow = AllowList::parse(&format!("127.0.0.1:{}", server.port))?;
    let deps = PageDeps {
        fetcher: Fetcher::new(FetchNetwork::system()?, allow, FetchLimits::default()),
        caller: Arc::new(caller(&clock)),
        clock: clock.clone(),
        cache: Arc::new(MemoryPageCache::default()),
    };
    let pages = Pages::new(deps, PageSettings::default());
    let terms = CallContext {
        kind: CallKind::Page,
        deadline: soon(&clock),
        sink: &trace,
    };
    let base = server.url();
    // What a page says is its own; a failure is told without the page and without its address.
    for path in [
        "fails",
        "gone",
        "forbids",
        "garbles",
        "elsewhere",
        "missing",
    ] {
        for url in [
            format!("{base}/{path}?token={key}"),
            format!("{base}/{path}"),
        ] {
            match pages.read(&url, &terms).await {
                Ok(_) => anyhow::bail!("{path} is no page"),
                Err(failure) => {
                    trace.failure(&failure)?;
                    trace.text(format!("{:?}", DeadLink::from_failure(&failure)));
                }
            }
        }
    }
    let signed_in = format!("http://me:{key}@example.com/");
    let failure = pages.read(&signed_in, &terms).await.err();
    trace.failure(&failure.context("such an address is refused")?)?;
    let read = pages.read(&format!("{base}/page"), &terms).await?;
    trace.text(format!("{read:?}"));
    let sent = server.asked();
    ensure!(!sent.is_empty(), "the server was asked");
    for request in sent.iter().filter(|request| !request.contains("?token=")) {
        trace.text(request.clone());
    }
    Ok(trace)
}

/// Every answer repeats the canary in its headers and its body.
fn site(canary: &Canary) -> HashMap<String, Canned> {
    let key = canary.secret();
    let page = |status: u16, more: &[(&str, &str)]| {
        let mut canned = Canned::ok("text/html", format!("<p>{key}</p>"));
        canned.status = status;
        canned.headers.push(("set-cookie".into(), key.into()));
        canned.headers.push(("x-request-id".into(), key.into()));
        let more = more
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        canned.headers.extend(more);
        canned
    };
    let inside = format!("http://127.0.0.1:1/{key}");
    HashMap::from([
        ("/page".into(), page(200, &[])),
        ("/fails".into(), page(500, &[])),
        ("/gone".into(), page(410, &[])),
        ("/forbids".into(), page(403, &[("www-authenticate", key)])),
        ("/garbles".into(), page(200, &[("content-encoding", key)])),
        ("/elsewhere".into(), page(302, &[("location", &inside)])),
    ])
}
