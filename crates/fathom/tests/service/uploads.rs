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

#[tokio::test]
async fn documents_and_libraries_are_listed_and_deleted_by_their_owner_alone() {
    let mut served = Served::open();
    served.log_in("ada");
    let files: Files<'_> = &[("a.md", TRIAL.as_bytes()), ("b.md", TRIAL.as_bytes())];
    let sent = upload(&served, "/libraries/mine/documents", files).await;
    expect(sent, StatusCode::CREATED).await;
    let document = |name: &str| json!({ "name": name, "bytes": TRIAL.len() });
    let listed = json!([{ "name": "mine", "documents": [document("a.md"), document("b.md")] }]);
    assert_eq!(served.json("/libraries").await, listed);
    let delete = async |served: &Served, path: &str| {
        let sent = served.request(Method::DELETE, path).send().await;
        sent.unwrap().status()
    };
    let ada = served.log_in("bob");
    assert_eq!(served.json("/libraries").await, json!([]));
    for path in ["/libraries/mine", "/libraries/mine/documents/a.md"] {
        assert_eq!(delete(&served, path).await, StatusCode::NOT_FOUND, "{path}");
    }
    assert_ne!(ada, served.log_in("ada"));
    assert_eq!(served.json("/libraries").await, listed);
    for path in [
        "/libraries/mine/documents/..%2Fmine%2Fa.md",
        "/libraries/..%2Fada%2Fmine",
    ] {
        assert_eq!(
            delete(&served, path).await,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{path}"
        );
    }
    assert_eq!(
        delete(&served, "/libraries/mine/documents/a.md").await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        delete(&served, "/libraries/mine/documents/a.md").await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        served.json("/libraries").await[0]["documents"],
        json!([document("b.md")])
    );
    assert_eq!(
        delete(&served, "/libraries/mine").await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(served.json("/libraries").await, json!([]));
}

#[tokio::test]
async fn an_owner_has_room_for_so_many_bytes_in_all_libraries() {
    let most = (TRIAL.len() * 2).to_string();
    let served = Served::with(&[("FATHOM_SERVE_MAX_OWNER_BYTES", &most)]);
    // The library that every test has counts too.
    std::fs::remove_dir_all(served.path("home/owners/_local/trees")).unwrap();
    let one: Files<'_> = &[("a.md", TRIAL.as_bytes())];
    for library in ["first", "second"] {
        let sent = upload(&served, &format!("/libraries/{library}/documents"), one).await;
        expect(sent, StatusCode::CREATED).await;
    }
    // What is replaced makes room for what replaces it.
    let sent = upload(&served, "/libraries/first/documents", one).await;
    expect(sent, StatusCode::CREATED).await;
    let sent = upload(&served, "/libraries/third/documents", one).await;
    let told = expect(sent, StatusCode::PAYLOAD_TOO_LARGE).await;
    let message = told["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&most) && message.contains("delete"),
        "{message}"
    );
    assert!(!served.path("home/owners/_local/third").exists());
}

#[tokio::test]
async fn an_upload_that_fails_midway_leaves_the_library_as_it_was() {
    let served = Served::open();
    let path = "/libraries/notes/documents";
    let sent = upload(&served, path, &[("a.md", TRIAL.as_bytes())]).await;
    expect(sent, StatusCode::CREATED).await;
    // A folder stands where the third document should go.
    let folder = served.path("home/owners/_local/notes");
    std::fs::create_dir_all(folder.join("c.md/x")).unwrap();
    let newer = TRIAL.replace("1.9", "2.1");
    let files: Files<'_> = &[
        ("a.md", newer.as_bytes()),
        ("b.md", TRIAL.as_bytes()),
        ("c.md", TRIAL.as_bytes()),
    ];
    let sent = upload(&served, path, files).await;
    expect(sent, StatusCode::INTERNAL_SERVER_ERROR).await;
    assert_eq!(std::fs::read_to_string(folder.join("a.md")).unwrap(), TRIAL);
    assert!(!folder.join("b.md").exists());
    let hidden = std::fs::read_dir(served.path("home/owners/_local"))
        .unwrap()
        .flatten();
    let hidden = hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "nothing is left beside it");
}

#[tokio::test]
async fn an_upload_hides_no_library_that_was_added_under_its_name() {
    let served = Served::open();
    let added = served.path("papers");
    std::fs::create_dir(&added).unwrap();
    let owls = "# Owls\n\nIn the valley of Halvern tawny owls eat four voles a night in winter.\n";
    std::fs::write(added.join("owls.md"), owls).unwrap();
    let words = [
        "library",
        "add",
        "--library",
        "notes",
        added.to_str().unwrap(),
    ];
    assert!(served.command(&words).output().unwrap().status.success());
    let question = "How many voles do tawny owls eat a night?";
    let before = asked(&served, "notes", question).await;
    assert!(before.to_string().contains("four voles"), "{before}");
    let sent = upload(
        &served,
        "/libraries/notes/documents",
        &[("trial.md", TRIAL.as_bytes())],
    )
    .await;
    expect(sent, StatusCode::CREATED).await;
    let after = asked(&served, "notes", question).await;
    assert!(after.to_string().contains("four voles"), "{after}");
    let other = asked(&served, "notes", ASKED).await;
    assert!(other.to_string().contains("1.9 °C cooler"), "{other}");
}

#[tokio::test]
async fn no_reply_tells_where_things_lie_on_the_server() {
    let served = Served::open();
    let trials = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/trials");
    let trial = std::fs::read(format!("{trials}/4-changed-outcome.md")).unwrap();
    let sent = upload(
        &served,
        "/libraries/notes/documents",
        &[("trial.md", &trial)],
    )
    .await;
    let mut replies = vec![expect(sent, StatusCode::CREATED).await.to_string()];
    let options = json!({ "document": "notes/trial.md" });
    let appraisal = served
        .begin(&json!({ "workflow": "appraise", "options": options }))
        .await;
    assert_eq!(served.ended(&appraisal).await, "completed");
    let settings = json!({ "settings": { "library": ["notes"] } });
    let body = json!({ "workflow": "ask", "question": ASKED, "options": settings });
    let answer = served.begin(&body).await;
    assert_eq!(served.ended(&answer).await, "completed");
    for run in [&appraisal, &answer] {
        for path in [
            "",
            "/state?whole=true",
            "/export",
            "/events",
            "/report?format=json",
            "/report?format=html",
            "/report?format=md",
        ] {
            let reply = served.get(&format!("/runs/{run}{path}")).await;
            replies.push(reply.text().await.unwrap());
        }
    }
    let shown: Value = serde_json::from_str(&replies[5]).unwrap();
    assert_eq!(shown["study"]["file"], "notes/trial.md");
    let folder = served.path("").canonicalize().unwrap();
    for reply in replies {
        let found = reply.find(folder.to_str().unwrap());
        let around = found.map(|at| &reply[at.saturating_sub(80)..(at + 80).min(reply.len())]);
        assert_eq!(around, None);
    }
}
