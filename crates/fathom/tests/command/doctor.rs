//! `fathom doctor` asks each provider once, and finds model servers that run on this machine.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use super::sandbox::Sandbox;

/// Answers every request in the same way, and keeps what was asked. It ends with the test's process.
fn server(status: &str, body: &str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&asked);
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    std::thread::spawn(move || {
        for wire in listener.incoming() {
            let mut wire = wire.unwrap();
            let mut request = [0; 4_096];
            let read = wire.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            seen.lock().unwrap().push(request);
            let _ = wire.write_all(answer.as_bytes());
        }
    });
    (port, asked)
}

fn line<'a>(out: &'a str, part: &str) -> &'a str {
    out.lines()
        .find(|line| line.contains(part))
        .unwrap_or_else(|| panic!("{part}: {out}"))
}

const MODELS: &str = r#"{"object": "list", "data": [{"id": "qwen2.5:1.5b"}, {"id": "llama3.2"}]}"#;

#[test]
fn a_model_server_that_runs_here_is_found_with_the_lines_that_use_it() {
    let sandbox = Sandbox::new();
    let (port, asked) = server("200 OK", MODELS);
    let servers = format!("ollama:{port},vllm:1");
    let servers = ("FATHOM_MODEL_SERVERS", servers.as_str());
    let offline = ("FATHOM_SEARCH_WEB", "searxng");
    let ran = sandbox.run_with(&[servers, offline], &["doctor"]);
    let address = format!("http://127.0.0.1:{port}/v1");
    let found = line(&ran.out, "found here");
    let used = format!("export OPENAI_BASE_URL={address} FATHOM_MODEL=qwen2.5:1.5b");
    assert!(
        found.contains("ollama has qwen2.5:1.5b and 1 other model"),
        "{found}"
    );
    assert!(found.ends_with(&used), "{found}");
    assert!(!ran.out.contains("vllm"), "{}", ran.out);

    let used = [
        servers,
        ("OPENAI_BASE_URL", &address),
        ("FATHOM_MODEL", "llama3.2"),
    ];
    let ran = sandbox.run_with(&used, &["doctor"]);
    assert!(line(&ran.out, "model ").starts_with("✓"), "{}", ran.out);
    assert!(
        !ran.out.contains("found here"),
        "one that is in use is not news"
    );

    asked.lock().unwrap().clear();
    let ran = sandbox.run_with(&used, &["doctor", "--offline"]);
    assert!(!ran.out.contains("found here"), "{}", ran.out);
    assert_eq!(asked.lock().unwrap().len(), 0, "offline sends nothing");
}

#[test]
fn each_provider_is_asked_once_and_a_refused_key_is_told() {
    let sandbox = Sandbox::new();
    let (searxng, asked) = server(
        "200 OK",
        r#"{"query": "water", "results": [{"title": "Water", "url": "https://example.org/"}]}"#,
    );
    let (serper, refused) = server("403 Forbidden", r#"{"message": "Unauthorized."}"#);
    let (searxng, serper) = (
        format!("http://127.0.0.1:{searxng}"),
        format!("http://127.0.0.1:{serper}"),
    );
    let key = "canary-key-4711";
    let mut settings = vec![
        ("FATHOM_SEARXNG_URL", searxng.as_str()),
        ("FATHOM_SEARCH_WEB", "searxng"),
        ("FATHOM_SEARCH_ACADEMIC", "searxng"),
        ("FATHOM_SEARCH_NEWS", "searxng"),
        ("FATHOM_MODEL_SERVERS", ""),
    ];
    let ran = sandbox.run_with(&settings, &["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        line(&ran.out, "web").starts_with("✓ web          searxng"),
        "{}",
        ran.out
    );
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3, "once for each kind that has it");
    assert!(
        asked.iter().all(|request| request.contains("q=water")),
        "{asked:?}"
    );

    settings[1] = ("FATHOM_SEARCH_WEB", "serper,searxng");
    settings.extend([
        ("SERPER_API_KEY", key),
        ("FATHOM_SERPER_URL", serper.as_str()),
    ]);
    drop(asked);
    let ran = sandbox.run_with(&settings, &["doctor"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let web = line(&ran.out, "web").to_owned();
    assert!(
        web.starts_with("✗") && web.contains("serper refused the key"),
        "{web}"
    );
    assert!(!ran.out.contains(key), "{}", ran.out);
    assert_eq!(
        refused.lock().unwrap().len(),
        1,
        "a refusal is not tried again"
    );
}
