//! `/run`: a task in, a cited answer out, in one request; or as a stream, or as a job to come back for.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use fathom_render::answer::{Answer, AnswerStatus, Answered};
use fathom_research::workflows::answer;
use fathom_workflow::RunId;
use fathom_workflow::record::{RunHeader, Status};
use futures::{Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::access::Caller;
use super::admit::{self, IdempotencyKey, StartRequest};
use super::body::JsonBody;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::events;
use super::service::{Service, Shared};
use super::wire::Accepted;

/// A task to be answered.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RunBody {
    /// What is asked, in 10 to 2,000 characters.
    task: String,
    /// simple, standard or deep: 2, 5 or 10 rounds. Without it the planner chooses.
    #[serde(default)]
    complexity_tier: Option<Tier>,
    /// Rounds of searching.
    #[serde(default)]
    max_iters: Option<u32>,
    /// Queries of the plan.
    #[serde(default)]
    max_queries: Option<usize>,
    /// Sources of the whole run.
    #[serde(default)]
    max_sources: Option<usize>,
    /// Seconds after which the answer is made from what there is.
    #[serde(default)]
    max_execution_time_s: Option<u64>,
    /// Which results of the web are wanted at all.
    #[serde(default)]
    filters: Option<RunFilters>,
    /// Libraries to search, by name.
    #[serde(default)]
    library: Option<Vec<String>>,
    /// Whether the events of the run are streamed, with the answer as the last but one.
    #[serde(default)]
    stream: bool,
    /// Whether the answer is not waited for: the run is given as a job.
    #[serde(default)]
    r#async: bool,
}

/// Bounds on what searches of the web give. Own documents are searched whole.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RunFilters {
    /// The first year of scholarly works.
    year_from: Option<i16>,
    /// The last year of scholarly works.
    year_to: Option<i16>,
    /// The first day of news, such as 2024-05-17; the last 30 days where nothing is said.
    #[schema(format = Date)]
    news_since: Option<String>,
    /// The language of results, as a code such as en, where a provider can tell.
    language: Option<String>,
}

/// How far a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// 2 rounds, 3 queries, 5 sources.
    Simple,
    /// 5 rounds, 10 queries, 15 sources.
    Standard,
    /// 10 rounds, 15 queries, 20 sources.
    Deep,
}

/// A cited answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentResponse {
    /// The run that it is of.
    #[schema(value_type = String, format = "uuid")]
    run: RunId,
    /// The first sentence of the answer.
    summary: String,
    /// The answer with its citations, and what to be wary of.
    final_answer: String,
    /// The sources that the answer cites. Each was read, and each citation was checked.
    sources: Vec<AgentSource>,
    /// yes, partly or no: whether the sources answer the task.
    answered: &'static str,
    /// How sure the reasoner is, 0 to 1.
    confidence: f64,
    /// What is not known, in sentences.
    gaps: Vec<String>,
    /// Whether the answer rests on less than was intended: searches failed, the time was used up, or a model could not be
    /// used. The text of the answer says which.
    degraded_mode: bool,
    /// Whether the run stopped although more means might have found what is missing.
    insufficient_termination: bool,
    /// Rounds that were searched.
    iterations: u32,
    /// How it came about.
    metadata: AgentMetadata,
}

/// A source that an answer cites.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSource {
    /// As the answer cites it: [1].
    id: String,
    /// Its title.
    title: String,
    /// web, academic, news, code or local.
    r#type: String,
    /// Its address, or its path inside a library.
    location: String,
    /// The passage that the answer rests on.
    passage: String,
}

/// How an answer came about.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentMetadata {
    /// When it was there.
    timestamp: jiff::Timestamp,
    /// Who wrote it: a model, or "extractive" where it is made of quotes.
    model: String,
    /// Tokens that were spent.
    token_count: u64,
    /// How long it took.
    duration_ms: u64,
}

/// Answers a task with checked citations. `stream` gives events on the way; `async` gives a job to come back for.
#[utoipa::path(post, path = "/run", tag = "answers", request_body = RunBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "Two requests with one key begin one run")),
    responses((status = 200, description = "The answer, or with stream its events", content(
            (AgentResponse = "application/json"), (Object = "text/event-stream"))),
        (status = 202, description = "The job, with async", body = Accepted),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse),
        (status = "5XX", description = "The run failed, or there is no room", body = ErrorResponse)))]
pub async fn run(
    State(service): State<Shared>,
    caller: Caller,
    key: IdempotencyKey,
    JsonBody(body): JsonBody<RunBody>,
) -> ApiResult<Response> {
    answered(&service, &caller, key, body).await
}

/// As `/run`, for simple tasks unless the request says otherwise.
#[utoipa::path(post, path = "/run-simple", tag = "answers", request_body = RunBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "Two requests with one key begin one run")),
    responses((status = 200, description = "The answer, or with stream its events", content(
            (AgentResponse = "application/json"), (Object = "text/event-stream"))),
        (status = 202, description = "The job, with async", body = Accepted),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse),
        (status = "5XX", description = "The run failed, or there is no room", body = ErrorResponse)))]
pub async fn run_simple(
    State(service): State<Shared>,
    caller: Caller,
    key: IdempotencyKey,
    JsonBody(mut body): JsonBody<RunBody>,
) -> ApiResult<Response> {
    body.complexity_tier.get_or_insert(Tier::Simple);
    answered(&service, &caller, key, body).await
}

async fn answered(
    service: &Shared,
    caller: &Caller,
    key: IdempotencyKey,
    body: RunBody,
) -> ApiResult<Response> {
    if body.stream && body.r#async {
        return Err(ApiError::invalid(
            "stream",
            "choose stream or async, not both",
        ));
    }
    let (stream, job) = (body.stream, body.r#async);
    let request = StartRequest {
        workflow: answer::NAME.to_owned(),
        input: input(body),
        keep: false,
    };
    let begun = admit::start(service, caller, key, request).await;
    let begun = begun.map_err(|error| error.renamed("question", "task").without("settings."))?;
    if job {
        return Ok(begun.into_response());
    }
    if stream {
        let events = with_answer(service, begun.run);
        let heartbeat = KeepAlive::new().interval(service.limits.heartbeat());
        return Ok(Sse::new(events).keep_alive(heartbeat).into_response());
    }
    ended(service, begun.run).await?;
    Ok(Json(response(service, begun.run).await?).into_response())
}

/// The workflow's input for a request.
fn input(body: RunBody) -> Map<String, Value> {
    let mut input = Map::new();
    input.insert("question".to_owned(), json!(body.task));
    if let Some(tier) = body.complexity_tier {
        input.insert("tier".to_owned(), json!(tier));
    }
    let settings = admit::given(json!({
        "max_iters": body.max_iters,
        "max_queries": body.max_queries,
        "max_sources": body.max_sources,
        "max_execution_time_s": body.max_execution_time_s,
        "library": body.library,
        "filters": body.filters,
    }));
    input.insert("settings".to_owned(), Value::Object(settings));
    input
}

/// Waits until a run has ended. It goes on if the client leaves, or the service does.
pub async fn ended(service: &Service, run: RunId) -> ApiResult<()> {
    let mut events = pin!(service.host.events(run, 0));
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(()),
            },
            () = service.stop.cancelled() => {
                let message = format!("the service ends; the run goes on later: GET /runs/{run}");
                return Err(ApiError::overloaded(message, 5));
            }
        }
    }
}

/// The events of a run, then its answer, then its end.
fn with_answer(
    service: &Shared,
    run: RunId,
) -> impl Stream<Item = Result<Event, Infallible>> + Send + use<> {
    let told = Arc::clone(service);
    let answer = futures::stream::once(async move {
        let event = match response(&told, run).await {
            Ok(answer) => Event::default().event("answer").json_data(answer),
            Err(error) => Event::default().event("error").json_data(error.body()),
        };
        event.ok()
    });
    events::stream_with(service, run, 0, answer)
}

/// What a run brought, in the shape of `/run`.
pub async fn response(service: &Service, run: RunId) -> ApiResult<AgentResponse> {
    let (view, outcome) = service.host.view_with_outcome(run).await?;
    let RunHeader { about, head, .. } = view.run;
    let Some(outcome) = outcome else {
        let why = head
            .reason
            .unwrap_or_else(|| "it brought nothing".to_owned());
        let (status, kind) = match head.status {
            Status::Cancelled => (StatusCode::CONFLICT, "cancelled"),
            _ => (StatusCode::BAD_GATEWAY, "internal"),
        };
        return Err(ApiError::new(
            status,
            kind,
            format!("the run ended without an answer: {why}"),
        ));
    };
    let answer: Answer = serde_json::from_value(outcome).map_err(ApiError::internal)?;
    if let AnswerStatus::Error { stage, why } = &answer.status {
        let last = view.state["error_log"]
            .as_array()
            .and_then(|log| log.last());
        let kind = last.and_then(|error| error["category"].as_str());
        let message = format!("{stage} failed: {why}");
        return Err(ApiError::new(StatusCode::BAD_GATEWAY, error_type(kind), message).retryable());
    }
    let spent = view.tally.meters.get("tokens").copied().unwrap_or(0);
    let took = head.updated_at.duration_since(about.created_at);
    Ok(shaped(run, &answer, &view.state, spent, took))
}

fn error_type(category: Option<&str>) -> &'static str {
    let known = [
        "api_error",
        "rate_limit",
        "timeout",
        "validation",
        "parsing",
        "context_overflow",
    ];
    let known = known.into_iter().find(|known| Some(*known) == category);
    known.unwrap_or("internal")
}

fn shaped(
    run: RunId,
    answer: &Answer,
    state: &Value,
    token_count: u64,
    took: jiff::SignedDuration,
) -> AgentResponse {
    let text = answer.text();
    let verdict = fathom_render::answer::verdict(answer);
    let mut parts = vec![text];
    parts.push(verdict.clone());
    parts.extend(fathom_render::answer::warnings(answer));
    parts.retain(|part| !part.is_empty());
    let first = answer
        .sentences
        .first()
        .map(|sentence| sentence.text.clone());
    let sources = answer.cited().map(|source| AgentSource {
        id: format!("[{}]", source.number.0),
        title: source.title.clone(),
        r#type: json!(source.kind).as_str().unwrap_or("web").to_owned(),
        location: source.location.clone(),
        passage: source.passage.clone(),
    });
    let gaps = state["gaps"].as_array().into_iter().flatten();
    let degraded = state["degraded"].as_array().into_iter().flatten();
    let fell_short = |one: &Value| *one == json!("search_failed") || one.get("made_by").is_some();
    let degraded = degraded.filter(|one| fell_short(one)).count();
    AgentResponse {
        run,
        summary: first.unwrap_or(verdict),
        final_answer: parts.join("\n\n"),
        sources: sources.collect(),
        answered: match answer.answered {
            Answered::Yes => "yes",
            Answered::Partly => "partly",
            Answered::No => "no",
        },
        confidence: answer.confidence,
        gaps: gaps
            .filter_map(|gap| gap.as_str().map(str::to_owned))
            .collect(),
        degraded_mode: degraded > 0 || !answer.is_answer(),
        insufficient_termination: state["insufficient_termination"] == json!(true),
        iterations: state["iteration"]
            .as_u64()
            .and_then(|count| count.try_into().ok())
            .unwrap_or(0),
        metadata: AgentMetadata {
            timestamp: answer.finished_at,
            model: answer.reasoner.clone(),
            token_count,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(0),
        },
    }
}
