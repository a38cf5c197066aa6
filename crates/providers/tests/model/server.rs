//! A model's endpoint on loopback that answers as a script tells it, and keeps what it was asked.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::serve::{Listener, ListenerExt};
use fathom_providers::BaseUrl;
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Answers the request of this number, counted from 0.
type ModelScript = Box<dyn Fn(usize, &Asked) -> Reply + Send + Sync>;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// The body as it was written, in its own order.
    pub text: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is sent back.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
    /// The connection breaks after the body.
    pub breaks: bool,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: body.to_string().into_bytes(),
            breaks: false,
        }
    }

    /// A stream of these events, in the words given.
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            kind: "text/event-stream",
            body: body.into(),
            breaks: false,
        }
    }

    pub fn broken(self) -> Self {
        Self {
            breaks: true,
            ..self
        }
    }

    /// A whole chat completion with this text.
    pub fn chat(text: &str) -> Self {
        Self::json(200, &completion(text, "stop"))
    }

    /// A refusal that names a parameter.
    pub fn refusal(param: &str) -> Self {
        Self::json(
            400,
            &json!({"error": {"message": "no", "type": "invalid_request_error", "param": param, "code": null}}),
        )
    }
}

pub fn completion(text: &str, finish: &str) -> Value {
    json!({
        "model": "tiny-1", "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    })
}

/// The chunks of a stream as they go over the wire, closed by `[DONE]`.
pub fn events(chunks: &[Value]) -> String {
    let each: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    each + "data: [DONE]\n\n"
}

pub fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"model": "tiny-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

struct Stage {
    script: ModelScript,
    asked: Arc<Mutex<Vec<Asked>>>,
}

pub struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start(script: impl Fn(usize, &Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let state = Arc::new(Stage {
            script: Box::new(script),
            asked: asked.clone(),
        });
        let router = Router::new().fallback(answer).with_state(state);
        let task = tokio::spawn(async move {
            axum::serve(prompt(listener), router).await.unwrap();
        });
        Self { port, asked, task }
    }

    /// Gives these replies in turn, the last one for ever.
    pub async fn with(replies: Vec<Reply>) -> Self {
        Self::start(move |number, _| replies[number.min(replies.len() - 1)].clone()).await
    }

    pub fn address(&self) -> BaseUrl {
        BaseUrl::parse(&format!("http://127.0.0.1:{}/v1", self.port)).unwrap()
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Pieces go out at once, instead of waiting for the one before to be acknowledged.
fn prompt(listener: TcpListener) -> impl Listener<Addr = SocketAddr> {
    listener.tap_io(|wire| {
        // Slower is no fault.
        let _ = wire.set_nodelay(true);
    })
}

async fn answer(State(stage): State<Arc<Stage>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let headers = head.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    let asked = Asked {
        path: head.uri.path().to_owned(),
        headers: headers.collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        text: String::from_utf8_lossy(&body).into_owned(),
    };
    let number = {
        let mut all = stage.asked.lock().unwrap();
        all.push(asked.clone());
        all.len() - 1
    };
    let reply = (stage.script)(number, &asked);
    let response = Response::builder()
        .status(reply.status)
        .header("content-type", reply.kind);
    let body = if reply.breaks {
        let pieces = [
            Ok(Bytes::from(reply.body)),
            Err(std::io::Error::other("cut")),
        ];
        // What came before the break is sent while the next piece is waited for.
        Body::from_stream(stream::iter(pieces).then(async |piece| {
            tokio::task::yield_now().await;
            piece
        }))
    } else {
        Body::from_stream(stream::iter([Ok::<_, Infallible>(Bytes::from(reply.body))]))
    };
    response.body(body).unwrap()
}
