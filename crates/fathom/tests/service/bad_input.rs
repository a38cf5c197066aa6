//! Malformed requests: each gets an answer that says what is wrong and where.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::served::{LIBRARY, QUESTION, Served, expect};

#[tokio::test]
async fn a_body_that_does_not_fit_is_refused_by_its_field_and_starts_nothing() {
    let served = Served::open();
    let library = json!({ "settings": { "library": [LIBRARY] } });
    let path = |name: &str| json!({ "workflow": "report", "question": QUESTION, "options": { "settings": { "library": [name] } } });
    for (body, field) in [
        (json!({}), "workflow"),
        (json!({ "workflow": 7 }), "workflow"),
        (json!({ "workflow": "nothing" }), "workflow"),
        (
            json!({ "workflow": "report", "options": library }),
            "question",
        ),
        (
            json!({ "workflow": "report", "question": "too short", "options": library }),
            "question",
        ),
        (
            json!({ "workflow": "report", "question": QUESTION, "colour": 1 }),
            "colour",
        ),
        (
            json!({ "workflow": "report", "question": QUESTION, "options": { "dept": "quick" } }),
            "dept",
        ),
        (
            json!({ "workflow": "report", "question": QUESTION, "options": { "depth": "abyss" } }),
            "depth",
        ),
        (
            json!({ "workflow": "report", "question": QUESTION, "options": { "settings": { "web": "yes" } } }),
            "settings.web",
        ),
        (
            json!({ "workflow": "report", "question": QUESTION, "options": [] }),
            "options",
        ),
        (path("/etc"), "library"),
        (path("../../.."), "library"),
        (path("..%2f.."), "library"),
        (path(""), "library"),
        (
            json!({ "workflow": "report", "question": QUESTION, "options": { "settings": { "library": 7 } } }),
            "library",
        ),
    ] {
        let told = expect(
            served.post("/runs", &body).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
        let error = &told["error"];
        assert_eq!(
            (&error["field"], &error["type"]),
            (&field.into(), &"validation".into()),
            "{told}"
        );
        assert_eq!(error["retryable"], false);
    }
    let unknown = served.post("/runs", &path("nowhere")).await;
    expect(unknown, StatusCode::NOT_FOUND).await;
    assert!(
        served.json("/runs").await["runs"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn bodies_that_are_no_json_or_too_large_are_told_apart() {
    let served = Served::with(&[("FATHOM_SERVE_MAX_BODY_BYTES", "2000")]);
    let send = |kind: Option<&str>, body: String| {
        let mut request = served.request(Method::POST, "/runs").body(body);
        if let Some(kind) = kind {
            request = request.header("Content-Type", kind);
        }
        let sending = request.send();
        async move { sending.await.unwrap() }
    };
    let json = Some("application/json");
    for body in ["", "{", "nul", "{\"workflow\": \"report\",}"] {
        let told = expect(send(json, body.to_owned()).await, StatusCode::BAD_REQUEST).await;
        assert_eq!(told["error"]["type"], "parsing", "{told}");
    }
    let deep = format!("{}{}", "[".repeat(900), "]".repeat(900));
    expect(send(json, deep).await, StatusCode::BAD_REQUEST).await;
    for kind in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
    ] {
        let told = expect(
            send(kind, "{}".to_owned()).await,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        )
        .await;
        assert_eq!(told["error"]["field"], "Content-Type");
    }
    let told = expect(
        send(json, "x".repeat(2_001)).await,
        StatusCode::PAYLOAD_TOO_LARGE,
    )
    .await;
    assert_eq!(told["error"]["type"], "payload_too_large");
}

#[tokio::test]
async fn ids_and_parameters_that_make_no_sense_are_refused() {
    let served = Served::open();
    for (path, status, field) in [
        ("/runs/nonsense", 422, json!("id")),
        ("/runs/..%2f..%2fetc%2fpasswd", 422, json!("id")),
        (
            "/runs/01a1e155-3fda-70a9-9a60-5495200fda34",
            404,
            Value::Null,
        ),
        ("/runs?limit=0", 422, json!("limit")),
        ("/runs?limit=x", 422, json!("limit")),
        ("/runs?after=x", 422, json!("after")),
        ("/runs?colour=red", 422, json!("colour")),
        ("/nowhere", 404, Value::Null),
    ] {
        let told = expect(
            served.get(path).await,
            StatusCode::from_u16(status).unwrap(),
        )
        .await;
        assert_eq!(
            told["error"].get("field").cloned().unwrap_or_default(),
            field,
            "{path}: {told}"
        );
    }
    let patched = served.request(Method::PATCH, "/runs").send().await.unwrap();
    let told = expect(patched, StatusCode::METHOD_NOT_ALLOWED).await;
    assert_eq!(told["error"]["type"], "method_not_allowed");
}
