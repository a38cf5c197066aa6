//! `/search`: one query, put once, with the results as they came.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use fathom_research::workflows::search;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::access::Caller;
use super::admit::{self, IdempotencyKey, StartRequest};
use super::body::{JsonBody, Params};
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::run;
use super::service::{Service, Shared};

/// A query.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SearchBody {
    /// What is searched for.
    pub query: String,
    /// web, academic, news, code or local. A library is searched where one is named, else the web.
    #[serde(default)]
    pub kind: Option<String>,
    /// Results at most, 1 to 50.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Libraries to search, by name.
    #[serde(default)]
    pub library: Option<Vec<String>>,
}

/// The same as parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SearchParams {
    /// What is searched for.
    query: String,
    /// web, academic, news, code or local.
    kind: Option<String>,
    /// Results at most, 1 to 50.
    limit: Option<usize>,
    /// A library to search, by name.
    library: Option<String>,
}

/// Searches once.
#[utoipa::path(get, path = "/search", tag = "answers", params(SearchParams),
    responses((status = 200, description = "{query, provider, results}", body = Object),
        (status = "4XX", description = "Refused, with the parameter", body = ErrorResponse),
        (status = "5XX", description = "Nobody answered", body = ErrorResponse)))]
pub async fn search_get(
    State(service): State<Shared>,
    caller: Caller,
    Params(asked): Params<SearchParams>,
) -> ApiResult<Json<Value>> {
    let body = SearchBody {
        query: asked.query,
        kind: asked.kind,
        limit: asked.limit,
        library: asked.library.map(|name| vec![name]),
    };
    found(&service, &caller, body).await.map(Json)
}

/// Searches once.
#[utoipa::path(post, path = "/search", tag = "answers", request_body = SearchBody,
    responses((status = 200, description = "{query, provider, results}", body = Object),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse),
        (status = "5XX", description = "Nobody answered", body = ErrorResponse)))]
pub async fn search_post(
    State(service): State<Shared>,
    caller: Caller,
    JsonBody(body): JsonBody<SearchBody>,
) -> ApiResult<Json<Value>> {
    found(&service, &caller, body).await.map(Json)
}

/// What one query finds: {query, provider, results}.
pub async fn found(service: &Service, caller: &Caller, body: SearchBody) -> ApiResult<Value> {
    let request = StartRequest {
        workflow: search::NAME.to_owned(),
        input: admit::given(json!(body)),
        keep: false,
    };
    let run = admit::start(service, caller, IdempotencyKey::none(), request)
        .await?
        .run;
    run::ended(service, run).await?;
    match service.host.outcome(run).await? {
        Some(found) => Ok(found),
        None => {
            let reason = service.host.header(run).await?.head.reason;
            let why = reason.unwrap_or_else(|| "the search brought nothing".to_owned());
            Err(ApiError::new(StatusCode::BAD_GATEWAY, "api_error", why).retryable())
        }
    }
}
