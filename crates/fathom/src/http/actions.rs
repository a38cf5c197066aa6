//! What can be done with a run: decide at its gate, cancel it, resume it, fork it.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use fathom_workflow::Error;
use fathom_workflow::interrupt::{Decision, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::access::{Caller, OwnedRun};
use super::admit::{self, Begun, IdempotencyKey};
use super::body::JsonBody;
use super::caps;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::libraries;
use super::service::{Service, Shared};
use super::wire::{Accepted, RunSummary};
use crate::review::{self, Decided};

/// A decision at a gate.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ReviewBody {
    /// What is decided.
    pub verdict: WireVerdict,
    /// Changed fields, for modify; `gate.editable` of the run shows which there are.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub edits: Option<Value>,
    /// What to do better, for modify or reject.
    #[serde(default)]
    pub feedback: Option<String>,
    /// The gate that was looked at, as the run shows it. A decision never falls to a later one.
    #[serde(default)]
    pub gate: Option<GateName>,
}

/// Which gate is meant.
#[derive(Debug, Serialize, Deserialize, ToSchema, JsonSchema)]
pub struct GateName {
    /// The step that asks.
    pub step: u64,
    /// Its name within the step.
    pub key: String,
}

/// The ways to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WireVerdict {
    /// Go on as proposed.
    Approve,
    /// Do not go on this way.
    Reject,
    /// Go on with the edits, or do it again with the feedback.
    Modify,
    /// Go on without having looked.
    Skip,
}

/// What became of a decision.
#[derive(Serialize, ToSchema)]
pub struct Reviewed {
    /// Whether the gate's deadline had passed, so that the run returns to it.
    pub late: bool,
    /// The run as it stands now.
    pub run: RunSummary,
}

/// Decides at the gate of a waiting run. The first answer wins.
#[utoipa::path(post, path = "/runs/{id}/review", tag = "runs", request_body = ReviewBody,
    params(("id" = String, Path, description = "The run's id")),
    responses((status = 200, description = "The decision is recorded and the run goes on", body = Reviewed),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = 409, description = "It is not waiting, or somebody was quicker", body = ErrorResponse),
        (status = 422, description = "An edit does not fit", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn review_run(
    State(service): State<Shared>,
    caller: Caller,
    run: OwnedRun,
    JsonBody(body): JsonBody<ReviewBody>,
) -> ApiResult<Json<Reviewed>> {
    Ok(Json(decide(&service, &caller, &run, body).await?))
}

/// Records a decision and lets the run go on.
pub async fn decide(
    service: &Service,
    caller: &Caller,
    run: &OwnedRun,
    body: ReviewBody,
) -> ApiResult<Reviewed> {
    let verdict = match body.verdict {
        WireVerdict::Approve => Verdict::Approve,
        WireVerdict::Reject => Verdict::Reject,
        WireVerdict::Modify => Verdict::Modify,
        WireVerdict::Skip => Verdict::Skip,
    };
    if verdict == Verdict::Modify && body.edits.is_none() && body.feedback.is_none() {
        return Err(ApiError::invalid("edits", "modify needs edits or feedback"));
    }
    if verdict != Verdict::Modify && body.edits.is_some() {
        return Err(ApiError::invalid("edits", "they go with modify only"));
    }
    let decision = Decision {
        edits: body.edits,
        feedback: body.feedback,
        ..Decision::new(verdict, caller.name())
    };
    let asked = body.gate.map(|gate| (gate.step, gate.key));
    // A run that waits takes no room; one that goes on does.
    let _turn = match verdict {
        Verdict::Approve | Verdict::Modify | Verdict::Skip => {
            caps::take_to_go_on(service, caller, run.id()).await?
        }
        Verdict::Reject => None,
    };
    let decided = review::decide(&service.host, run.id(), asked, decision).await?;
    service.host.hand_over(run.id()).await;
    let late = decided == Decided::Late;
    let run = summary(service, run).await?;
    Ok(Reviewed { late, run })
}

/// Asks a run to stop. It can be resumed.
#[utoipa::path(post, path = "/runs/{id}/cancel", tag = "runs", params(("id" = String, Path, description = "The run's id")),
    responses((status = 202, description = "It stops, or has stopped", body = RunSummary),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = 409, description = "It has ended", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn cancel_run(
    State(service): State<Shared>,
    run: OwnedRun,
) -> ApiResult<(StatusCode, Json<RunSummary>)> {
    service.host.cancel(run.id()).await?;
    let summary = summary(&service, &run).await?;
    Ok((StatusCode::ACCEPTED, Json(summary)))
}

/// Takes a run up again that was cancelled, failed, or waits for its time.
#[utoipa::path(post, path = "/runs/{id}/resume", tag = "runs", params(("id" = String, Path, description = "The run's id")),
    responses((status = 202, description = "It goes on", body = RunSummary),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = 409, description = "It has ended, or waits for a person", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn resume_run(
    State(service): State<Shared>,
    caller: Caller,
    run: OwnedRun,
) -> ApiResult<(StatusCode, Json<RunSummary>)> {
    let _turn = caps::take_to_go_on(&service, &caller, run.id()).await?;
    match service.host.resume(run.id()).await {
        // Who works on it already goes on with it.
        Ok(()) | Err(Error::Held { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    service.host.hand_over(run.id()).await;
    let summary = summary(&service, &run).await?;
    Ok((StatusCode::ACCEPTED, Json(summary)))
}

/// Where a fork begins.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ForkBody {
    /// The step to go on after.
    at: u64,
    /// Fields of the state to change first.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    edits: Option<Value>,
}

/// Begins a new run from a step of another.
#[utoipa::path(post, path = "/runs/{id}/fork", tag = "runs", request_body = ForkBody,
    params(("id" = String, Path, description = "The run's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Two requests with one key begin one run")),
    responses((status = 202, description = "The new run is committed", body = Accepted),
        (status = 404, description = "There is no such run or step", body = ErrorResponse),
        (status = 409, description = "Nothing follows that step", body = ErrorResponse),
        (status = 422, description = "An edit does not fit", body = ErrorResponse),
        (status = 503, description = "Too many runs are waiting; see Retry-After", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn fork_run(
    State(service): State<Shared>,
    caller: Caller,
    key: IdempotencyKey,
    run: OwnedRun,
    JsonBody(mut body): JsonBody<ForkBody>,
) -> ApiResult<Begun> {
    let (origin, at) = (run.id(), body.at);
    let fingerprint = (origin, at, &body.edits);
    let new = admit::new_run(&caller, key, &fingerprint, false)?;
    if let Some(Value::Object(edits)) = &mut body.edits {
        let workflow = &run.header.about.workflow;
        libraries::resolve(&service, &caller, workflow, edits)?;
    }
    let host = &service.host;
    admit::admit(&service, &caller, new, async |new, room| {
        if !room.is_unbounded() {
            room.limit_fork(&host.view(origin, Some(at)).await?, &mut body.edits);
        }
        host.fork(origin, at, new, body.edits).await
    })
    .await
}

async fn summary(service: &Service, run: &OwnedRun) -> ApiResult<RunSummary> {
    let header = service.host.header(run.id()).await?;
    Ok(RunSummary::from(&header))
}
