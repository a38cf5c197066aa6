//! Figures about the service in the form that Prometheus reads.

use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use fathom_workflow::{Host, RunId};
use metrics::{counter, describe_counter, describe_histogram, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use serde_json::Value;

use super::access::Caller;
use super::service::Shared;
use crate::exit::{Problem, Result};

const LOOP_DURATION: &str = "research_loop_duration_seconds";
const ITERATIONS: &str = "iterations_per_request";
const SEARCH_FAILURES: &str = "search_failures_total";
const RUNS: &str = "runs_total";
const REQUESTS: &str = "http_requests_total";

/// Borders of the buckets, in seconds and in rounds.
const SECONDS: [f64; 10] = [0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 600.0, 1_800.0];
const ROUNDS: [f64; 6] = [1.0, 2.0, 3.0, 5.0, 10.0, 20.0];

/// Begins to count, once for this process.
pub fn start() -> Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(LOOP_DURATION.to_owned()), &SECONDS)
        .and_then(|builder| {
            builder.set_buckets_for_metric(Matcher::Full(ITERATIONS.to_owned()), &ROUNDS)
        })
        .map_err(Problem::failed)?;
    let handle = builder.install_recorder().map_err(Problem::failed)?;
    describe_histogram!(
        LOOP_DURATION,
        "How long runs took from their start to their end"
    );
    describe_histogram!(ITERATIONS, "Rounds of searching of a run");
    describe_counter!(SEARCH_FAILURES, "Searches that nobody answered");
    describe_counter!(RUNS, "Runs that were worked on until they ended or waited");
    describe_counter!(REQUESTS, "Requests by route and status");
    // Series that nothing has been counted in yet are there from the start.
    counter!(SEARCH_FAILURES).increment(0);
    Ok(handle)
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "service",
    responses((status = 200, description = "Figures in the text form of Prometheus", content_type = "text/plain")))]
pub async fn metrics(State(service): State<Shared>, _caller: Caller) -> Response {
    let kind = [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, service.figures.render()).into_response()
}

/// A request that is counted once it is answered.
pub struct CountedRequest {
    route: Option<MatchedPath>,
    method: Method,
}

impl CountedRequest {
    /// By the route that it takes.
    pub fn new(request: &Request) -> Self {
        Self {
            route: request.extensions().get().cloned(),
            method: request.method().clone(),
        }
    }

    /// Counts it with the status of its answer.
    pub fn count(self, status: StatusCode) {
        let route = self.route.as_ref().map_or("none", MatchedPath::as_str);
        let labels = [
            ("route", route.to_owned()),
            ("method", self.method.to_string()),
            ("status", status.as_str().to_owned()),
        ];
        counter!(REQUESTS, &labels).increment(1);
    }
}

/// Counts a run that the background work has left: ended, or waiting.
pub async fn count_run(host: &Host, run: RunId) {
    let Ok(header) = host.header(run).await else {
        return;
    };
    let (workflow, status) = (
        header.about.workflow.to_string(),
        header.head.status.to_string(),
    );
    counter!(RUNS, "workflow" => workflow.clone(), "status" => status).increment(1);
    if !header.head.status.is_finished() {
        return;
    }
    let took = header
        .head
        .updated_at
        .duration_since(header.about.created_at);
    let took = Duration::try_from(took).unwrap_or_default();
    histogram!(LOOP_DURATION, "workflow" => workflow.clone()).record(took.as_secs_f64());
    let Ok(view) = host.view(run, None).await else {
        return;
    };
    let rounds = view.state["iteration"].as_u64();
    let rounds = rounds.or_else(|| {
        view.state["rounds"]
            .as_array()
            .map(|rounds| rounds.len() as u64)
    });
    if let Some(rounds) = rounds {
        histogram!(ITERATIONS, "workflow" => workflow).record(rounds as f64);
    }
    let queries = ["plan_queries", "queries"].into_iter();
    let queries = queries
        .filter_map(|name| view.state[name].as_array())
        .flatten();
    let failed = queries.filter(|asked: &&Value| !asked["outcome"]["failed"].is_null());
    counter!(SEARCH_FAILURES).increment(failed.count() as u64);
}
