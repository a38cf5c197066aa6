//! The call layer: answers that hold a key wherever a server can put it.

use std::sync::Arc;

use anyhow::{Context, Result};
use fathom_providers::call::{
    AttemptError, CallContext, CallKind, FailedResponse, ProviderName, ResponseHeaders,
};
use fathom_providers::{BaseUrl, Secret, SystemClock};
use futures::future::BoxFuture;

use super::{Canary, Trace, caller, soon};

const STATUSES: [u16; 8] = [200, 400, 401, 403, 404, 429, 500, 503];
const KINDS: [CallKind; 3] = [CallKind::Model, CallKind::Search, CallKind::Page];

pub(super) fn make(canary: Canary) -> BoxFuture<'static, Result<Trace>> {
    Box::pin(calls(canary))
}

async fn calls(canary: Canary) -> Result<Trace> {
    let trace = Trace::default();
    let clock = Arc::new(SystemClock::default());
    let caller = caller(&clock);
    let secret = Secret::parse(canary.secret()).context("a canary is a secret")?;
    trace.text(format!("{secret:?} {:?}", Some(&secret)));
    for status in STATUSES {
        for kind in KINDS {
            for answer in [
                prose(status, &canary),
                codes(status, &canary).strike(&secret),
            ] {
                trace.text(format!("{answer:?}"));
                let provider = ProviderName::new(&format!("{kind:?} {status}"));
                let terms = CallContext {
                    kind,
                    deadline: soon(&clock),
                    sink: &trace,
                };
                let operation = async |_| Err::<(), AttemptError>(answer.clone().into());
                if let Err(failure) = caller.call(&provider, &terms, operation).await {
                    trace.failure(&failure)?;
                }
            }
        }
    }
    // A key where an address is due: the complaint must not repeat it.
    for raw in [
        "https://user:KEY@example.org",
        "https://example.org/?key=KEY",
        "KEY",
    ] {
        let refused = BaseUrl::parse(&raw.replace("KEY", canary.secret()));
        let fault = refused.err().context("such an address is refused")?;
        trace.text(format!("{fault} {fault:?}"));
    }
    Ok(trace)
}

/// In the server's own words, which stay outside even if nobody strikes them.
fn prose(status: u16, canary: &Canary) -> FailedResponse {
    let key = canary.secret();
    let headers: ResponseHeaders = [
        ("www-authenticate", key),
        ("x-request-id", key),
        ("retry-after", key),
    ]
    .into_iter()
    .collect();
    let body =
        format!(r#"{{"error": {{"message": "{key} is wrong", "param": "{key}"}}, "{key}": 1}}"#);
    FailedResponse::new(status, headers, body.as_bytes())
}

/// Where codes are looked for and shown.
fn codes(status: u16, canary: &Canary) -> FailedResponse {
    let key = canary.secret();
    let body = format!(
        r#"{{"error": {{"code": "{key}", "type": "{key}", "status": "{key}"}}, "code": "{key}"}}"#
    );
    FailedResponse::new(status, ResponseHeaders::default(), body.as_bytes())
}
