//! `/v1/responses`: the newer form of a chat with OpenAI, over the same workflows as chat completions.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use fathom_workflow::RunId;
use futures::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::access::Caller;
use super::admit::IdempotencyKey;
use super::body::Lenient;
use super::error::{ApiResult, ErrorResponse};
use super::openai::{self, ChatMessage, Said, TokensUsed};
use super::run;
use super::service::{Service, Shared};

/// A question in the newer form.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ResponsesBody {
    /// fathom-answer, fathom-ask or fathom-report.
    model: String,
    /// The question, or the messages of a chat, the oldest first.
    input: ResponsesInput,
    /// What a report should take into account.
    #[serde(default)]
    instructions: Option<String>,
    /// Whether the answer is sent in pieces.
    #[serde(default)]
    stream: Option<bool>,
}

/// What is asked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(
    untagged,
    expecting = "it must be a text, or a list of messages with a role and a content each"
)]
pub enum ResponsesInput {
    /// The question itself.
    Text(String),
    /// A chat whose last message is the question.
    Messages(Vec<ChatMessage>),
}

/// Answers a question, as a response of OpenAI.
#[utoipa::path(post, path = "/v1/responses", tag = "openai", request_body = ResponsesBody,
    responses((status = 200, description = "A response, or the events that lead to it", content(
            (Object = "application/json"), (Object = "text/event-stream"))),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse),
        (status = "5XX", description = "The run failed, or there is no room", body = ErrorResponse)))]
pub async fn create_response(
    State(service): State<Shared>,
    caller: Caller,
    key: IdempotencyKey,
    Lenient(body): Lenient<ResponsesBody>,
) -> ApiResult<Response> {
    let mut messages = match body.input {
        ResponsesInput::Text(text) => vec![ChatMessage::new("user", text)],
        ResponsesInput::Messages(messages) => messages,
    };
    if let Some(instructions) = body.instructions {
        messages.insert(0, ChatMessage::new("system", instructions));
    }
    let begun = openai::begin(&service, &caller, key, &body.model, &messages).await;
    let (run, model) = begun.map_err(|error| error.renamed("messages", "input"))?;
    if body.stream == Some(true) {
        let heartbeat = KeepAlive::new().interval(service.limits.heartbeat());
        let events = events(Arc::clone(&service), run, model);
        return Ok(Sse::new(events).keep_alive(heartbeat).into_response());
    }
    run::ended(&service, run).await?;
    let said = openai::said(&service, run).await?;
    Ok(Json(completed(&service, run, model, &said).await?).into_response())
}

/// The response once the run has ended.
async fn completed(service: &Service, run: RunId, model: &str, said: &Said) -> ApiResult<Value> {
    let view = service.host.view(run, None).await?;
    let used = TokensUsed::from_meters(&view.tally.meters);
    let mut response = response(run, model, "completed");
    response["created_at"] = json!(view.run.about.created_at.as_second());
    response["output"] = json!([item(run, Some(said))]);
    response["usage"] = json!({
        "input_tokens": used.read, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": used.written, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": used.read + used.written,
    });
    Ok(response)
}

fn response(run: RunId, model: &str, status: &str) -> Value {
    json!({
        "id": format!("resp_{run}"), "object": "response", "created_at": 0, "status": status, "model": model,
        "output": [], "error": null, "incomplete_details": null, "instructions": null, "metadata": {},
        "parallel_tool_calls": false, "tool_choice": "none", "tools": [], "temperature": null, "top_p": null,
    })
}

/// The message of the answer; without words while it is under way.
fn item(run: RunId, said: Option<&Said>) -> Value {
    let (status, content) = match said {
        Some(said) => ("completed", json!([part(said)])),
        None => ("in_progress", json!([])),
    };
    json!({
        "type": "message", "id": format!("msg_{run}"), "role": "assistant", "status": status, "content": content,
    })
}

fn part(said: &Said) -> Value {
    let annotations = said.annotations.iter().map(|annotation| {
        let mut flat = annotation["url_citation"].clone();
        flat["type"] = json!("url_citation");
        flat
    });
    let annotations: Vec<Value> = annotations.collect();
    json!({ "type": "output_text", "text": said.text, "annotations": annotations, "logprobs": [] })
}

/// The events of a response: that it was begun at once, the rest when the run has ended.
fn events(
    service: Shared,
    run: RunId,
    model: &'static str,
) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    let begun =
        json!({ "type": "response.created", "response": response(run, model, "in_progress") });
    let first = futures::stream::once(std::future::ready(begun));
    let rest = futures::stream::once(async move {
        futures::stream::iter(match written(&service, run, model).await {
            Ok(events) => events,
            Err(error) => {
                let mut failed = response(run, model, "failed");
                failed["error"] = json!({ "code": "server_error", "message": error.sentence() });
                vec![json!({ "type": "response.failed", "response": failed })]
            }
        })
    });
    let events = first.chain(rest.flatten()).enumerate();
    events.map(|(nth, mut event)| {
        event["sequence_number"] = json!(nth);
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        Ok(Event::default().event(kind).data(event.to_string()))
    })
}

async fn written(service: &Service, run: RunId, model: &str) -> ApiResult<Vec<Value>> {
    run::ended(service, run).await?;
    let said = openai::said(service, run).await?;
    let at = |kind: &str, more: Value| {
        let mut event = json!({
            "type": format!("response.{kind}"), "item_id": format!("msg_{run}"), "output_index": 0, "content_index": 0,
        });
        if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
            event.extend(more);
        }
        event
    };
    let empty = json!({ "type": "output_text", "text": "", "annotations": [], "logprobs": [] });
    let mut events = vec![
        at("output_item.added", json!({ "item": item(run, None) })),
        at("content_part.added", json!({ "part": empty })),
    ];
    let pieces = openai::pieces(&said.text);
    events.extend(pieces.map(|piece| {
        at(
            "output_text.delta",
            json!({ "delta": piece, "logprobs": [] }),
        )
    }));
    events.extend([
        at(
            "output_text.done",
            json!({ "text": said.text, "logprobs": [] }),
        ),
        at("content_part.done", json!({ "part": part(&said) })),
        at(
            "output_item.done",
            json!({ "item": item(run, Some(&said)) }),
        ),
    ]);
    let response = completed(service, run, model, &said).await?;
    events.push(json!({ "type": "response.completed", "response": response }));
    Ok(events)
}
