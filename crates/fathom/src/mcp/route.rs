//! `/mcp`: the protocol over HTTP. Every request stands for itself, so any process of a service may answer it.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::McpServer;
use crate::http::Service;
use crate::http::error::{ApiError, ErrorResponse};

/// Characters of a refusal that are passed on.
const REFUSAL_BYTES: usize = 2_000;

/// Serves the clients of the route.
#[derive(Clone)]
pub struct McpRoute(Arc<StreamableHttpService<McpServer, NeverSessionManager>>);

impl McpRoute {
    /// The route's part of a service. Who may come in, and by which name, was checked before.
    pub fn new(service: &Arc<Service>) -> Self {
        let limits = &service.limits;
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_keep_alive(Some(limits.heartbeat()))
            .with_max_request_body_bytes(limits.max_body_bytes)
            .with_cancellation_token(service.stop.child_token())
            .disable_allowed_hosts();
        let service = Arc::clone(service);
        let server = move || Ok(McpServer::over_http(Arc::clone(&service)));
        Self(Arc::new(StreamableHttpService::new(
            server,
            Arc::default(),
            settings,
        )))
    }
}

/// Takes a message of the Model Context Protocol.
#[utoipa::path(post, path = "/mcp", tag = "mcp", request_body = Object,
    responses((status = 200, description = "The reply, or the messages that lead to it as server-sent events", content(
            (Object = "application/json"), (Object = "text/event-stream"))),
        (status = 202, description = "A notification was taken"),
        (status = "4XX", description = "Refused", body = ErrorResponse)))]
pub async fn mcp(Extension(route): Extension<McpRoute>, request: Request) -> Response {
    let response = route.0.handle(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_text = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if response.status().is_success() || !is_text {
        return response.map(Body::new).into_response();
    }
    let status = response.status();
    let body = axum::body::to_bytes(Body::new(response.into_body()), REFUSAL_BYTES).await;
    let message = String::from_utf8_lossy(&body.unwrap_or_default()).into_owned();
    let kind = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "payload_too_large",
        StatusCode::NOT_ACCEPTABLE => "not_acceptable",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
        _ => "parsing",
    };
    ApiError::new(status, kind, message).into_response()
}
