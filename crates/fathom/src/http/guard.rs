//! What every request must have, whoever sends it: our name in `Host`, no foreign page in `Origin`, JSON in its body
//! unless it uploads documents.
//!
//! A page in a browser can send requests to this machine. It cannot choose these headers, so they tell it apart.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};

use super::error::{ApiError, ApiResult};
use super::service::Service;
use super::uploads;

/// Refuses requests that a foreign page could have caused.
pub fn check(service: &Service, request: &Request) -> ApiResult<()> {
    let (method, headers) = (request.method(), request.headers());
    let hosts = &service.limits.hosts;
    let host = text(headers, header::HOST).unwrap_or_default();
    if !is_own_host(host, service.is_loopback, hosts) {
        let message = format!("this service is not called \"{}\"", shortened(host));
        return Err(forbidden(message).at("Host"));
    }
    if method.is_safe() {
        return Ok(());
    }
    if headers.contains_key(header::ORIGIN) {
        let origin = text(headers, header::ORIGIN).unwrap_or_default();
        let from = origin.split_once("://").map(|(_, host)| host);
        if from != Some(host) {
            let message = "requests that change something are not taken from other sites";
            return Err(forbidden(message).at("Origin"));
        }
    }
    if uploads::takes(request.uri().path()) {
        return Ok(());
    }
    match headers.get(header::CONTENT_TYPE) {
        Some(_) if !is_json(text(headers, header::CONTENT_TYPE)) => Err(not_json()),
        None if has_body(headers) => Err(not_json()),
        _ => Ok(()),
    }
}

/// Whether a `Host` names this service. An address cannot be made to point elsewhere, so every address does where other
/// machines may ask.
fn is_own_host(host: &str, is_loopback: bool, names: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    if names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return true;
    }
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || !is_loopback,
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

fn is_json(content_type: Option<&str>) -> bool {
    let essence = content_type.unwrap_or_default().split(';').next();
    essence
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case("application/json")
}

fn has_body(headers: &HeaderMap) -> bool {
    let length = text(headers, header::CONTENT_LENGTH);
    headers.contains_key(header::TRANSFER_ENCODING) || length.is_some_and(|length| length != "0")
}

fn not_json() -> ApiError {
    let message = "the body must be JSON: Content-Type: application/json";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    ApiError::new(status, "unsupported_media_type", message).at("Content-Type")
}

fn forbidden(message: impl ToString) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_answered_to() {
        let names = ["research.example".to_owned()];
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:7575",
            "[::1]:7575",
            "[::1]",
        ] {
            assert!(is_own_host(host, true, &[]), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:7575",
            "10.0.0.7:7575",
            "localhost.evil.example",
        ] {
            assert!(!is_own_host(host, true, &[]), "{host}");
        }
        assert!(is_own_host("10.0.0.7:7575", false, &[]));
        assert!(is_own_host("research.example:443", false, &names));
        assert!(!is_own_host("evil.example", false, &names));
    }
}
