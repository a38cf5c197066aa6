//! A network in memory whose servers do as they are told, and the door to it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fathom_providers::CallFailure;
use fathom_providers::call::{CallContext, CallKind, CallSettings};
use fathom_providers::fetch::{
    AllowList, FetchLimits, FetchNetwork, Fetcher, NameResolver, StreamConnector, WireStream,
};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages, ReadPage};
use rustls::ClientConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use crate::bench::{self, Luck, Seen, VirtualClock};

/// Reading the system's certificates takes long; once is enough.
static TLS: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| FetchNetwork::system().unwrap().tls);

/// What happens on the way to a page or at its server.
#[derive(Clone, Debug)]
pub enum Act {
    LookUpFails(io::ErrorKind),
    /// `None` never connects.
    ConnectFails(Option<io::ErrorKind>),
    /// Says this, then closes.
    Say(Vec<u8>),
    /// Says this, then stays silent.
    SayAndHang(Vec<u8>),
    /// Says this, then the piece again and again, with a pause.
    SayOn(Vec<u8>, Vec<u8>, Duration),
    /// Answers a little later, so that others can join.
    Slowly(Vec<u8>),
}

pub type PageScript = dyn Fn(&str) -> Act + Send + Sync;

/// Gives a path what the script says; robots.txt too.
#[derive(Clone)]
pub struct PagesWorld {
    script: Arc<PageScript>,
    pub asked: Arc<Mutex<Vec<String>>>,
    dials: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
}

impl PagesWorld {
    pub fn new(script: impl Fn(&str) -> Act + Send + Sync + 'static) -> Self {
        Self {
            script: Arc::new(script),
            asked: Arc::default(),
            dials: Arc::default(),
            open: Arc::default(),
        }
    }

    pub fn pages(&self, luck: Luck, settings: PageSettings) -> Door {
        let network = FetchNetwork {
            resolver: Arc::new(self.clone()),
            connector: Arc::new(self.clone()),
            tls: Arc::clone(&TLS),
        };
        let clock = VirtualClock::start();
        let deps = PageDeps {
            fetcher: Fetcher::new(network, AllowList::default(), FetchLimits::default()),
            caller: Arc::new(bench::caller(CallSettings::default(), &clock, luck)),
            clock,
            cache: Arc::new(MemoryPageCache::default()),
        };
        Door {
            pages: Pages::new(deps, settings),
            seen: Seen::default(),
        }
    }

    /// The pages that servers were asked for, without robots.txt.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let page = |path: &&String| *path != "/robots.txt";
        asked.iter().filter(page).cloned().collect()
    }

    /// Connections that have not ended.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    pub fn dials(&self) -> usize {
        self.dials.load(Ordering::Relaxed)
    }
}

pub struct Door {
    pub pages: Pages,
    pub seen: Seen,
}

impl Door {
    pub async fn read(&self, url: &str) -> Result<ReadPage, CallFailure> {
        self.pages.read(url, &self.context()).await
    }

    pub fn context(&self) -> CallContext<'_> {
        self.context_until(Duration::from_secs(1_000_000))
    }

    pub fn context_until(&self, deadline: Duration) -> CallContext<'_> {
        CallContext {
            kind: CallKind::Page,
            deadline,
            sink: &self.seen,
        }
    }
}

#[async_trait]
impl NameResolver for PagesWorld {
    async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        match (self.script)("look up") {
            Act::LookUpFails(kind) => Err(kind.into()),
            _ => Ok(vec!["93.184.216.34".parse().unwrap()]),
        }
    }
}

#[async_trait]
impl StreamConnector for PagesWorld {
    async fn connect(&self, _to: SocketAddr) -> io::Result<Box<dyn WireStream>> {
        self.dials.fetch_add(1, Ordering::Relaxed);
        match (self.script)("connect") {
            Act::ConnectFails(Some(kind)) => return Err(kind.into()),
            Act::ConnectFails(None) => std::future::pending().await,
            _ => {}
        }
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let world = self.clone();
        // Ends with its connection, which the fetch owns.
        tokio::spawn(async move {
            world.open.fetch_add(1, Ordering::Relaxed);
            let served = world.serve(theirs).await;
            world.open.fetch_sub(1, Ordering::Relaxed);
            served
        });
        Ok(Box::new(ours))
    }
}

impl PagesWorld {
    /// An `Err` means that the reader went away.
    async fn serve(&self, mut wire: DuplexStream) -> io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(wire.read_u8().await?);
            // A handshake where none is understood.
            if head[0] == 0x16 {
                return self.act((self.script)("handshake"), wire).await;
            }
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        self.asked.lock().unwrap().push(path.clone());
        self.act((self.script)(&path), wire).await
    }

    async fn act(&self, act: Act, mut wire: DuplexStream) -> io::Result<()> {
        match act {
            Act::LookUpFails(_) | Act::ConnectFails(_) => Ok(()),
            Act::Say(words) => {
                wire.write_all(&words).await?;
                wire.shutdown().await
            }
            Act::Slowly(words) => {
                tokio::time::sleep(Duration::from_secs(1)).await;
                wire.write_all(&words).await?;
                wire.shutdown().await
            }
            Act::SayAndHang(words) => {
                wire.write_all(&words).await?;
                std::future::pending().await
            }
            Act::SayOn(words, piece, pause) => {
                wire.write_all(&words).await?;
                // As long as somebody reads.
                loop {
                    wire.write_all(&piece).await?;
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
}

/// A whole answer as it goes over the wire.
pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let length = body.len();
    let mut answer = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: {length}\r\n");
    for (name, value) in headers {
        answer.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{answer}\r\n{body}").into_bytes()
}

pub fn say(status: u16, headers: &[(&str, &str)], body: &str) -> Act {
    Act::Say(answer(status, headers, body))
}
