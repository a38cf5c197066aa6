//! Models: endpoints of both wire forms get the canary as their key and repeat it wherever an answer has room for it.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Result, ensure};
use fathom_providers::call::{CallContext, CallKind};
use fathom_providers::model::{
    Embedder, InferenceServer, ModelApi, ModelEndpoint, ModelRequest, ModelRole, ModelSettings,
    Models,
};
use fathom_providers::{BaseUrl, ClientSettings, HttpClient, Secret, SystemClock};
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::server::{Canned, Server};
use super::{Canary, Trace, caller, soon};

pub(super) fn make(canary: Canary) -> BoxFuture<'static, Result<Trace>> {
    Box::pin(models(canary))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct CanaryPlan {
    title: String,
}

async fn models(canary: Canary) -> Result<Trace> {
    let trace = Trace::default();
    let answers = answers(canary.secret());
    let ways: Vec<String> = answers.keys().cloned().collect();
    let server = Server::start(answers, true).await?;
    let client = HttpClient::new(ClientSettings::default())?;
    for way in ways {
        let address = format!("{}{}", server.url(), way.trim_end_matches("/*"));
        for api in [ModelApi::OpenAi, ModelApi::Anthropic] {
            let key = Secret::parse(canary.secret());
            let endpoint = ModelEndpoint::new(api, BaseUrl::parse(&address)?, key);
            ask(&endpoint, &client, &trace).await?;
        }
    }
    let sent = server.asked();
    ensure!(!sent.is_empty(), "the server was asked");
    let all = sent.iter().all(|request| canary.is_in(request));
    ensure!(all, "a request went out without its key");
    Ok(trace)
}

/// Asks for text, for a type and for vectors.
async fn ask(endpoint: &ModelEndpoint, client: &HttpClient, trace: &Trace) -> Result<()> {
    let clock = Arc::new(SystemClock::default());
    let settings = ModelSettings::new(vec![endpoint.clone()]);
    trace.text(format!("{settings:?}"));
    let models = Models::new(client, Arc::new(caller(&clock)), settings);
    let terms = CallContext {
        kind: CallKind::Model,
        deadline: soon(&clock),
        sink: trace,
    };
    let request = ModelRequest::new("You answer.", "Why do kelp forests shrink?");
    match models.ask(ModelRole::Writer, &request, &terms).await {
        Ok(served) => trace.note(&served.value)?,
        Err(exhausted) => trace.exhausted(&exhausted)?,
    }
    match models
        .ask_typed::<CanaryPlan>(ModelRole::Planner, &request, &terms)
        .await
    {
        Ok(typed) => trace.text(format!("{typed:?}")),
        Err(error) => {
            trace.text(format!("{error} {error:?}"));
            trace.note(&error.response())?;
        }
    }
    let caller = Arc::new(caller(&clock));
    let embedder = Embedder::new(
        client.clone(),
        Arc::clone(&caller),
        endpoint.clone(),
        "vectors",
    );
    match embedder.embed(&["kelp"], &terms).await {
        Ok(embedded) => trace.text(format!("{embedded:?}")),
        Err(failure) => trace.failure(&failure)?,
    }
    let inference = InferenceServer::new(client.clone(), caller, endpoint.clone());
    match inference.rerank("kelp", &["urchins"], &terms).await {
        Ok(scores) => trace.text(format!("{scores:?}")),
        Err(failure) => trace.failure(&failure)?,
    }
    Ok(())
}

fn answers(key: &str) -> HashMap<String, Canned> {
    let error = json!({"error": {"code": key, "type": key, "param": key, "message": format!("bad key {key}")}});
    let refusal = |status| {
        let mut canned = Canned::ok("application/json", error.to_string());
        canned.status = status;
        for name in ["www-authenticate", "x-request-id", "retry-after"] {
            canned.headers.push((name.into(), key.into()));
        }
        canned
    };
    let stream = |events: String| Canned::ok("text/event-stream", events);
    let whole = |value: Value| Canned::ok("application/json", value.to_string());
    let all = [
        ("refuses", refusal(401)),
        ("declines", refusal(400)),
        ("limits", refusal(429)),
        ("fails", refusal(500)),
        ("errs", refusal(200)),
        (
            "errs-late",
            stream(format!("event: error\ndata: {error}\n\n")),
        ),
        ("gibbers", stream(format!("data: {key}\n\n"))),
        ("chats", stream(chat(key))),
        ("messages", stream(message(key))),
        ("replies", whole(reply(key))),
        (
            "embeds",
            whole(json!({"model": key, "data": [{"index": 0, "embedding": [1.0, 0.5]}]})),
        ),
    ];
    let below = |(way, canned)| (format!("/{way}/*"), canned);
    all.into_iter().map(below).collect()
}

/// A whole chat completion with the key in every field.
fn reply(key: &str) -> Value {
    let call = json!({"id": key, "function": {"name": key, "arguments": format!("{{\"key\": \"{key}\"}}")}});
    json!({"id": key, "model": key, "system_fingerprint": key, "choices": [{"finish_reason": "stop",
        "message": {"content": format!("{{\"title\": \"{key}\"}}"), "reasoning": key, "tool_calls": [call]}}]})
}

/// The same in pieces, with the key in two of them.
fn chat(key: &str) -> String {
    let (first, second) = key.split_at(9);
    let deltas = [
        json!({"content": "The key is "}),
        json!({"content": first}),
        json!({"content": format!("{second}, is it?")}),
        json!({"tool_calls": [{"index": 0, "id": key, "function": {"name": key, "arguments": key}}]}),
    ];
    let chunk = |delta: &Value| {
        let chunk = json!({"model": key, "choices": [{"delta": delta, "finish_reason": null}]});
        format!("data: {chunk}\n\n")
    };
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let pieces: String = deltas.iter().map(chunk).collect();
    format!("{pieces}data: {end}\n\ndata: [DONE]\n\n")
}

/// A stream of Anthropic's Messages, with the key in two pieces of its text.
fn message(key: &str) -> String {
    let (first, second) = key.split_at(9);
    let delta = |index: u32, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let events = [
        json!({"type": "message_start", "message": {"id": key, "model": key}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Key "}}),
        delta(0, json!({"type": "text_delta", "text": first})),
        delta(0, json!({"type": "text_delta", "text": second})),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": key, "name": key}}),
        delta(
            1,
            json!({"type": "input_json_delta", "partial_json": format!("\"{key}\"")}),
        ),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    let line = |event: &Value| format!("data: {event}\n\n");
    events.iter().map(line).collect()
}
