//! Pages over real sockets, from a server on loopback that drips, hangs, resets, lies about length and encodes twice.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_compression::tokio::write::GzipEncoder;
use fathom_providers::call::{CallContext, CallKind, CallSettings};
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages};
use fathom_providers::{FailureCause, SystemClock};
use futures::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::bench::{Luck, Seen};

const PATIENCE: Duration = Duration::from_secs(60);
const AT_ONCE: usize = 16;

/// For what hangs on purpose. What does not hang gets all the time of the rules, however busy the machine is.
fn impatient() -> FetchLimits {
    FetchLimits {
        first_byte: Duration::from_secs(2),
        idle: Duration::from_secs(2),
        total: Duration::from_secs(4),
        ..FetchLimits::default()
    }
}

fn pages(port: u16, limits: FetchLimits) -> Pages {
    let allow = AllowList::parse(&format!("127.0.0.1:{port}")).unwrap();
    let clock = Arc::new(SystemClock::default());
    let mut settings = CallSettings::default();
    settings.page.in_flight_max = AT_ONCE;
    // Each of the cases fails on purpose.
    settings.breaker.consecutive = u32::MAX;
    settings.breaker.window_least = usize::MAX;
    let caller =
        fathom_providers::call::Caller::new(settings, clock.clone(), Box::new(Luck::Least));
    let deps = PageDeps {
        fetcher: Fetcher::new(FetchNetwork::system().unwrap(), allow, limits),
        caller: Arc::new(caller),
        clock,
        cache: Arc::new(MemoryPageCache::default()),
    };
    Pages::new(deps, PageSettings::default())
}

#[tokio::test]
async fn every_misbehaviour_of_a_server_ends_in_its_cause_after_its_attempts() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut answers = JoinSet::new();
        while let Ok((wire, _)) = listener.accept().await {
            answers.spawn(serve(wire));
        }
    });
    let quick = [
        ("closes", FailureCause::Unreachable, 2),
        ("resets", FailureCause::Unreachable, 2),
        ("resets-in-the-middle", FailureCause::Unreachable, 2),
        ("promises-more", FailureCause::Unreachable, 2),
        ("speaks-smtp", FailureCause::Unreachable, 1),
        ("encodes-twice", FailureCause::Garbled, 1),
        ("says-gzip-and-sends-none", FailureCause::Garbled, 1),
        ("endless-pdf", FailureCause::TooLarge, 1),
        ("bomb", FailureCause::TooLarge, 1),
        ("private", FailureCause::SourceRefused, 1),
        ("sends-inside", FailureCause::Forbidden, 1),
    ];
    let slow = [
        ("hangs", FailureCause::TimedOut, 2),
        ("drips-headers", FailureCause::TimedOut, 2),
        ("begins-and-hangs", FailureCause::TimedOut, 2),
        ("drips-for-ever", FailureCause::TimedOut, 1),
    ];
    let patient = pages(port, with_room(FetchLimits::default()));
    let impatient = pages(port, with_room(impatient()));
    let quick = quick.map(|case| meet(&patient, port, case));
    let slow = slow.map(|case| meet(&impatient, port, case));
    let (quick, slow) = tokio::join!(join_all(quick), join_all(slow));
    let count = quick.len() + slow.len();
    println!("T22: {count} misbehaviours over real sockets, each ended in its cause");
}

#[tokio::test]
async fn what_comes_after_the_promised_length_is_not_read() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut server = JoinSet::new();
    server.spawn(async move {
        while let Ok((wire, _)) = listener.accept().await {
            serve(wire).await.unwrap();
        }
    });
    let seen = Seen::default();
    let url = format!("http://127.0.0.1:{port}/promises-less");
    let pages = pages(port, FetchLimits::default());
    let read = pages.read(&url, &context(&seen)).await;
    assert_eq!(read.unwrap().bytes, "only");
}

async fn meet(pages: &Pages, port: u16, (path, cause, attempts): (&str, FailureCause, u32)) {
    let seen = Seen::default();
    let url = format!("http://127.0.0.1:{port}/{path}");
    let failure = pages.read(&url, &context(&seen)).await.unwrap_err();
    let met = (failure.cause, failure.attempts);
    assert_eq!(met, (cause, attempts), "{path}");
    assert_eq!(seen.take().len(), attempts as usize, "{path}");
}

fn context(seen: &Seen) -> CallContext<'_> {
    CallContext {
        kind: CallKind::Page,
        deadline: PATIENCE,
        sink: seen,
    }
}

fn with_room(limits: FetchLimits) -> FetchLimits {
    FetchLimits {
        at_once_per_host: AT_ONCE,
        ..limits
    }
}

/// An `Err` means that the reader went away, as it may.
async fn serve(mut wire: TcpStream) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(wire.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .trim_start_matches('/')
        .to_owned();
    let ok = |headers: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes();
    match path.as_str() {
        "robots.txt" => {
            let rules = "User-agent: *\nDisallow: /private";
            let length = format!("content-length: {}\r\n", rules.len());
            wire.write_all(&[ok(&length), rules.into()].concat())
                .await?;
        }
        "hangs" => hang(wire).await?,
        "drips-headers" => drip(wire, b"HTTP/1.1 200 OK\r\nx: ", b"a").await?,
        "begins-and-hangs" => {
            wire.write_all(&ok("content-length: 9\r\n")).await?;
            hang(wire).await?;
        }
        "drips-for-ever" => drip(wire, &ok(""), b"a").await?,
        "closes" => drop(wire),
        "resets" => wire.set_zero_linger()?,
        "resets-in-the-middle" => {
            wire.write_all(&ok("content-length: 9\r\n")).await?;
            wire.set_zero_linger()?;
        }
        "promises-more" => {
            wire.write_all(&[&ok("content-length: 9\r\n")[..], b"half"].concat())
                .await?
        }
        "promises-less" => {
            wire.write_all(&[&ok("content-length: 4\r\n")[..], b"only this"].concat())
                .await?
        }
        "speaks-smtp" => wire.write_all(b"220 mail.example ESMTP\r\n\r\n").await?,
        "encodes-twice" => {
            let body = gzip(&gzip(b"page").await?).await?;
            wire.write_all(&[ok("content-encoding: gzip, gzip\r\n"), body].concat())
                .await?;
        }
        "says-gzip-and-sends-none" => {
            wire.write_all(&[&ok("content-encoding: gzip\r\n")[..], b"page"].concat())
                .await?;
        }
        "endless-pdf" => {
            wire.write_all(&[&ok("")[..], b"%PDF-1.7\n"].concat())
                .await?;
            let piece = [b'a'; 64 * 1024];
            while wire.write_all(&piece).await.is_ok() {}
        }
        "bomb" => {
            let body = gzip(&vec![0; 8 * 1024 * 1024]).await?;
            wire.write_all(&[ok("content-encoding: gzip\r\n"), body].concat())
                .await?;
        }
        "sends-inside" => {
            let head =
                "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
            wire.write_all(head.as_bytes()).await?;
        }
        _ => wire.write_all(&ok("content-length: 0\r\n")).await?,
    }
    Ok(())
}

/// Until the reader has gone.
async fn hang(mut wire: TcpStream) -> io::Result<()> {
    wire.read_u8().await.map(drop)
}

async fn drip(mut wire: TcpStream, start: &[u8], drop: &[u8]) -> io::Result<()> {
    wire.write_all(start).await?;
    loop {
        wire.write_all(drop).await?;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(body).await?;
    encoder.shutdown().await?;
    Ok(encoder.into_inner())
}
