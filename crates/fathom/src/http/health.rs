//! Whether the service works.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// That it works.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// Always "ok": a service that does not work does not answer.
    status: &'static str,
    /// The program's version.
    version: &'static str,
}

/// Tells that the service answers.
#[utoipa::path(get, path = "/health", tag = "service", security(()),
    responses((status = 200, description = "It works", body = Health)))]
pub async fn health() -> Json<Health> {
    Json(Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
    })
}
