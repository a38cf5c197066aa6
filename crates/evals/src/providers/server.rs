//! A server on loopback that gives each path what it is told to, whatever the method, and keeps connections open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// What a path is answered with.
#[derive(Clone)]
pub(super) struct Canned {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Arc<[u8]>,
}

impl Canned {
    pub(super) fn ok(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".into(), content_type.into())],
            body: body.into().into(),
        }
    }
}

pub(super) struct Server {
    pub(super) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

impl Server {
    /// `/gone/*` stands for every path below `/gone` that is not listed itself; all other paths are not found. What
    /// is asked is remembered only if `remember` says so.
    pub(super) async fn start(paths: HashMap<String, Canned>, remember: bool) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let ledger = remember.then(|| asked.clone());
        let paths = Arc::new(paths);
        let answer = move |request: Request| {
            let (paths, ledger) = (paths.clone(), ledger.clone());
            async move {
                if let Some(ledger) = ledger {
                    let mut asked = ledger.lock().unwrap_or_else(PoisonError::into_inner);
                    asked.push(told(request.uri().to_string(), request.headers()));
                }
                respond(find(&paths, request.uri().path()))
            }
        };
        let mut task = JoinSet::new();
        task.spawn(async move {
            // It ends with the server, whose task this is.
            let _ = axum::serve(listener, Router::new().fallback(answer)).await;
        });
        Ok(Self {
            port,
            asked,
            _task: task,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The addresses and headers of all requests.
    pub(super) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }
}

fn find<'a>(paths: &'a HashMap<String, Canned>, path: &str) -> Option<&'a Canned> {
    let first = path.split('/').nth(1).unwrap_or_default();
    paths
        .get(path)
        .or_else(|| paths.get(&format!("/{first}/*")))
}

fn told(uri: String, headers: &HeaderMap) -> String {
    let lines = headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        format!("{name}: {value}")
    });
    lines.fold(uri, |told, line| format!("{told}\n{line}"))
}

fn respond(canned: Option<&Canned>) -> Response<Body> {
    let Some(canned) = canned else {
        let mut missing = Response::new(Body::empty());
        *missing.status_mut() = StatusCode::NOT_FOUND;
        return missing;
    };
    let mut response = Response::builder().status(canned.status);
    for (name, value) in &canned.headers {
        response = response.header(name, value);
    }
    let body = Body::from(canned.body.to_vec());
    response.body(body).unwrap_or_default()
}
