//! A page that describes every route, made from the description for programs.

use std::fmt::Write as _;

use axum::Extension;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;

use super::openapi::Described;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222}\
    h2{margin-top:2.5rem}details{border-top:1px solid #ddd;padding:.5rem 0}summary{cursor:pointer}code{background:#f4f4f4;padding:.1rem .3rem}\
    table{border-collapse:collapse;width:100%}td{border-top:1px solid #eee;padding:.25rem .5rem;vertical-align:top}\
    @media (prefers-color-scheme:dark){body{background:#111;color:#ddd}code{background:#222}details,td{border-color:#333}}";

/// Describes every route for people.
#[utoipa::path(get, path = "/docs", tag = "service",
    responses((status = 200, description = "The page", content_type = "text/html")))]
pub async fn docs(description: Extension<Described>) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let page = Html(page(&description.0.0));
    ([(CONTENT_SECURITY_POLICY, policy)], page).into_response()
}

/// Describes every route for people, at the address that a browser opens first.
#[utoipa::path(get, path = "/", tag = "service",
    responses((status = 200, description = "The page of /docs", content_type = "text/html")))]
pub async fn root(description: Extension<Described>) -> Response {
    docs(description).await
}

fn page(described: &Value) -> String {
    let mut page = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Fathom over HTTP</title><style>{STYLE}</style></head><body><h1>Fathom over HTTP</h1><p>{}</p>\
         <p>For programs: <a href=\"/openapi.json\">/openapi.json</a></p>",
        escaped(&described["info"]["description"])
    );
    for tag in described["tags"].as_array().into_iter().flatten() {
        let _ = write!(page, "<h2>{}</h2>", escaped(&tag["description"]));
        for (path, methods) in described["paths"].as_object().into_iter().flatten() {
            for (method, route) in methods.as_object().into_iter().flatten() {
                if route["tags"][0] == tag["name"] {
                    one_route(&mut page, path, method, route, described);
                }
            }
        }
    }
    page.push_str("</body></html>");
    page
}

fn one_route(page: &mut String, path: &str, method: &str, route: &Value, described: &Value) {
    let _ = write!(
        page,
        "<details><summary><code>{} {}</code> {}</summary><table>",
        method.to_uppercase(),
        escaped(&path.into()),
        escaped(&route["summary"])
    );
    for parameter in route["parameters"].as_array().into_iter().flatten() {
        row(page, &parameter["name"], &parameter["description"]);
    }
    let body = &route["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let schema = body
        .as_str()
        .and_then(|to| described.pointer(to.strip_prefix('#')?));
    let fields = schema.and_then(|schema| schema["properties"].as_object());
    for (name, field) in fields.into_iter().flatten() {
        row(page, &name.as_str().into(), &field["description"]);
    }
    for (status, response) in route["responses"].as_object().into_iter().flatten() {
        row(
            page,
            &format!("→ {status}").into(),
            &response["description"],
        );
    }
    page.push_str("</table></details>");
}

fn row(page: &mut String, name: &Value, what: &Value) {
    let (name, what) = (escaped(name), escaped(what));
    let _ = write!(page, "<tr><td><code>{name}</code></td><td>{what}</td></tr>");
}

fn escaped(text: &Value) -> String {
    let text = text.as_str().unwrap_or_default();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
