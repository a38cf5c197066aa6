//! Malformed requests: each gets an answer that says what is wrong and where.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::run::TASK;
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

#[tokio::test]
async fn what_is_wrong_is_told_in_a_clients_words() {
    let served = Served::open();
    let refused = async |response: Response| {
        let told = expect(response, StatusCode::UNPROCESSABLE_ENTITY).await;
        let error = &told["error"];
        let text = |part: &Value| part.as_str().unwrap_or_default().to_owned();
        (text(&error["field"]), text(&error["message"]))
    };
    let statuses = "pending, planning, searching, analyzing, writing, reviewing, revising, running, waiting, completed, partial, failed, cancelled";
    let number = "it must be a whole number, 0 or more, not the text";
    for (path, field, message) in [
        (
            "/runs?status=completed,foo",
            "status",
            format!("\"foo\" is none of {statuses}"),
        ),
        (
            "/runs?workflow=foo",
            "workflow",
            "there is no workflow \"foo\"; available: answer, appraise, ask, report, search"
                .to_owned(),
        ),
        ("/runs?limit=x", "limit", format!("limit: {number} \"x\"")),
        (
            "/runs?limit=1&limit=2",
            "limit",
            "it is given twice".to_owned(),
        ),
        ("/search", "query", "query: it is missing".to_owned()),
    ] {
        let told = refused(served.get(path).await).await;
        assert_eq!(told, (field.to_owned(), message), "{path}");
    }
    let table = "it must be a table of fields, not";
    for (path, body, field, message) in [
        ("/run", json!([]), "", format!("{table} a list of 0")),
        ("/run", json!(7), "", format!("{table} 7")),
        (
            "/run",
            json!({ "task": TASK, "complexity_tier": "abyss" }),
            "complexity_tier",
            "complexity_tier: \"abyss\" is none of simple, standard, deep".to_owned(),
        ),
        (
            "/run",
            json!({ "task": TASK, "complexity_tier": 3 }),
            "complexity_tier",
            "complexity_tier: it must be one of simple, standard, deep, not 3".to_owned(),
        ),
        (
            "/run",
            json!({ "task": TASK, "max_iters": "two" }),
            "max_iters",
            format!("max_iters: {number} \"two\""),
        ),
        (
            "/v1/responses",
            json!({ "model": "fathom-answer", "input": 7 }),
            "input",
            "input: it must be a text, or a list of messages with a role and a content each"
                .to_owned(),
        ),
    ] {
        let told = refused(served.post(path, &body).await).await;
        assert_eq!(told, (field.to_owned(), message), "{path} {body}");
    }
}
