//! T22: what hostile answers cost in memory, measured on the whole process.
//!
//! Alone in its file, and so alone in its process: the peak of another test would be counted too.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "the figures are the point")]
#![cfg(target_os = "linux")]

use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use async_compression::tokio::write::GzipEncoder;
use async_trait::async_trait;
use fathom_providers::fetch::{
    AllowList, FetchError, FetchLimits, FetchNetwork, FetchedPage, Fetcher, NameResolver,
    SystemNetwork,
};
use futures::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

const MIB: usize = 1024 * 1024;
const HOSTS: usize = 200;
const PAGE_BYTES: usize = MIB / 2;

struct EveryNameHere;

#[async_trait]
impl NameResolver for EveryNameHere {
    async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

/// What each path gives: headers, a body, and whether the body is repeated without end.
struct Site(Vec<(&'static str, String, Vec<u8>, bool)>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_answers_cost_at_most_64_mib_and_200_pages_at_once_under_300() {
    let site = Arc::new(site().await);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut server = JoinSet::new();
    server.spawn(accept(listener, Arc::clone(&site)));
    let fetcher = fetcher(port);
    hostile_answers(&fetcher, port, &site).await;
    many_pages(&fetcher, port).await;
}

async fn accept(listener: TcpListener, site: Arc<Site>) {
    let mut answers = JoinSet::new();
    while let Ok((wire, _)) = listener.accept().await {
        let site = Arc::clone(&site);
        answers.spawn(async move { serve(wire, &site).await });
    }
}

async fn hostile_answers(fetcher: &Fetcher, port: u16, site: &Site) {
    for (path, ..) in &site.0 {
        let before = reset_peak();
        let got = fetcher
            .get(&format!("http://h0.example.com:{port}{path}"))
            .await;
        let grown = peak().saturating_sub(before);
        // What the allocator kept from earlier is used first, so the whole is told too.
        let (grew, whole) = (mib(grown), mib(peak()));
        println!(
            "T22: {path}: {}, +{grew:.1} MiB, process {whole:.1}",
            told(&got)
        );
        let fine = match *path {
            "/page" => matches!(&got, Ok(page) if page.bytes.len() == PAGE_BYTES),
            "/endless-text" => matches!(&got, Ok(page) if page.cut.is_some()),
            "/endless-pdf" => matches!(got, Err(FetchError::TooLarge { .. })),
            _ => matches!(got, Err(FetchError::Bomb { .. })),
        };
        assert!(fine, "{path}: {}", told(&got));
        assert!(grown < 64 * MIB, "{path} took {grown} bytes");
    }
}

async fn many_pages(fetcher: &Fetcher, port: u16) {
    let before = reset_peak();
    let urls: Vec<String> = (0..HOSTS)
        .map(|n| format!("http://h{n}.example.com:{port}/page"))
        .collect();
    let pages = join_all(urls.iter().map(|url| fetcher.get(url))).await;
    let grown = peak().saturating_sub(before);
    let arrived = pages
        .iter()
        .flatten()
        .filter(|page| page.bytes.len() == PAGE_BYTES);
    assert_eq!(arrived.count(), HOSTS);
    println!(
        "T22: {HOSTS} pages of {PAGE_BYTES} bytes at once, all held: +{:.1} MiB",
        mib(grown)
    );
    assert!(grown < 300 * MIB, "{grown}");
}

fn fetcher(port: u16) -> Fetcher {
    let hosts: Vec<String> = (0..HOSTS)
        .map(|n| format!("h{n}.example.com:{port}"))
        .collect();
    let network = FetchNetwork {
        resolver: Arc::new(EveryNameHere),
        connector: Arc::new(SystemNetwork),
        ..FetchNetwork::system().unwrap()
    };
    Fetcher::new(
        network,
        AllowList::parse(&hosts.join(",")).unwrap(),
        FetchLimits::default(),
    )
}

async fn site() -> Site {
    let zeros = vec![0; 64 * MIB];
    let mut gzip = GzipEncoder::with_quality(Vec::new(), async_compression::Level::Fastest);
    gzip.write_all(&zeros).await.unwrap();
    gzip.shutdown().await.unwrap();
    let encoded = |name: &str, body: &[u8]| {
        format!(
            "content-encoding: {name}\r\ncontent-length: {}\r\n",
            body.len()
        )
    };
    let gzip = gzip.into_inner();
    let page = vec![b'a'; PAGE_BYTES];
    let text = vec![b'a'; 60_000];
    let mut pdf = b"%PDF-1.7\n".to_vec();
    pdf.resize(60_000, b'a');
    Site(vec![
        ("/gzip", encoded("gzip", &gzip), gzip, false),
        ("/endless-text", String::new(), text, true),
        ("/endless-pdf", String::new(), pdf, true),
        ("/page", encoded("identity", &page), page, false),
    ])
}

/// An `Err` means that the reader went away, as it should.
async fn serve(mut wire: TcpStream, site: &Site) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(wire.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let found = site.0.iter().find(|(at, ..)| *at == path);
    let Some((_, headers, body, endless)) = found else {
        return wire
            .write_all(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n")
            .await;
    };
    wire.write_all(format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes())
        .await?;
    wire.write_all(body).await?;
    if *endless {
        loop {
            wire.write_all(body).await?;
        }
    }
    wire.shutdown().await
}

fn told(got: &Result<FetchedPage, FetchError>) -> String {
    match got {
        Ok(page) => format!("{} bytes, cut: {}", page.bytes.len(), page.cut.is_some()),
        Err(fault) => fault.to_string(),
    }
}

fn mib(bytes: usize) -> f64 {
    bytes as f64 / MIB as f64
}

/// The most memory that the process held since the last reset.
fn peak() -> usize {
    status("VmHWM:")
}

/// Begins a new peak; gives what is held now.
fn reset_peak() -> usize {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    status("VmRSS:")
}

fn status(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .unwrap();
    let kib: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kib * 1024
}
