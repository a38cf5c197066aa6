//! An OpenAI-compatible endpoint: chat completions with strict schemas, streamed or whole.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use serde_json::{Value, json};

use crate::World;
use crate::prompt::Prompt;
use crate::script::Reply;

pub(crate) async fn complete(State(world): State<Arc<World>>, body: String) -> Response {
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    let prompt = Prompt::read(&request, body);
    let before = world.script_calls(&prompt);
    let key = format!("{:?} {}", prompt.judgement, prompt.user);
    let (place, _) = world.ledger.note("model", key);
    tokio::time::sleep(world.script.delay).await;
    let reply = (world.script.answer)(&prompt, before).unwrap_or_else(|| prompt.sensible());
    let streamed = request["stream"] == true;
    let response = match reply {
        Reply::Json(value) => answer(&value.to_string(), "stop", streamed),
        Reply::Text(text) => answer(&text, "stop", streamed),
        Reply::Cut(text) => answer(&text, "length", streamed),
        Reply::NoChoices => no_choices(streamed),
        Reply::Pings => pings(),
        Reply::Status(status, body) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, Json(body)).into_response()
        }
        Reply::Later(seconds) => {
            let wait = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait).into_response()
        }
        Reply::BreaksOff(text) => broken(&text),
        Reply::Stalls(text) => stalled(&text),
        Reply::Hangs => std::future::pending().await,
    };
    world.ledger.answered(place);
    response
}

impl World {
    /// How many prompts for the same judgement came before.
    fn script_calls(&self, prompt: &Prompt) -> usize {
        let same = format!("{:?} ", prompt.judgement);
        self.ledger.count("model", &same)
    }
}

fn answer(text: &str, finish: &str, streamed: bool) -> Response {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20 + text.len() / 4 });
    if !streamed {
        let whole = json!({
            "model": "scripted", "usage": usage,
            "choices": [{ "index": 0, "finish_reason": finish, "message": { "role": "assistant", "content": text } }],
        });
        return Json(whole).into_response();
    }
    let end = json!({ "model": "scripted", "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] });
    let used = json!({ "model": "scripted", "choices": [], "usage": usage });
    let events = [
        piece(text),
        event(&end),
        event(&used),
        "data: [DONE]\n\n".to_owned(),
    ];
    events_of(events.concat().into())
}

fn no_choices(streamed: bool) -> Response {
    let empty = json!({ "model": "scripted", "choices": [] });
    if streamed {
        events_of(format!("{}data: [DONE]\n\n", event(&empty)).into())
    } else {
        Json(empty).into_response()
    }
}

/// How often a stream says that it lives.
const PING_EVERY: Duration = Duration::from_millis(100);

fn pings() -> Response {
    let ping = |()| async {
        tokio::time::sleep(PING_EVERY).await;
        let ping: Result<_, std::io::Error> = Ok(Bytes::from_static(b": processing\n\n"));
        Some((ping, ()))
    };
    events_of(Body::from_stream(stream::unfold((), ping)))
}

fn piece(text: &str) -> String {
    event(
        &json!({ "model": "scripted", "choices": [{ "index": 0, "delta": { "content": text } }] }),
    )
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn events_of(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// A stream that is open and brings nothing more.
fn stalled(text: &str) -> Response {
    let first: Result<_, std::io::Error> = Ok(Bytes::from(piece(text)));
    events_of(Body::from_stream(
        stream::iter([first]).chain(stream::pending()),
    ))
}

/// A stream that ends in the middle without a word.
fn broken(text: &str) -> Response {
    let first = stream::iter([Ok(Bytes::from(piece(text)))]);
    let cut = stream::iter([Err(std::io::Error::other("cut off"))]);
    events_of(Body::from_stream(first.chain(cut)))
}
