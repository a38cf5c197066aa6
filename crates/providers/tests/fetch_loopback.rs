//! The fetcher over real sockets: hosts on loopback, opened by the operator's setting.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use async_trait::async_trait;
use fathom_providers::fetch::{
    AllowList, FetchError, FetchLimits, FetchNetwork, Fetcher, NameResolver, SystemNetwork,
};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

/// Every name is this machine.
struct Loopback;

#[async_trait]
impl NameResolver for Loopback {
    async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

fn fetcher(tls: Arc<ClientConfig>, allow: &str) -> Fetcher {
    let network = FetchNetwork {
        resolver: Arc::new(Loopback),
        connector: Arc::new(SystemNetwork),
        tls,
    };
    Fetcher::new(
        network,
        AllowList::parse(allow).unwrap(),
        FetchLimits::default(),
    )
}

/// The path of the next request.
async fn path(wire: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(wire.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    Ok(head.split(' ').nth(1).unwrap_or_default().to_owned())
}

async fn serve(mut wire: impl AsyncRead + AsyncWrite + Unpin, page: &[u8]) -> io::Result<()> {
    let answer = match path(&mut wire).await?.as_str() {
        "/robots.txt" => NOT_FOUND,
        _ => page,
    };
    wire.write_all(answer).await?;
    wire.shutdown().await
}

#[tokio::test]
async fn an_opened_host_is_read_over_a_real_socket_and_its_neighbour_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut server = JoinSet::new();
    server.spawn(async move {
        while let Ok((wire, _)) = listener.accept().await {
            let _ = serve(wire, HELLO).await;
        }
    });
    let network = FetchNetwork::system().unwrap();
    let allow = AllowList::parse(&format!("127.0.0.1:{port}")).unwrap();
    let fetcher = Fetcher::new(network, allow, FetchLimits::default());
    let page = fetcher.get(&format!("http://127.0.0.1:{port}/")).await;
    assert_eq!(page.unwrap().bytes, b"hello");
    let neighbour = fetcher.get(&format!("http://127.0.0.2:{port}/")).await;
    assert!(matches!(neighbour, Err(FetchError::Refused(_))));
    // The system's own resolver, with a name that needs no network.
    let allow = AllowList::parse(&format!("localhost:{port}")).unwrap();
    let fetcher = Fetcher::new(
        FetchNetwork::system().unwrap(),
        allow,
        FetchLimits::default(),
    );
    let page = fetcher.get(&format!("http://localhost:{port}/")).await;
    assert_eq!(page.unwrap().bytes, b"hello");
}

#[tokio::test]
async fn a_refused_connection_and_a_reset_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    let tls = trusting(RootCertStore::empty());
    let fetcher = fetcher(tls, &format!("127.0.0.1:{port}"));
    let mut server = JoinSet::new();
    server.spawn(async move {
        for answer in [
            NOT_FOUND,
            b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhel",
        ] {
            let (mut wire, _) = listener.accept().await.unwrap();
            path(&mut wire).await.unwrap();
            wire.write_all(answer).await.unwrap();
            reset_unless_complete(wire, answer);
        }
    });
    let reset = fetcher.get(&url).await;
    assert!(matches!(reset, Err(FetchError::Reset)), "{reset:?}");
    server.join_all().await;
    let refused = fetcher.get(&url).await;
    assert!(
        matches!(refused, Err(FetchError::Connect(_))),
        "{refused:?}"
    );
}

/// Without lingering, closing sends a reset.
fn reset_unless_complete(wire: TcpStream, answer: &[u8]) {
    if answer != NOT_FOUND {
        wire.set_zero_linger().unwrap();
    }
}

fn trusting(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

#[tokio::test]
async fn a_certificate_must_be_trusted_and_name_the_host_that_was_asked_for() {
    let made = rcgen::generate_simple_self_signed(["secure.example.com".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], PrivateKeyDer::from(key))
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut server = JoinSet::new();
    server.spawn(async move {
        while let Ok((wire, _)) = listener.accept().await {
            if let Ok(wire) = acceptor.accept(wire).await {
                let _ = serve(wire, HELLO).await;
            }
        }
    });
    let allow = format!("secure.example.com:{port},other.example.com:{port},127.0.0.1:{port}");
    let trusts = fetcher(trusting(roots), &allow);
    let good = trusts
        .get(&format!("https://secure.example.com:{port}/"))
        .await;
    assert_eq!(good.unwrap().bytes, b"hello");
    for other in ["other.example.com", "127.0.0.1"] {
        let wrong = trusts.get(&format!("https://{other}:{port}/")).await;
        assert!(matches!(wrong, Err(FetchError::Tls(_))), "{wrong:?}");
    }
    let system = FetchNetwork::system().unwrap().tls;
    let strange = fetcher(system, &allow);
    let strange = strange
        .get(&format!("https://secure.example.com:{port}/"))
        .await;
    assert!(matches!(strange, Err(FetchError::Tls(_))), "{strange:?}");
}
