//! All registers as one server on loopback, and the door to them.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_providers::call::{
    CallContext, CallEvent, CallKind, CallSettings, Caller, ChainExhausted,
};
use fathom_providers::works::{Work, WorkSettings, Works};
use fathom_providers::{BaseUrl, ClientSettings, Doi, HttpClient, SystemClock};
use rand::RngCore;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

const PATIENCE: Duration = Duration::from_secs(60);

/// Path and query → status and body.
type RegisterScript = dyn Fn(&str) -> (u16, &'static str) + Send + Sync;

pub struct Registers {
    works: Works,
    asked: Arc<Mutex<Vec<String>>>,
    _server: JoinSet<()>,
}

impl Registers {
    pub async fn start(
        script: impl Fn(&str) -> (u16, &'static str) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let ledger = asked.clone();
        let mut server = JoinSet::new();
        server.spawn(async move {
            let script: Arc<RegisterScript> = Arc::new(script);
            let mut answers = JoinSet::new();
            while let Ok((wire, _)) = listener.accept().await {
                answers.spawn(serve(wire, script.clone(), ledger.clone()));
            }
        });
        let address = |path: &str| BaseUrl::parse(&format!("http://127.0.0.1:{port}{path}"));
        let settings = WorkSettings {
            crossref: address("").unwrap(),
            datacite: address("/").unwrap(),
            mail: Some("me@example.org".to_owned()),
            ..WorkSettings::default()
        };
        let client = HttpClient::new(ClientSettings::default()).unwrap();
        let clock = Arc::new(SystemClock::default());
        let caller = Caller::new(CallSettings::default(), clock, Box::new(NoWaits));
        Self {
            works: Works::new(client, Arc::new(caller), settings),
            asked,
            _server: server,
        }
    }

    pub async fn look_up(&self, doi: &Doi) -> Result<Option<Work>, ChainExhausted> {
        self.works.look_up(doi, &context()).await
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn context() -> CallContext<'static> {
    CallContext {
        kind: CallKind::Search,
        deadline: PATIENCE,
        sink: &|event: CallEvent| drop(event),
    }
}

/// Chance that makes every jittered wait nothing.
struct NoWaits;

impl RngCore for NoWaits {
    fn next_u32(&mut self) -> u32 {
        0
    }

    fn next_u64(&mut self) -> u64 {
        0
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// Answers request after request until the client goes away.
async fn serve(mut wire: TcpStream, script: Arc<RegisterScript>, ledger: Arc<Mutex<Vec<String>>>) {
    while let Ok(path) = request(&mut wire).await {
        ledger.lock().unwrap().push(path.clone());
        let (status, body) = script(&path);
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status} Whatever\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        if wire.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn request(wire: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(wire.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    Ok(head.split(' ').nth(1).unwrap_or_default().to_owned())
}
