//! Every route of the service, and what every request passes on the way to one.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi as _;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use super::error::ApiError;
use super::metrics::CountedRequest;
use super::openapi::{Described, Description};
use super::service::{ServeLimits, Shared};
use super::{
    access, actions, docs, events, guard, health, libraries, metrics, openai, openapi, responses,
    run, runs, search, server_paths, uploads, views,
};
use crate::mcp::route::McpRoute;

/// Headers on every answer: what a browser must not do with it.
const HEADERS: [(&str, &str); 3] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
];

/// The service's routes. A route that is added here stands in the description, and the tests of who may do what find it
/// there.
fn routes(limits: &ServeLimits) -> OpenApiRouter<Shared> {
    // A form has heads and borders besides its documents.
    let form = DefaultBodyLimit::max(limits.max_upload_bytes + limits.max_body_bytes);
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(runs::list_runs, runs::start_run))
        .routes(routes!(runs::show_run, runs::delete_run))
        .routes(routes!(views::run_state))
        .routes(routes!(events::run_events))
        .routes(routes!(views::run_report))
        .routes(routes!(views::run_graph))
        .routes(routes!(views::export_run))
        .routes(routes!(actions::review_run))
        .routes(routes!(actions::cancel_run))
        .routes(routes!(actions::resume_run))
        .routes(routes!(actions::fork_run))
        .routes(routes!(run::run))
        .routes(routes!(run::run_simple))
        .routes(routes!(search::search_get, search::search_post))
        .routes(routes!(openai::list_models))
        .routes(routes!(openai::chat_completions))
        .routes(routes!(responses::create_response))
        .routes(routes!(uploads::upload).layer(form))
        .routes(routes!(uploads::add_documents).layer(form))
        .routes(routes!(libraries::list_libraries))
        .routes(routes!(libraries::delete_library))
        .routes(routes!(libraries::delete_document))
        .routes(routes!(crate::mcp::route::mcp))
        .routes(routes!(views::list_workflows))
        .routes(routes!(health::health))
        .routes(routes!(metrics::metrics))
        .routes(routes!(docs::root))
        .routes(routes!(docs::docs))
        .routes(routes!(openapi::openapi))
}

/// The whole service, ready to answer.
pub fn router(service: Shared) -> Router {
    let (router, description) = routes(&service.limits).split_for_parts();
    let description = serde_json::to_value(description).unwrap_or_default();
    // The first is the outermost. They are given together, since layers that are added one by one are cloned for every
    // request, each with all those below it.
    let layers = (
        CatchPanicLayer::custom(panicked),
        middleware::from_fn_with_state(Arc::clone(&service), guard_and_count),
        Extension(Described(Arc::new(description))),
        Extension(McpRoute::new(&service)),
        DefaultBodyLimit::max(service.limits.max_body_bytes),
    );
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(layers)
        .with_state(service)
}

/// What every request passes on its way to its route, and every response on its way out.
async fn guard_and_count(
    State(service): State<Shared>,
    mut request: Request,
    next: Next,
) -> Response {
    let counted = CountedRequest::new(&request);
    let caller = guard::check(&service, &request)
        .and_then(|()| access::authenticate(&service, &mut request));
    let mut response = match caller {
        Ok(caller) => {
            let response = next.run(request).await;
            server_paths::hide_paths(&service, caller.as_ref(), response).await
        }
        Err(refused) => refused.into_response(),
    };
    counted.count(response.status());
    add_headers(&mut response);
    response
}

fn add_headers(response: &mut Response) {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        headers.insert(name, HeaderValue::from_static(value));
    }
}

async fn no_route(request: Request) -> ApiError {
    let path: String = request.uri().path().chars().take(200).collect();
    ApiError::not_found(format!("there is no route {path}; see /openapi.json"))
}

async fn no_method(request: Request) -> ApiError {
    let message = format!("{} is not possible here", request.method());
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        message,
    )
}

fn panicked(what: Box<dyn std::any::Any + Send + 'static>) -> Response {
    let text = what.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| what.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("it did not say why");
    let refused = ApiError::internal(format!("a handler panicked: {text}"));
    let mut response = refused.into_response();
    add_headers(&mut response);
    response
}
