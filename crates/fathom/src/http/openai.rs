//! A face for programs that talk to OpenAI: workflows as models, a question as a chat, citations as annotations.
//!
//! Clients send many fields that mean nothing here, such as a temperature; they are passed over.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Json, http::StatusCode};
use fathom_render::answer::Answer;
use fathom_render::{FormOptions, Report};
use fathom_research::skills::budget;
use fathom_research::workflows::ask::{self, AskedTurn};
use fathom_research::workflows::{answer, report};
use fathom_workflow::event::EventKind;
use fathom_workflow::record::Meters;
use fathom_workflow::{Host, RunId};
use futures::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::access::Caller;
use super::admit::{self, IdempotencyKey, StartRequest};
use super::body::Lenient;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::run;
use super::service::{Service, Shared};

/// Models, and the workflows that they stand for.
const MODELS: [(&str, &str); 3] = [
    ("fathom-answer", answer::NAME),
    ("fathom-ask", ask::NAME),
    ("fathom-report", report::NAME),
];

/// Characters of a piece of a streamed answer.
const PIECE_CHARS: usize = 400;

/// Lists the workflows as models.
#[utoipa::path(get, path = "/v1/models", tag = "openai",
    responses((status = 200, description = "The models", body = Object)))]
pub async fn list_models(State(service): State<Shared>, _caller: Caller) -> Json<Value> {
    let models = served(&service.host).map(
        |(model, _)| json!({ "id": model, "object": "model", "created": 0, "owned_by": "fathom" }),
    );
    let models: Vec<Value> = models.collect();
    Json(json!({ "object": "list", "data": models }))
}

fn served(host: &Host) -> impl Iterator<Item = (&'static str, &'static str)> {
    let known = MODELS.into_iter();
    known.filter(|(_, workflow)| host.workflow(workflow).is_ok())
}

/// A chat whose last message is the question; it may lean on those before it.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ChatBody {
    /// fathom-answer, fathom-ask or fathom-report.
    model: String,
    /// The messages, the oldest first.
    messages: Vec<ChatMessage>,
    /// Whether the answer is sent in pieces.
    #[serde(default)]
    stream: Option<bool>,
    /// What else a stream holds.
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

/// What else a stream holds.
#[derive(Debug, Deserialize, ToSchema)]
pub struct StreamOptions {
    /// Whether it ends with the tokens that were used.
    #[serde(default)]
    include_usage: Option<bool>,
}

/// A message of a chat.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ChatMessage {
    /// user, assistant, system or developer.
    role: String,
    /// Its text, or parts of it.
    #[serde(default)]
    #[schema(value_type = Object)]
    content: Value,
}

impl ChatMessage {
    /// A message of plain text.
    pub fn new(role: &str, text: String) -> Self {
        Self {
            role: role.to_owned(),
            content: Value::String(text),
        }
    }

    fn is_empty(&self) -> bool {
        self.text().trim().is_empty()
    }

    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part["text"].as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }
}

/// Answers the last message of a chat, as a chat completion of OpenAI.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", request_body = ChatBody,
    responses((status = 200, description = "A chat completion, or its chunks", content(
            (Object = "application/json"), (String = "text/event-stream"))),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse),
        (status = "5XX", description = "The run failed, or there is no room", body = ErrorResponse)))]
pub async fn chat_completions(
    State(service): State<Shared>,
    caller: Caller,
    key: IdempotencyKey,
    Lenient(body): Lenient<ChatBody>,
) -> ApiResult<Response> {
    let (run, model) = begin(&service, &caller, key, &body.model, &body.messages).await?;
    if body.stream == Some(true) {
        let heartbeat = KeepAlive::new().interval(service.limits.heartbeat());
        let with_usage = body
            .stream_options
            .and_then(|options| options.include_usage);
        let chunks = chunks(Arc::clone(&service), run, model, with_usage == Some(true));
        return Ok(Sse::new(chunks).keep_alive(heartbeat).into_response());
    }
    Ok(Json(completion(&service, run, model).await?).into_response())
}

/// Begins the run that a model stands for.
pub async fn begin(
    service: &Service,
    caller: &Caller,
    key: IdempotencyKey,
    model: &str,
    messages: &[ChatMessage],
) -> ApiResult<(RunId, &'static str)> {
    let mut known = served(&service.host);
    let Some((model, workflow)) = known.find(|(known, _)| *known == model) else {
        let known: Vec<&str> = served(&service.host).map(|(model, _)| model).collect();
        let known = known.join(", ");
        let message = format!("there is no model \"{model}\"; there are {known}");
        return Err(ApiError::not_found(message).at("model"));
    };
    let request = StartRequest {
        workflow: workflow.to_owned(),
        input: input(workflow, messages)?,
        keep: false,
    };
    let begun = admit::start(service, caller, key, request).await;
    let begun = begun.map_err(|error| error.renamed("question", "messages"))?;
    Ok((begun.run, model))
}

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// Who tells the assistant what it is for; newer clients say developer.
const INSTRUCTING: [&str; 2] = ["system", "developer"];

/// The last message of a user is the question, understood with those before it. What a report should take into account is said
/// in system messages.
fn input(workflow: &str, messages: &[ChatMessage]) -> ApiResult<Map<String, Value>> {
    let last = messages.iter().rposition(|message| message.role == USER);
    let Some(last) = last.filter(|last| !messages[*last].is_empty()) else {
        return Err(ApiError::invalid(
            "messages",
            "there is no message of a user with a text",
        ));
    };
    let (question, earlier) = (messages[last].text(), turns(&messages[..last]));
    let mut input = Map::new();
    if workflow == ask::NAME {
        input.insert("question".to_owned(), json!(question));
        input.insert("earlier".to_owned(), json!(earlier));
        return Ok(input);
    }
    let whole = ask::in_full(&question, &earlier).unwrap_or(question);
    input.insert("question".to_owned(), json!(whole));
    let system = messages.iter();
    let system = system.filter(|message| INSTRUCTING.contains(&message.role.as_str()));
    let system: Vec<String> = system.map(ChatMessage::text).collect();
    if workflow == report::NAME && !system.is_empty() {
        input.insert("context".to_owned(), json!(system.join("\n")));
    }
    Ok(input)
}

/// What was asked in a chat, each with what was answered.
fn turns(messages: &[ChatMessage]) -> Vec<AskedTurn> {
    let mut turns: Vec<AskedTurn> = Vec::new();
    for message in messages.iter().filter(|message| !message.is_empty()) {
        match (message.role.as_str(), turns.last_mut()) {
            (USER, _) => turns.push(AskedTurn {
                question: message.text(),
                in_full: None,
                answer: String::new(),
            }),
            (ASSISTANT, Some(turn)) => turn.answer.push_str(&message.text()),
            _ => {}
        }
    }
    turns
}

/// What is said, and what it cites.
pub struct Said {
    /// Markdown, with citations such as [1].
    pub text: String,
    /// The citations that have an address.
    pub annotations: Vec<Value>,
}

/// What a run that has ended says.
pub async fn said(service: &Service, run: RunId) -> ApiResult<Said> {
    let outcome = service.host.outcome(run).await?;
    let Some(outcome) = outcome else {
        let reason = service.host.header(run).await?.head.reason;
        let why = reason.unwrap_or_else(|| "it brought nothing".to_owned());
        let message = format!("the run ended without an answer: {why}");
        return Err(ApiError::new(StatusCode::BAD_GATEWAY, "internal", message));
    };
    let kind = service.host.workflow_of(run).await?.outcome_kind();
    if kind == fathom_render::report::KIND {
        let report: Report = serde_json::from_value(outcome).map_err(ApiError::internal)?;
        let text = fathom_render::markdown::markdown(&report, &FormOptions::default());
        let places = report.sources.iter();
        let places = places.map(|source| {
            (
                source.number.0,
                source.title.clone(),
                source.location.clone(),
            )
        });
        let annotations = annotations(&text, places);
        return Ok(Said { text, annotations });
    }
    let answer: Answer = serde_json::from_value(outcome).map_err(ApiError::internal)?;
    let text = fathom_render::answer::markdown(&answer);
    let places = answer.cited();
    let places = places.map(|source| {
        (
            source.number.0,
            source.title.clone(),
            source.location.clone(),
        )
    });
    let annotations = annotations(&text, places);
    Ok(Said { text, annotations })
}

/// The first citation of each source that has an address, by its place in characters.
fn annotations(text: &str, sources: impl Iterator<Item = (u32, String, String)>) -> Vec<Value> {
    let cited = sources.filter_map(|(number, title, location)| {
        let mark = format!("[{number}]");
        let at = text.find(&mark)?;
        let start = text.get(..at)?.chars().count();
        let is_address = location.starts_with("http://") || location.starts_with("https://");
        is_address.then(|| {
            json!({ "type": "url_citation", "url_citation": {
                "start_index": start, "end_index": start + mark.len(), "url": location, "title": title,
            }})
        })
    });
    cited.collect()
}

async fn completion(service: &Service, run: RunId, model: &str) -> ApiResult<Value> {
    let (said, used) = finished(service, run).await?;
    let header = service.host.header(run).await?;
    Ok(json!({
        "id": format!("chatcmpl-{run}"), "object": "chat.completion",
        "created": header.about.created_at.as_second(), "model": model,
        "choices": [{
            "index": 0, "finish_reason": "stop", "logprobs": null,
            "message": {
                "role": "assistant", "content": said.text, "refusal": null, "annotations": said.annotations,
            },
        }],
        "usage": used.of_chat(),
    }))
}

/// What the models of a run read and wrote.
pub struct TokensUsed {
    /// Tokens of prompts.
    pub read: u64,
    /// Tokens of answers.
    pub written: u64,
}

impl TokensUsed {
    /// What a run has spent so far.
    pub fn from_meters(meters: &Meters) -> Self {
        let meter = |name| meters.get(name).copied().unwrap_or(0);
        let written = meter(budget::TOKENS_WRITTEN);
        Self {
            read: meter(budget::TOKENS).saturating_sub(written),
            written,
        }
    }

    /// As a chat completion tells it.
    fn of_chat(&self) -> Value {
        let Self { read, written } = self;
        json!({ "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written })
    }
}

/// What is being written while it is written, as thoughts, since nothing of it is checked; then the answer in pieces.
fn chunks(
    service: Shared,
    run: RunId,
    model: &'static str,
    with_usage: bool,
) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    let created = jiff::Timestamp::now().as_second();
    let chunk = move |choices: Value, usage: Value| {
        let mut chunk = json!({
            "id": format!("chatcmpl-{run}"), "object": "chat.completion.chunk", "created": created, "model": model,
            "choices": choices,
        });
        if with_usage {
            chunk["usage"] = usage;
        }
        Event::default().data(chunk.to_string())
    };
    let delta = move |delta: Value, end: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": end, "logprobs": null });
        chunk(json!([choice]), Value::Null)
    };
    let begun = delta(json!({ "role": "assistant", "content": "" }), None);
    let first = futures::stream::once(std::future::ready(begun));
    let stop = service.stop.clone();
    let events = service.host.events(run, 0);
    let drafts = events.filter_map(move |event| {
        let draft = match event.map(|event| event.kind) {
            Ok(EventKind::EffectProgressed { text, .. }) => Some(format!("{text} ")),
            _ => None,
        };
        let draft = draft.map(|text| delta(json!({ "reasoning_content": text }), None));
        std::future::ready(draft)
    });
    let drafts = drafts.take_until(async move { stop.cancelled().await });
    let rest = futures::stream::once(async move {
        let mut events = match finished(&service, run).await {
            Ok((said, used)) => {
                let pieces = pieces(&said.text);
                let mut events: Vec<Event> = pieces
                    .map(|piece| delta(json!({ "content": piece }), None))
                    .collect();
                let annotated = json!({ "annotations": said.annotations });
                events.push(delta(annotated, Some("stop")));
                if with_usage {
                    events.push(chunk(json!([]), used.of_chat()));
                }
                events
            }
            Err(error) => vec![Event::default().data(json!(error.body()).to_string())],
        };
        events.push(Event::default().data("[DONE]"));
        futures::stream::iter(events)
    });
    first.chain(drafts).chain(rest.flatten()).map(Ok)
}

/// What a run says once it has ended, and what it used.
async fn finished(service: &Service, run: RunId) -> ApiResult<(Said, TokensUsed)> {
    run::ended(service, run).await?;
    let view = service.host.view(run, None).await?;
    let used = TokensUsed::from_meters(&view.tally.meters);
    Ok((said(service, run).await?, used))
}

/// A text in the pieces that it is streamed in.
pub fn pieces(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = letters
        .chunks(PIECE_CHARS)
        .map(|piece| piece.iter().collect())
        .collect();
    pieces.into_iter()
}
