//! Documents that clients send, and the runs that read them.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::served::{Served, expect};

const TRIAL: &str = "# The Alder Street trial\n\nUnder street trees the afternoon air was 1.9 °C cooler in summer.\n";
const ASKED: &str = "How much cooler was the air under street trees?";

/// Documents by name.
type Files<'a> = &'a [(&'a str, &'a [u8])];

/// Sends files as a form does.
async fn upload(served: &Served, path: &str, files: Files<'_>) -> Response {
    let mut body = Vec::new();
    for (name, bytes) in files {
        let head = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--edge--\r\n");
    let request = served.request(Method::POST, path);
    let form = "multipart/form-data; boundary=edge";
    let request = request.header("Content-Type", form).body(body);
    request.send().await.unwrap()
}

/// What the documents of a library answer.
async fn asked(served: &Served, library: &str, question: &str) -> Value {
    let options = json!({ "settings": { "library": [library] } });
    let body = json!({ "workflow": "ask", "question": question, "options": options });
    let run = served.begin(&body).await;
    assert_eq!(served.ended(&run).await, "completed");
    served
        .json(&format!("/runs/{run}/report?format=json"))
        .await
}

#[tokio::test]
async fn documents_of_a_library_are_found_as_soon_as_they_are_sent() {
    let served = Served::open();
    let sent = upload(
        &served,
        "/libraries/notes/documents",
        &[("trial.md", TRIAL.as_bytes())],
    )
    .await;
    let sent = expect(sent, StatusCode::CREATED).await;
    assert_eq!(
        sent,
        json!({ "library": "notes", "documents": [{
            "name": "trial.md", "document": "notes/trial.md", "bytes": TRIAL.len(), "replaced": false,
        }]})
    );
    let answer = asked(&served, "notes", ASKED).await;
    assert!(answer.to_string().contains("1.9 °C cooler"), "{answer}");
    // The library was just used: it is looked at anew because something came in.
    let night =
        "# Night heat\n\nAt night the crowns of plane trees kept narrow streets 0.4 °C warmer.\n";
    let newer = TRIAL.replace("1.9", "2.1");
    let sent = upload(
        &served,
        "/libraries/notes/documents",
        &[
            ("night.md", night.as_bytes()),
            ("trial.md", newer.as_bytes()),
        ],
    )
    .await;
    let sent = expect(sent, StatusCode::CREATED).await;
    assert_eq!(
        (
            &sent["documents"][0]["replaced"],
            &sent["documents"][1]["replaced"]
        ),
        (&json!(false), &json!(true))
    );
    let answer = asked(&served, "notes", ASKED).await;
    assert!(answer.to_string().contains("2.1 °C cooler"), "{answer}");
    let question = "How much warmer were narrow streets at night?";
    let answer = asked(&served, "notes", question).await;
    assert!(answer.to_string().contains("0.4 °C warmer"), "{answer}");
}

#[tokio::test]
async fn a_trial_is_uploaded_and_appraised() {
    let served = Served::open();
    let trials = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/trials");
    let read = |name: &str| std::fs::read(format!("{trials}/{name}")).unwrap();
    let (trial, register) = (read("4-changed-outcome.md"), read("4-register-entry.txt"));
    let sent = upload(
        &served,
        "/uploads",
        &[("trial.md", &trial), ("register.txt", &register)],
    )
    .await;
    let sent = expect(sent, StatusCode::CREATED).await;
    let document = |nth: usize| sent["documents"][nth]["document"].clone();
    let options = json!({ "document": document(0), "protocol": document(1) });
    let run = served
        .begin(&json!({ "workflow": "appraise", "options": options }))
        .await;
    assert_eq!(served.ended(&run).await, "completed");
    let appraisal = served
        .json(&format!("/runs/{run}/report?format=json"))
        .await;
    assert_eq!(
        appraisal["domains"].as_array().map(Vec::len),
        Some(5),
        "{appraisal}"
    );
}

#[tokio::test]
async fn a_document_is_named_by_its_library_and_never_by_a_path() {
    let mut served = Served::open();
    served.log_in("ada");
    let sent = upload(
        &served,
        "/libraries/mine/documents",
        &[("a.md", TRIAL.as_bytes())],
    )
    .await;
    expect(sent, StatusCode::CREATED).await;
    let secret = served.path("home/tokens.json");
    let begin = async |served: &Served, document: &str| {
        let options = json!({ "document": document });
        let body = json!({ "workflow": "appraise", "options": options });
        served.post("/runs", &body).await
    };
    for document in [
        "/etc/passwd",
        secret.to_str().unwrap(),
        "mine/../../ada/mine/a.md",
        "../a.md",
        "mine/../a.md",
        "a.md",
        "mine/",
        "",
    ] {
        let told = expect(
            begin(&served, document).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
        assert_eq!(told["error"]["field"], "document", "{document}");
    }
    let told = expect(begin(&served, "mine/b.md").await, StatusCode::NOT_FOUND).await;
    assert_eq!(told["error"]["field"], "document");
    expect(begin(&served, "mine/a.md").await, StatusCode::ACCEPTED).await;
    served.log_in("bob");
    expect(begin(&served, "mine/a.md").await, StatusCode::NOT_FOUND).await;
    let options = json!({ "settings": { "library": ["mine"] } });
    let body = json!({ "workflow": "ask", "question": ASKED, "options": options });
    expect(served.post("/runs", &body).await, StatusCode::NOT_FOUND).await;
}

#[tokio::test]
async fn what_is_no_document_too_large_or_badly_named_is_refused_whole() {
    let bounds = [
        ("FATHOM_SERVE_MAX_UPLOAD_BYTES", "2000"),
        ("FATHOM_SERVE_MAX_LIBRARY_DOCUMENTS", "3"),
        ("FATHOM_SERVE_MAX_LIBRARIES", "2"),
    ];
    let served = Served::with(&bounds);
    let (good, large) = (TRIAL.as_bytes(), "tree ".repeat(500));
    let image: &[u8] = b"\x89PNG\r\n\x1a\n and so on";
    let cases: [(&str, Files<'_>, u16, &str); 14] = [
        (
            "notes",
            &[("trial.md", good), ("a.png", image)],
            415,
            "file",
        ),
        (
            "notes",
            &[("trial.zip", b"PK\x03\x04 and so on")],
            415,
            "file",
        ),
        (
            "notes",
            &[("trial.md", good), ("b.md", large.as_bytes())],
            413,
            "file",
        ),
        (
            "notes",
            &[
                ("a.md", good),
                ("b.md", good),
                ("c.md", good),
                ("d.md", good),
            ],
            413,
            "file",
        ),
        ("notes", &[("../trial.md", good)], 422, "filename"),
        ("notes", &[("a/trial.md", good)], 422, "filename"),
        ("notes", &[("a\\\\trial.md", good)], 422, "filename"),
        ("notes", &[(".trial.md", good)], 422, "filename"),
        ("notes", &[("", good)], 422, "filename"),
        ("notes", &[("trial.md", b" \n")], 422, "file"),
        (
            "notes",
            &[("trial.md", good), ("trial.md", good)],
            422,
            "file",
        ),
        ("notes", &[], 422, "file"),
        ("no.tes", &[("trial.md", good)], 422, "name"),
        ("..%2F..", &[("trial.md", good)], 422, "name"),
    ];
    for (library, files, status, field) in cases {
        let path = format!("/libraries/{library}/documents");
        let refused = upload(&served, &path, files).await;
        let told = expect(refused, StatusCode::from_u16(status).unwrap()).await;
        assert_eq!(told["error"]["field"], field, "{told}");
    }
    assert!(!served.path("home/owners/_local/notes").exists());
    let body = json!({ "file": "trial.md" });
    expect(
        served.post("/uploads", &body).await,
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
    )
    .await;
    // The library of every test is the first.
    let sent = upload(&served, "/uploads", &[("trial.md", good)]).await;
    expect(sent, StatusCode::CREATED).await;
    let sent = upload(&served, "/uploads", &[("trial.md", good)]).await;
    expect(sent, StatusCode::CONFLICT).await;
}
