//! Runs: begin one, list them, look at one, delete one.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use fathom_workflow::Error;
use fathom_workflow::journal::{ListCursor, RunFilter};
use fathom_workflow::record::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::access::{Caller, OwnedRun};
use super::admit::{self, Begun, IdempotencyKey, StartRequest};
use super::body::{JsonBody, Params};
use super::caps;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::service::{Service, Shared};
use super::wire::{Accepted, OpenGate, RunDetail, RunSummary};
use crate::run_list;

/// Runs on one page, unless fewer are asked for.
const PAGE_MOST: usize = 200;
const PAGE: usize = 20;

/// The run to begin.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct NewRunBody {
    /// The workflow, such as report; `GET /workflows` lists them.
    workflow: String,
    /// What is asked, for workflows that take a question.
    #[serde(default)]
    question: Option<String>,
    /// Every other field of the workflow's input; `GET /workflows` gives its schema. Libraries are given by name.
    #[serde(default)]
    #[schema(value_type = Object)]
    options: Map<String, Value>,
    /// Keep the run when finished runs expire.
    #[serde(default)]
    keep: bool,
}

/// Begins a run. It is committed when this answers.
#[utoipa::path(post, path = "/runs", tag = "runs", request_body = NewRunBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "Two requests with one key begin one run")),
    responses((status = 202, description = "The run is committed", body = Accepted),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse),
        (status = 503, description = "Too many runs are waiting; see Retry-After", body = ErrorResponse)))]
pub async fn start_run(
    State(service): State<Shared>,
    caller: Caller,
    key: IdempotencyKey,
    JsonBody(body): JsonBody<NewRunBody>,
) -> ApiResult<Begun> {
    let mut input = body.options;
    if let Some(question) = body.question {
        input.insert("question".to_owned(), Value::String(question));
    }
    let request = StartRequest {
        workflow: body.workflow,
        input,
        keep: body.keep,
    };
    admit::start(&service, &caller, key, request).await
}

/// Which runs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListParams {
    /// Only runs with one of these statuses, separated by commas, such as waiting,partial.
    status: Option<String>,
    /// Only runs of this workflow.
    workflow: Option<String>,
    /// Only runs whose question contains this text.
    text: Option<String>,
    /// How many at most, 1 to 200.
    limit: Option<usize>,
    /// The `next` of the page before this one.
    after: Option<String>,
}

/// A page of runs.
#[derive(Serialize, ToSchema)]
pub struct RunList {
    /// The newest first.
    runs: Vec<RunSummary>,
    /// To be given as `after` for the next page; nothing on the last one.
    next: Option<String>,
    /// Runs whose records are damaged, each with what is wrong.
    damaged: Vec<String>,
}

/// Lists runs, newest first.
#[utoipa::path(get, path = "/runs", tag = "runs", params(ListParams),
    responses((status = 200, description = "A page of runs", body = RunList),
        (status = "4XX", description = "Refused, with the parameter", body = ErrorResponse)))]
pub async fn list_runs(
    State(service): State<Shared>,
    caller: Caller,
    Params(asked): Params<ListParams>,
) -> ApiResult<Json<RunList>> {
    let limit = asked.limit.unwrap_or(PAGE);
    if !(1..=PAGE_MOST).contains(&limit) {
        return Err(ApiError::invalid(
            "limit",
            format!("it is 1 to {PAGE_MOST}"),
        ));
    }
    let statuses = asked.status.unwrap_or_default();
    let statuses = statuses.split(',').map(str::trim);
    let statuses = statuses.filter(|word| !word.is_empty());
    let statuses: Vec<String> = statuses.map(str::to_owned).collect();
    if let Some(unknown) = unknown_status(&service, &caller, &statuses).await? {
        let known = run_list::STATUSES.join(", ");
        let message = format!("\"{unknown}\" is none of {known}");
        return Err(ApiError::invalid("status", message));
    }
    if let Some(workflow) = &asked.workflow {
        service.host.workflow(workflow)?;
    }
    let filter = RunFilter {
        statuses,
        workflow: asked.workflow,
        text: asked.text,
        after: asked.after.as_deref().map(cursor).transpose()?,
        limit,
        ..RunFilter::default()
    };
    let found = run_list::find(&service.host, filter, |run| caller.may_see(run)).await?;
    // A damaged run cannot say whose it is.
    let damaged = match caller {
        Caller::Local => found.damaged,
        Caller::Owner(_) => Vec::new(),
    };
    Ok(Json(RunList {
        runs: found.runs.iter().map(RunSummary::from).collect(),
        next: found.next.map(page_after),
        damaged,
    }))
}

/// The first word that is no status: neither one of those there are, nor a phase that a run of the caller's is in.
async fn unknown_status<'w>(
    service: &Service,
    caller: &Caller,
    words: &'w [String],
) -> ApiResult<Option<&'w str>> {
    let words = words.iter().map(String::as_str);
    for word in words.filter(|word| !run_list::STATUSES.contains(word)) {
        let filter = RunFilter {
            statuses: vec![word.to_owned()],
            limit: PAGE_MOST,
            ..RunFilter::default()
        };
        let found = run_list::find(&service.host, filter, |run| caller.may_see(run)).await?;
        if found.runs.is_empty() {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// What a client gives to get the next page.
pub fn page_after(cursor: ListCursor) -> String {
    format!("{}_{}", cursor.created_at, cursor.id)
}

/// Where the page begins that a client asks for.
pub fn cursor(text: &str) -> ApiResult<ListCursor> {
    let read = |(created_at, id): (&str, &str)| {
        Some(ListCursor {
            created_at: created_at.parse().ok()?,
            id: id.parse().ok()?,
        })
    };
    let cursor = text.split_once('_').and_then(read);
    cursor.ok_or_else(|| ApiError::invalid("after", "give the \"next\" of the page before"))
}

/// Shows a run, with the question that it asks while it waits.
#[utoipa::path(get, path = "/runs/{id}", tag = "runs", params(("id" = String, Path, description = "The run's id")),
    responses((status = 200, description = "The run", body = RunDetail),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn show_run(
    State(service): State<Shared>,
    run: OwnedRun,
) -> ApiResult<impl IntoResponse> {
    let reply = match service.shown.get(&run.header) {
        Some(reply) => reply,
        None => {
            let detail = detail(&service, &run).await?;
            service.shown.put(&run.header, &detail)?
        }
    };
    Ok(([(CONTENT_TYPE, "application/json")], reply))
}

/// A run with its open gate.
pub async fn detail(service: &Service, run: &OwnedRun) -> ApiResult<RunDetail> {
    let head = &run.header.head;
    let gate = if head.status == Status::Waiting && !head.parked {
        match service.host.gate(run.id()).await {
            Ok(gate) => {
                let editable = service.host.editable(run.id()).await;
                Some(OpenGate::new(gate, editable.ok().flatten()))
            }
            // Somebody has just answered.
            Err(Error::NotWaiting { .. }) => None,
            Err(error) => return Err(error.into()),
        }
    } else {
        None
    };
    Ok(RunDetail {
        summary: RunSummary::from(&run.header),
        gate,
    })
}

/// Deletes a run for good. One that is worked on is refused; cancel it first.
#[utoipa::path(delete, path = "/runs/{id}", tag = "runs", params(("id" = String, Path, description = "The run's id")),
    responses((status = 204, description = "It is gone"),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = 409, description = "It is worked on", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn delete_run(
    State(service): State<Shared>,
    caller: Caller,
    run: OwnedRun,
) -> ApiResult<StatusCode> {
    // It is done to its end, whether the client waits for it or not.
    let deleting = tokio::spawn(async move { caps::delete(&service, &caller, &run.header).await });
    deleting.await.map_err(ApiError::internal)??;
    Ok(StatusCode::NO_CONTENT)
}
