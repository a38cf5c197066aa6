//! What a run knows and has brought: its state, its report, its path, its whole log.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use fathom_render::FormOptions;
use fathom_workflow::display::DisplayLimits;
use fathom_workflow::draw::{self, RunPath};
use fathom_workflow::record::{Meters, RunTally};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::access::{Caller, OwnedRun};
use super::body::Params;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::service::Shared;
use super::wire::RunSummary;
use crate::cli::ReportFormat;
use crate::deliver::{self, Deliverable};
use crate::render;

/// Which state is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StateParams {
    /// The state after this step; the last one unless said.
    at: Option<u64>,
    /// Whether long fields are given whole instead of cut short.
    #[serde(default)]
    whole: bool,
}

/// What a run knows after a step.
#[derive(Serialize, ToSchema)]
pub struct RunState {
    /// The run.
    run: RunSummary,
    /// The step that the state is of.
    step: u64,
    /// The node that follows.
    next: Option<String>,
    /// What was spent until then, by meter.
    #[schema(value_type = Object)]
    spent: Meters,
    /// The state in the workflow's own form, long fields cut short.
    #[schema(value_type = Object)]
    state: Value,
    /// What is damaged, if a later step cannot be read.
    damage: Option<String>,
}

/// Shows the state of a run after any of its steps.
#[utoipa::path(get, path = "/runs/{id}/state", tag = "runs",
    params(("id" = String, Path, description = "The run's id"), StateParams),
    responses((status = 200, description = "The state", body = RunState),
        (status = 404, description = "There is no such run or step", body = ErrorResponse),
        (status = 422, description = "A parameter is wrong", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn run_state(
    State(service): State<Shared>,
    run: OwnedRun,
    Params(asked): Params<StateParams>,
) -> ApiResult<Json<RunState>> {
    let view = service.host.view(run.id(), asked.at).await?;
    let RunTally { meters, .. } = view.tally;
    let state = if asked.whole {
        view.state
    } else {
        DisplayLimits::default().apply(&view.state)
    };
    Ok(Json(RunState {
        run: RunSummary::from(&view.run),
        step: view.step,
        next: view.next.map(|next| next.to_string()),
        spent: meters,
        state,
        damage: view
            .damage
            .map(|damage| format!("{}: {}", damage.what, damage.why)),
    }))
}

/// In which form the report is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportParams {
    /// md, html, docx, json or bibtex for a report; an appraisal has csv, svg and png, and what is neither has only json.
    #[param(inline)]
    format: Option<WireFormat>,
    /// Whether Markdown and Word show the stored words that each claim rests on.
    #[serde(default)]
    proofs: bool,
}

/// The forms of what a run brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WireFormat {
    /// Markdown.
    Md,
    /// A page that stands for itself.
    Html,
    /// A Word document.
    Docx,
    /// Everything, for programs.
    Json,
    /// The references.
    Bibtex,
    /// The table that robvis reads, of an appraisal.
    Csv,
    /// The traffic lights of an appraisal.
    Svg,
    /// The same as dots.
    Png,
}

impl From<WireFormat> for ReportFormat {
    fn from(format: WireFormat) -> Self {
        match format {
            WireFormat::Md => Self::Md,
            WireFormat::Html => Self::Html,
            WireFormat::Docx => Self::Docx,
            WireFormat::Json => Self::Json,
            WireFormat::Bibtex => Self::Bibtex,
            WireFormat::Csv => Self::Csv,
            WireFormat::Svg => Self::Svg,
            WireFormat::Png => Self::Png,
        }
    }
}

fn content_type(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Md => "text/markdown; charset=utf-8",
        ReportFormat::Html => "text/html; charset=utf-8",
        ReportFormat::Docx => {
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        }
        ReportFormat::Json => "application/json",
        ReportFormat::Bibtex => "application/x-bibtex; charset=utf-8",
        ReportFormat::Csv => "text/csv; charset=utf-8",
        ReportFormat::Svg => "image/svg+xml",
        ReportFormat::Png => "image/png",
    }
}

/// Gives what a run brought, in the form that is asked for.
#[utoipa::path(get, path = "/runs/{id}/report", tag = "runs",
    params(("id" = String, Path, description = "The run's id"), ReportParams),
    responses((status = 200, description = "What the run brought, in that form"),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = 409, description = "It has brought nothing yet", body = ErrorResponse),
        (status = 422, description = "It has no such form", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn run_report(
    State(service): State<Shared>,
    run: OwnedRun,
    Params(asked): Params<ReportParams>,
) -> ApiResult<Response> {
    let kind = service.host.workflow_of(run.id()).await?.outcome_kind();
    let asked_format = asked.format.map(ReportFormat::from);
    // A file's name lets Word be chosen although it cannot be shown.
    let beside = std::path::Path::new("report");
    let format = match asked_format {
        None => render::chosen(kind, None, None),
        some => render::chosen(kind, some, Some(beside)),
    };
    let format = format.map_err(|problem| ApiError::invalid("format", problem))?;
    let Some(mut outcome) = deliver::outcome(&service.host, run.id()).await? else {
        let status = &run.header.head.status;
        return Err(ApiError::conflict(format!(
            "the run has brought nothing yet: it is {status}"
        )));
    };
    // A page that leaves this machine links to no file of it.
    if let Deliverable::Answer { roots, .. } = &mut outcome {
        roots.clear();
    }
    let options = FormOptions {
        proofs: asked.proofs,
        ..FormOptions::default()
    };
    let bytes = tokio::task::spawn_blocking(move || outcome.bytes(format, &options));
    let bytes = bytes.await.map_err(ApiError::internal)??;
    let mut response = ([(CONTENT_TYPE, content_type(format))], bytes).into_response();
    if format == ReportFormat::Docx {
        let name = format!("attachment; filename=\"{}.docx\"", run.id());
        if let Ok(name) = name.parse() {
            response.headers_mut().insert(CONTENT_DISPOSITION, name);
        }
    }
    Ok(response)
}

/// Draws the workflow of a run with the path that it took.
#[utoipa::path(get, path = "/runs/{id}/graph.svg", tag = "runs", params(("id" = String, Path, description = "The run's id")),
    responses((status = 200, description = "The graph", content_type = "image/svg+xml"),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn run_graph(State(service): State<Shared>, run: OwnedRun) -> ApiResult<Response> {
    let outline = service.host.workflow_of(run.id()).await?.outline();
    let steps = deliver::steps(&service.host, run.id()).await?;
    let path = RunPath::from_steps(&steps);
    let drawing = draw::draw(&outline, Some(&path), draw::Format::Svg);
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'",
        ),
    ];
    Ok((headers, drawing).into_response())
}

/// Exports everything that is stored about a run, as JSON lines.
#[utoipa::path(get, path = "/runs/{id}/export", tag = "runs", params(("id" = String, Path, description = "The run's id")),
    responses((status = 200, description = "The log, one record a line", content_type = "application/jsonl"),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn export_run(State(service): State<Shared>, run: OwnedRun) -> Response {
    let lines = service.host.export(run.id()).inspect_err(|error| {
        tracing::error!(%error, "an export broke off");
    });
    let headers = [(CONTENT_TYPE, "application/jsonl")];
    (headers, Body::from_stream(lines)).into_response()
}

/// A workflow that runs can be begun of.
#[derive(Serialize, ToSchema)]
pub struct WorkflowInfo {
    /// Its name.
    name: &'static str,
    /// The kind of what its runs bring; "json" has no other form.
    outcome: &'static str,
    /// The JSON schema of its input: `question` and `options` together.
    #[schema(value_type = Object)]
    input: Value,
}

/// Lists the workflows with the schemas of their inputs.
#[utoipa::path(get, path = "/workflows", tag = "runs",
    responses((status = 200, description = "Every workflow", body = [WorkflowInfo])))]
pub async fn list_workflows(
    State(service): State<Shared>,
    _caller: Caller,
) -> Json<Vec<WorkflowInfo>> {
    let workflows = service.host.workflows();
    let workflows = workflows.map(|workflow| WorkflowInfo {
        name: workflow.name(),
        outcome: workflow.outcome_kind(),
        input: workflow.input_schema().clone(),
    });
    Json(workflows.collect())
}
