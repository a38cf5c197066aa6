//! Connects to a checked target: looks its name up once, judges every address, dials a judged one.
//!
//! This is hyper on a connection of our own, not reqwest. reqwest lets one replace the look-up, but
//! its connector dials a literal address without asking the resolver, keeps pools, and reports
//! connecting and the TLS handshake as one thing. Here the judged `SocketAddr` itself is what is
//! dialled, nothing reads the proxy variables of the environment, and each stage has its own fault.
//! HTTP/1.1 alone serves every site, and its reader is the smaller surface.
//!
//! The resolver and the connector are handed in: tests record every look-up and every dial.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use dns_lookup::LookupErrorKind;
use rustls::{
    ClientConfig,
    pki_types::{DnsName, ServerName},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsConnector;

use super::{FetchError, FetchLimits, FetchTarget, TargetHost};
use crate::tls;

/// Addresses that are tried for one name. All of them are judged, however many there are.
const DIALS_MAX: usize = 3;

/// A two-way connection.
pub trait WireStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> WireStream for T {}

/// Looks names up.
#[async_trait]
pub trait NameResolver: Send + Sync {
    /// The addresses of a name. A dot at its end says that it is whole: no search domain is to be
    /// tried with it. `NotFound` says that nobody has the name; any other error that it could not be asked.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Opens connections to addresses that were judged before.
#[async_trait]
pub trait StreamConnector: Send + Sync {
    /// Connects to exactly this address.
    async fn connect(&self, to: SocketAddr) -> io::Result<Box<dyn WireStream>>;
}

/// The machine's own resolver and network.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNetwork;

#[async_trait]
impl NameResolver for SystemNetwork {
    /// tokio's own look-up is the same call of the system, but does not say which way it failed.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let name = name.to_owned();
        let look_up = move || dns_lookup::lookup_host(&name).map(Iterator::collect);
        let found = tokio::task::spawn_blocking(look_up).await?;
        found.map_err(|error| failed_look_up(error.kind()).into())
    }
}

fn failed_look_up(kind: LookupErrorKind) -> io::ErrorKind {
    match kind {
        LookupErrorKind::NoName | LookupErrorKind::NoData => io::ErrorKind::NotFound,
        _ => io::ErrorKind::Other,
    }
}

#[async_trait]
impl StreamConnector for SystemNetwork {
    async fn connect(&self, to: SocketAddr) -> io::Result<Box<dyn WireStream>> {
        let stream = TcpStream::connect(to).await?;
        stream.set_nodelay(true)?;
        Ok(Box::new(stream))
    }
}

/// What a fetcher reaches the network with.
pub struct FetchNetwork {
    /// Looks names up.
    pub resolver: Arc<dyn NameResolver>,
    /// Opens connections.
    pub connector: Arc<dyn StreamConnector>,
    /// Whom to trust.
    pub tls: Arc<ClientConfig>,
}

impl FetchNetwork {
    /// The machine's own; fails if the machine trusts no certificate at all.
    pub fn system() -> Result<Self, rustls::Error> {
        Ok(Self {
            resolver: Arc::new(SystemNetwork),
            connector: Arc::new(SystemNetwork),
            tls: Arc::new(tls::system()?),
        })
    }

    /// Opens a connection to the target, encrypted if its scheme says so.
    pub(super) async fn dial(
        &self,
        target: &FetchTarget,
        limits: &FetchLimits,
    ) -> Result<Box<dyn WireStream>, FetchError> {
        let addresses = self.addresses(target, limits).await?;
        let wire = self.connect(&addresses, target.port(), limits).await?;
        if target.is_secure() {
            self.encrypt(wire, target, limits).await
        } else {
            Ok(wire)
        }
    }

    /// The judged addresses of the target. One that is forbidden condemns them all: a name that
    /// points both outside and inside is either an attack or not meant for us.
    async fn addresses(
        &self,
        target: &FetchTarget,
        limits: &FetchLimits,
    ) -> Result<Vec<IpAddr>, FetchError> {
        let name = match target.host() {
            TargetHost::Address(address) => return Ok(vec![target.judge(*address)?]),
            TargetHost::Name(name) => name,
        };
        // An operator's name may rest on a search domain or a hosts file; a public one must not.
        let asked = if target.is_opened() {
            name.clone()
        } else {
            format!("{name}.")
        };
        let failed = || FetchError::NameLookup { name: name.clone() };
        let unknown = || FetchError::NameNotFound { name: name.clone() };
        let found = timeout(limits.connect, self.resolver.resolve(&asked))
            .await
            .map_err(|_| failed())?
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => unknown(),
                _ => failed(),
            })?;
        if found.is_empty() {
            return Err(unknown());
        }
        let mut judged = Vec::with_capacity(found.len());
        for address in found {
            judged.push(target.judge(address)?);
        }
        // IPv4 first: where IPv6 is broken, it hangs instead of failing.
        judged.sort_by_key(IpAddr::is_ipv6);
        Ok(judged)
    }

    /// Tries the addresses in turn, all of them within the limit.
    async fn connect(
        &self,
        addresses: &[IpAddr],
        port: u16,
        limits: &FetchLimits,
    ) -> Result<Box<dyn WireStream>, FetchError> {
        let limit = limits.connect;
        let end = Instant::now() + limit;
        let mut last = FetchError::ConnectTime { limit };
        let tries = addresses.len().min(DIALS_MAX);
        for (done, address) in addresses.iter().take(tries).enumerate() {
            let left = end.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(tries - done).unwrap_or(1);
            let attempt = self.connector.connect(SocketAddr::new(*address, port));
            last = match timeout(share, attempt).await {
                Ok(Ok(wire)) => return Ok(wire),
                Ok(Err(error)) => FetchError::Connect(error),
                Err(_) => FetchError::ConnectTime { limit },
            };
        }
        Err(last)
    }

    async fn encrypt(
        &self,
        wire: Box<dyn WireStream>,
        target: &FetchTarget,
        limits: &FetchLimits,
    ) -> Result<Box<dyn WireStream>, FetchError> {
        let name = match target.host() {
            TargetHost::Address(address) => ServerName::from(*address),
            TargetHost::Name(name) => {
                let name = DnsName::try_from(name.clone());
                ServerName::from(name.map_err(|e| FetchError::Tls(io::Error::other(e)))?)
            }
        };
        let limit = limits.connect;
        let shake = TlsConnector::from(Arc::clone(&self.tls)).connect(name, wire);
        match timeout_at(Instant::now() + limit, shake).await {
            Ok(Ok(wire)) => Ok(Box::new(wire)),
            Ok(Err(error)) => Err(FetchError::Tls(error)),
            Err(_) => Err(FetchError::ConnectTime { limit }),
        }
    }
}
