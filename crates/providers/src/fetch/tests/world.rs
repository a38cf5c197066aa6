//! A network in memory that records every look-up and every dial, and a server that misbehaves as told.
//!
//! In memory, tokio's clock can be paused: what waits in a test takes no time. The same faults over real
//! sockets are in the folder `tests` of this crate.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::fetch::{
    AllowList, FetchError, FetchLimits, FetchNetwork, FetchedPage, Fetcher, NameResolver,
    StreamConnector, WireStream,
};
use crate::tls;

/// Reading the system's certificates takes long; once is enough.
static TLS: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| Arc::new(tls::system().unwrap()));

/// What a server does after it has read a request.
#[derive(Clone)]
pub(super) enum FetchAct {
    Send(Vec<u8>),
    Wait(Duration),
    /// Sends the piece again and again, pausing each time, for as long as somebody reads.
    Endless(Vec<u8>, Duration),
    /// Stays silent with the connection open.
    Hang,
}

pub(super) struct FetchCall {
    pub(super) host: String,
    pub(super) path: String,
    pub(super) head: String,
}

pub(super) type FetchScript = Arc<dyn Fn(&FetchCall) -> Vec<FetchAct> + Send + Sync>;

/// Resolver and connector of a test, with their ledger.
#[derive(Clone)]
pub(super) struct FetchWorld {
    /// Each look-up of a name takes the next answer; the last one stays.
    names: Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    pub(super) lookups: Arc<Mutex<Vec<String>>>,
    pub(super) dials: Arc<Mutex<Vec<SocketAddr>>>,
    pub(super) asked: Arc<Mutex<Vec<String>>>,
    script: Option<FetchScript>,
}

impl FetchWorld {
    /// Everything that is dialled answers by the script.
    pub(super) fn serving(
        script: impl Fn(&FetchCall) -> Vec<FetchAct> + Send + Sync + 'static,
    ) -> Self {
        Self {
            script: Some(Arc::new(script)),
            ..Self::refusing()
        }
    }

    /// Every dial is recorded and refused.
    pub(super) fn refusing() -> Self {
        Self {
            names: Arc::default(),
            lookups: Arc::default(),
            dials: Arc::default(),
            asked: Arc::default(),
            script: None,
        }
    }

    pub(super) fn name(self, name: &str, answers: &[&str]) -> Self {
        let parse = |answer: &&str| {
            answer
                .split(',')
                .map(|a| a.trim().parse().unwrap())
                .collect()
        };
        let answers = answers.iter().map(parse).collect();
        self.names.lock().unwrap().insert(name.to_owned(), answers);
        self
    }

    pub(super) fn fetcher(&self, allow: &str, limits: FetchLimits) -> Fetcher {
        let network = FetchNetwork {
            resolver: Arc::new(self.clone()),
            connector: Arc::new(self.clone()),
            tls: Arc::clone(&TLS),
        };
        Fetcher::new(network, AllowList::parse(allow).unwrap(), limits)
    }

    pub(super) async fn get(&self, url: &str) -> Result<FetchedPage, FetchError> {
        self.fetcher("", FetchLimits::default()).get(url).await
    }

    pub(super) fn dialled(&self) -> Vec<String> {
        let dials = self.dials.lock().unwrap();
        dials.iter().map(SocketAddr::to_string).collect()
    }

    /// The paths that servers were asked for, robots.txt left out.
    pub(super) fn pages_asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let page = |asked: &&String| !asked.ends_with("/robots.txt");
        asked.iter().filter(page).cloned().collect()
    }
}

#[async_trait]
impl NameResolver for FetchWorld {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let name = name.trim_end_matches('.');
        self.lookups.lock().unwrap().push(name.to_owned());
        let mut names = self.names.lock().unwrap();
        let answers = names.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
        match answers.len() {
            0 | 1 => Ok(answers.first().cloned().unwrap_or_default()),
            _ => Ok(answers.remove(0)),
        }
    }
}

#[async_trait]
impl StreamConnector for FetchWorld {
    async fn connect(&self, to: SocketAddr) -> io::Result<Box<dyn WireStream>> {
        self.dials.lock().unwrap().push(to);
        let script = self.script.clone();
        let script = script.ok_or(io::ErrorKind::ConnectionRefused)?;
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let asked = Arc::clone(&self.asked);
        // Ends with its connection, which the fetch owns.
        tokio::spawn(async move { serve(theirs, &script, &asked).await });
        Ok(Box::new(ours))
    }
}

/// Reads one request and does what the script says; an `Err` means that the reader went away.
pub(super) async fn serve(
    mut wire: impl AsyncRead + AsyncWrite + Unpin,
    script: &FetchScript,
    ledger: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let asked = request(&mut wire).await?;
    let line = format!("{}{}", asked.host, asked.path);
    ledger.lock().unwrap().push(line);
    for act in script(&asked) {
        match act {
            FetchAct::Send(bytes) => wire.write_all(&bytes).await?,
            FetchAct::Wait(time) => tokio::time::sleep(time).await,
            FetchAct::Hang => std::future::pending().await,
            FetchAct::Endless(piece, pause) => loop {
                wire.write_all(&piece).await?;
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
            },
        }
    }
    wire.shutdown().await
}

async fn request(wire: &mut (impl AsyncRead + Unpin)) -> io::Result<FetchCall> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(wire.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let host = head.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.unwrap_or_default().to_owned();
    Ok(FetchCall { host, path, head })
}

/// A complete answer.
pub(super) fn answer(status: u16, headers: &[&str], body: &[u8]) -> Vec<FetchAct> {
    let length = format!("content-length: {}", body.len());
    let mut bytes = head(status, &[headers, &[length.as_str()]].concat());
    bytes.extend_from_slice(body);
    vec![FetchAct::Send(bytes)]
}

/// A status line and headers, and nothing after them.
pub(super) fn head(status: u16, headers: &[&str]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Whatever\r\n");
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

pub(super) fn redirect(status: u16, location: &str) -> Vec<FetchAct> {
    answer(status, &[&format!("location: {location}")], b"")
}

pub(super) fn not_found() -> Vec<FetchAct> {
    answer(404, &[], b"")
}
