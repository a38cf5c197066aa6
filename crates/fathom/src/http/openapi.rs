//! The description of the service for programs, made from the code that serves it.

use std::sync::Arc;

use axum::{Extension, Json};
use serde_json::Value;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// What stands around the routes.
#[derive(OpenApi)]
#[openapi(
    info(title = "Fathom", description = "Deep research as a service: runs that always end, resume after any crash, and cite only what was read.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")),
    modifiers(&Bearer),
    security((), ("token" = [])),
    tags((name = "answers", description = "Answers in one request"), (name = "libraries", description = "Documents of one's own"), (name = "mcp", description = "For clients of the Model Context Protocol"), (name = "openai", description = "For clients of OpenAI"), (name = "runs", description = "Runs of every workflow"), (name = "service", description = "The service itself"))
)]
pub struct Description;

/// Tells that tokens are sent as `Authorization: Bearer`.
struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

/// The description as it is given out.
#[derive(Clone)]
pub struct Described(pub Arc<Value>);

/// Describes every route in OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "service",
    responses((status = 200, description = "This description", body = Object)))]
pub async fn openapi(description: Extension<Described>) -> Json<Arc<Value>> {
    Json(Arc::clone(&description.0.0))
}
