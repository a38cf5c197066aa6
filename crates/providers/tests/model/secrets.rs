//! A key shows up in the request's header, and nowhere else.

use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Mutex};

use fathom_providers::model::{ModelApi, ModelSettings};
use serde_json::json;

use crate::server::{Reply, Server, chunk, events};
use crate::world::{CANARY, ModelWorld, endpoint, request};

fn assert_clean(what: &str, shown: &str) {
    assert!(!shown.contains(CANARY), "{what} shows the key: {shown}");
}

fn shown(value: &impl Debug) -> String {
    format!("{value:?} {value:#?}")
}

/// Replies that repeat the key wherever a server can.
fn echoes() -> Vec<Reply> {
    let error = json!({"error": {"code": CANARY, "type": CANARY, "param": CANARY, "message": format!("bad key {CANARY}")}});
    let chat =
        |text: &str| Reply::stream(events(&[chunk(&json!({"content": text}), Some("stop"))]));
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "x", "arguments": format!("{{\"k\": \"{CANARY}\"}}")}}]});
    vec![
        Reply::json(401, &error),
        Reply::json(400, &error),
        Reply::json(500, &error),
        Reply::json(429, &error),
        Reply::json(200, &error),
        Reply::stream(format!("event: error\ndata: {error}\n\n")),
        Reply::stream(format!("data: {CANARY}\n\n")),
        Reply::stream(CANARY),
        chat(&format!("Your key is {CANARY}.")),
        chat(&format!("{{\"title\": \"{CANARY}\", \"queries\": 7}}")),
        Reply::stream(events(&[chunk(&call, Some("tool_calls"))])),
    ]
}

#[tokio::test]
async fn a_key_that_a_server_repeats_reaches_no_error_event_or_answer() {
    let log = Log::default();
    let _kept = log.listen();
    for reply in echoes() {
        for api in [ModelApi::OpenAi, ModelApi::Anthropic] {
            let server = Server::with(vec![reply.clone()]).await;
            let settings = ModelSettings::new(vec![endpoint(api, &server)]);
            assert_clean("settings", &shown(&settings));
            let world = ModelWorld::with(settings);
            match world.ask(&request()).await {
                Ok(served) => {
                    assert_clean("answer", &shown(&served));
                    assert_clean("answer", &serde_json::to_string(&served.value).unwrap());
                }
                Err(exhausted) => {
                    assert_clean("failure", &format!("{exhausted} {}", shown(&exhausted)));
                    assert_clean("failure", &serde_json::to_string(&exhausted).unwrap());
                }
            }
            if let Err(error) = world.plan().await {
                assert_clean("error", &format!("{error} {}", shown(&error)));
                assert_clean("error", &serde_json::to_string(&error.response()).unwrap());
            }
            let events = world.events.lock().unwrap();
            assert!(!events.is_empty());
            assert_clean("events", &serde_json::to_string(&*events).unwrap());
            let sent = server.asked();
            let carries = |(_, value): &(String, String)| value.contains(CANARY);
            assert!(
                sent.iter().all(|asked| asked.headers.iter().any(carries)),
                "it is sent"
            );
            assert!(
                sent.iter()
                    .all(|asked| !asked.body.to_string().contains(CANARY))
            );
        }
    }
    assert_clean("log", &log.text());
}

/// All that is traced while it listens.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || log.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
