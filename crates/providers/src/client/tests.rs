//! The client against a server on loopback that drips, hangs, resets, lies and repeats keys.

use std::io;
use std::time::Duration;

use async_compression::tokio::write::GzipEncoder;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::call::{CallContext, CallKind, CallSettings, Caller, ProviderName, TransportError};
use crate::{FailureCause, SystemClock};

const PATIENCE: Duration = Duration::from_secs(20);

/// Does something to a connection whose request has been read.
type ServerScript = fn(TcpStream) -> futures::future::BoxFuture<'static, io::Result<()>>;

/// What the whole layer makes of one answer: the attempt's fault, and the call's cause.
async fn meet(
    script: ServerScript,
    limits: (Duration, Duration),
) -> (Option<AttemptError>, Option<FailureCause>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        while let Ok((mut wire, _)) = listener.accept().await {
            read_head(&mut wire).await?;
            script(wire).await?;
        }
        io::Result::Ok(())
    });
    let outcome = call(&format!("http://127.0.0.1:{port}"), limits).await;
    server.abort();
    outcome
}

async fn call(
    address: &str,
    (first_byte, idle): (Duration, Duration),
) -> (Option<AttemptError>, Option<FailureCause>) {
    let settings = ClientSettings {
        idle,
        answer_max_bytes: 100_000,
        ..ClientSettings::default()
    };
    let client = HttpClient::new(settings).unwrap();
    let url = BaseUrl::parse(address).unwrap().join(["search"]);
    let mut once = CallSettings::default();
    once.search.attempts = 1;
    let clock = std::sync::Arc::new(SystemClock::default());
    let caller = Caller::new(once, clock, Box::new(StdRng::seed_from_u64(1)));
    let seen = std::sync::Mutex::new(None);
    let sink = |event| drop(event);
    let context = CallContext {
        kind: CallKind::Search,
        deadline: PATIENCE,
        sink: &sink,
    };
    let key = Secret::parse("canary-4711");
    let outcome = caller
        .call(&ProviderName::new("test"), &context, async |attempt| {
            let request = HttpRequest::get(url.clone(), first_byte).bearer(key.as_ref());
            let result = client.ask(&attempt, request).await;
            let result = result.and_then(|reply| reply.json::<serde_json::Value>());
            *seen.lock().unwrap() = result.clone().err();
            result
        })
        .await;
    let fault = seen.lock().unwrap().take();
    (fault, outcome.err().map(|failure| failure.cause))
}

async fn read_head(wire: &mut TcpStream) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(wire.read_u8().await?);
    }
    Ok(())
}

async fn say(wire: &mut TcpStream, words: &[u8]) -> io::Result<()> {
    wire.write_all(words).await?;
    wire.flush().await
}

const ROOMY: (Duration, Duration) = (PATIENCE, PATIENCE);
const SHORT: (Duration, Duration) = (Duration::from_millis(60), Duration::from_millis(60));

#[tokio::test]
async fn every_way_an_answer_fails_has_its_own_name() {
    let scripts: [(&str, ServerScript, _, TransportError, FailureCause); 8] = [
        (
            "hangs",
            |wire| Box::pin(hang(wire)),
            SHORT,
            TransportError::FirstByte,
            FailureCause::TimedOut,
        ),
        (
            "drips, then hangs",
            |wire| Box::pin(drip(wire)),
            // The head may take its time, so that a slow machine does not give up before it comes.
            (PATIENCE, SHORT.1),
            TransportError::Idle,
            FailureCause::TimedOut,
        ),
        (
            "closes at once",
            |wire| Box::pin(close(wire)),
            ROOMY,
            TransportError::Reset,
            FailureCause::Unreachable,
        ),
        (
            "resets",
            |wire| Box::pin(reset(wire)),
            ROOMY,
            TransportError::Reset,
            FailureCause::Unreachable,
        ),
        (
            "is not HTTP",
            |wire| Box::pin(gibber(wire)),
            ROOMY,
            TransportError::Protocol,
            FailureCause::Unreachable,
        ),
        (
            "promises more than it sends",
            |wire| Box::pin(shorten(wire)),
            ROOMY,
            TransportError::Truncated,
            FailureCause::Unreachable,
        ),
        (
            "is endless",
            |wire| Box::pin(pour(wire)),
            ROOMY,
            TransportError::TooLarge,
            FailureCause::TooLarge,
        ),
        (
            "says gzip and sends none",
            |wire| Box::pin(pretend(wire)),
            ROOMY,
            TransportError::Decode,
            FailureCause::Garbled,
        ),
    ];
    for (name, script, limits, transport, cause) in scripts {
        let outcome = meet(script, limits).await;
        assert_eq!(outcome, (Some(transport.into()), Some(cause)), "it {name}");
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_and_a_name_that_nobody_has_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (fault, _) = call(&format!("http://127.0.0.1:{port}"), ROOMY).await;
    assert_eq!(fault, Some(TransportError::Refused.into()));
    let (fault, cause) = call("http://nobody.invalid", ROOMY).await;
    // Which of the two it is depends on whether this machine can ask.
    let (expected, why) = match SystemNetwork
        .resolve("nobody.invalid")
        .await
        .map_err(NameLookupError::from)
    {
        Err(NameLookupError::Unknown) => (TransportError::DnsUnknown, FailureCause::NoSuchHost),
        Err(NameLookupError::NotAsked) => (TransportError::DnsTemporary, FailureCause::Unreachable),
        Ok(found) => panic!("somebody has the name: {found:?}"),
    };
    assert_eq!(fault, Some(expected.into()));
    assert_eq!(cause, Some(why));
}

#[test]
fn a_name_that_nobody_has_is_told_from_one_that_could_not_be_asked_for() {
    for (kind, fault) in [
        (io::ErrorKind::NotFound, NameLookupError::Unknown),
        (io::ErrorKind::Other, NameLookupError::NotAsked),
        (io::ErrorKind::TimedOut, NameLookupError::NotAsked),
    ] {
        assert_eq!(NameLookupError::from(io::Error::from(kind)), fault);
    }
}

#[tokio::test]
async fn what_is_no_json_is_garbled_whether_html_or_nothing_or_packed_twice() {
    let scripts: [ServerScript; 3] = [
        |mut wire| {
            Box::pin(async move {
                say(&mut wire, b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 15\r\n\r\n<html>hi</html>").await
            })
        },
        |mut wire| {
            Box::pin(async move {
                say(&mut wire, b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await
            })
        },
        |wire| Box::pin(pack_twice(wire)),
    ];
    for script in scripts {
        assert_eq!(meet(script, ROOMY).await.1, Some(FailureCause::Garbled));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_a_key_that_comes_back_is_struck() {
    let redirect: ServerScript = |mut wire| {
        Box::pin(async move {
            let head =
                b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
            say(&mut wire, head).await
        })
    };
    assert_eq!(meet(redirect, ROOMY).await.1, Some(FailureCause::Garbled));
    let repeat: ServerScript = |mut wire| {
        Box::pin(async move {
            let head = b"HTTP/1.1 401 No\r\nx-key: canary-4711\r\ncontent-length: 19\r\n\r\nnot canary-4711 at ";
            say(&mut wire, head).await
        })
    };
    let (fault, cause) = meet(repeat, ROOMY).await;
    assert_eq!(cause, Some(FailureCause::KeyRefused));
    let Some(AttemptError::Answer(answer)) = fault else {
        unreachable!("a refused key is an answer")
    };
    assert_eq!(answer.headers.get("x-key"), Some("[secret]"));
    assert_eq!(answer.body, b"not [secret] at ");
}

#[tokio::test]
async fn a_packed_answer_is_read() {
    let packed: ServerScript = |wire| Box::pin(pack(wire, 1));
    assert_eq!(meet(packed, ROOMY).await, (None, None));
}

async fn hang(mut wire: TcpStream) -> io::Result<()> {
    wire.read_u8().await.map(drop)
}

async fn drip(mut wire: TcpStream) -> io::Result<()> {
    say(&mut wire, b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{").await?;
    hang(wire).await
}

async fn close(wire: TcpStream) -> io::Result<()> {
    drop(wire);
    Ok(())
}

async fn reset(wire: TcpStream) -> io::Result<()> {
    wire.set_zero_linger()
}

async fn gibber(mut wire: TcpStream) -> io::Result<()> {
    say(&mut wire, b"220 mail.example ESMTP\r\n\r\n").await
}

async fn shorten(mut wire: TcpStream) -> io::Result<()> {
    say(
        &mut wire,
        b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"a\":1}",
    )
    .await
}

async fn pour(mut wire: TcpStream) -> io::Result<()> {
    say(&mut wire, b"HTTP/1.1 200 OK\r\n\r\n").await?;
    while say(&mut wire, &[b' '; 4096]).await.is_ok() {}
    Ok(())
}

async fn pretend(mut wire: TcpStream) -> io::Result<()> {
    let head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 7\r\n\r\n{\"a\":1}";
    say(&mut wire, head).await
}

async fn pack_twice(wire: TcpStream) -> io::Result<()> {
    pack(wire, 2).await
}

async fn pack(mut wire: TcpStream, times: usize) -> io::Result<()> {
    let mut body = b"{\"results\": []}".to_vec();
    for _ in 0..times {
        let mut encoder = GzipEncoder::new(Vec::new());
        encoder.write_all(&body).await?;
        encoder.shutdown().await?;
        body = encoder.into_inner();
    }
    let encodings = vec!["gzip"; times].join(", ");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-encoding: {encodings}\r\ncontent-length: {length}\r\n\r\n"
    );
    say(&mut wire, head.as_bytes()).await?;
    say(&mut wire, &body).await
}
