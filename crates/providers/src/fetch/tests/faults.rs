//! T22, the part about time and broken connections: each ends within its limit, in a typed fault.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::time::Instant;

use crate::fetch::{
    AllowList, FetchError, FetchLimits, FetchNetwork, Fetcher, NameResolver, StreamConnector,
    WireStream,
    tests::world::{FetchAct, FetchWorld, answer, head, not_found, redirect},
};
use crate::tls;

const SECOND: Duration = Duration::from_secs(1);

fn site(acts: Vec<FetchAct>) -> FetchWorld {
    let world = FetchWorld::serving(move |asked| match asked.path.as_str() {
        "/robots.txt" => not_found(),
        _ => acts.clone(),
    });
    world.name("example.com", &["93.184.216.34"])
}

/// Fetches the page; gives its fault, and how long it took by the paused clock.
async fn fault_of(acts: Vec<FetchAct>) -> (FetchError, u64) {
    let begun = Instant::now();
    let fault = site(acts).get("http://example.com/").await.unwrap_err();
    (fault, begun.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn headers_that_never_come_end_after_15_seconds() {
    let (fault, seconds) = fault_of(vec![FetchAct::Hang]).await;
    assert!(
        matches!(fault, FetchError::FirstByteTime { .. }),
        "{fault:?}"
    );
    assert_eq!(seconds, 15);
}

#[tokio::test(start_paused = true)]
async fn headers_that_come_a_byte_a_second_end_after_15_seconds() {
    let start = b"HTTP/1.1 200 OK\r\nx: ".to_vec();
    let drip = vec![
        FetchAct::Send(start),
        FetchAct::Endless(b"a".to_vec(), SECOND),
    ];
    let (fault, seconds) = fault_of(drip).await;
    assert!(
        matches!(fault, FetchError::FirstByteTime { .. }),
        "{fault:?}"
    );
    assert_eq!(seconds, 15);
}

#[tokio::test(start_paused = true)]
async fn endless_headers_are_not_collected() {
    let start = b"HTTP/1.1 200 OK\r\n".to_vec();
    let line = b"x: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".to_vec();
    let (fault, _) = fault_of(vec![
        FetchAct::Send(start),
        FetchAct::Endless(line, Duration::ZERO),
    ])
    .await;
    assert!(matches!(fault, FetchError::NotHttp), "{fault:?}");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_falls_silent_ends_after_10_seconds() {
    let mut bytes = head(200, &["content-length: 100"]);
    bytes.extend_from_slice(b"the beginning");
    let (fault, seconds) = fault_of(vec![FetchAct::Send(bytes), FetchAct::Hang]).await;
    assert!(matches!(fault, FetchError::IdleTime { .. }), "{fault:?}");
    assert_eq!(seconds, 10);
}

#[tokio::test(start_paused = true)]
async fn a_body_of_one_byte_a_second_ends_after_45_seconds() {
    let drip = FetchAct::Endless(b"a".to_vec(), SECOND);
    let (fault, seconds) = fault_of(vec![FetchAct::Send(head(200, &[])), drip]).await;
    assert!(matches!(fault, FetchError::TotalTime { .. }), "{fault:?}");
    assert_eq!(seconds, 45);
}

#[tokio::test(start_paused = true)]
async fn slow_redirects_share_one_total() {
    let wait = FetchAct::Wait(14 * SECOND);
    let (fault, seconds) = fault_of([vec![wait], redirect(302, "/on")].concat()).await;
    assert!(matches!(fault, FetchError::TotalTime { .. }), "{fault:?}");
    assert_eq!(seconds, 45);
}

#[tokio::test(start_paused = true)]
async fn a_slow_page_within_the_limits_arrives() {
    let slow = vec![
        FetchAct::Wait(14 * SECOND),
        FetchAct::Send(head(200, &["content-length: 4"])),
        FetchAct::Wait(9 * SECOND),
        FetchAct::Send(b"ab".to_vec()),
        FetchAct::Wait(9 * SECOND),
        FetchAct::Send(b"cd".to_vec()),
    ];
    let page = site(slow).get("http://example.com/").await.unwrap();
    assert_eq!(page.bytes, b"abcd");
}

#[tokio::test(start_paused = true)]
async fn a_body_shorter_than_it_said_is_broken_off() {
    let mut bytes = head(200, &["content-length: 1000"]);
    bytes.extend_from_slice(b"only this");
    let (fault, _) = fault_of(vec![FetchAct::Send(bytes)]).await;
    assert!(matches!(fault, FetchError::Reset), "{fault:?}");
}

#[tokio::test(start_paused = true)]
async fn a_body_longer_than_it_said_ends_where_it_said() {
    let mut bytes = head(200, &["content-length: 4"]);
    bytes.extend_from_slice(b"four and more");
    let page = site(vec![FetchAct::Send(bytes)])
        .get("http://example.com/")
        .await;
    assert_eq!(page.unwrap().bytes, b"four");
}

#[tokio::test(start_paused = true)]
async fn a_chunked_body_without_its_end_is_broken_off() {
    let mut bytes = head(200, &["transfer-encoding: chunked"]);
    bytes.extend_from_slice(b"4\r\nfour\r\n");
    let (fault, _) = fault_of(vec![FetchAct::Send(bytes)]).await;
    assert!(matches!(fault, FetchError::Reset), "{fault:?}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_closed_without_an_answer_is_broken_off() {
    let (fault, _) = fault_of(Vec::new()).await;
    assert!(matches!(fault, FetchError::Reset), "{fault:?}");
}

#[tokio::test(start_paused = true)]
async fn something_else_than_http_is_told_apart() {
    let two_lengths = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nfour";
    for words in [
        "SSH-2.0-OpenSSH_9.6\r\n\r\n",
        "HTTP/9 what\r\n\r\n",
        two_lengths,
    ] {
        let (fault, _) = fault_of(vec![FetchAct::Send(words.as_bytes().to_vec())]).await;
        assert!(matches!(fault, FetchError::NotHttp), "{words}: {fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_tls_where_it_is_due_gives_a_tls_fault() {
    let world = site(Vec::new());
    // The greeting has no blank line at its end; the scripted server waits for one.
    let begun = Instant::now();
    let fault = world.get("https://example.com/").await.unwrap_err();
    assert!(matches!(fault, FetchError::ConnectTime { .. }), "{fault:?}");
    assert_eq!(begun.elapsed().as_secs(), 5);

    struct Plain;
    #[async_trait]
    impl StreamConnector for Plain {
        async fn connect(&self, _to: SocketAddr) -> io::Result<Box<dyn WireStream>> {
            let plain = b"HTTP/1.1 400 Bad Request\r\n\r\n".as_slice();
            Ok(Box::new(tokio::io::join(plain, tokio::io::sink())))
        }
    }
    let fault = fetcher_over(world, Plain).get("https://example.com/").await;
    assert!(matches!(fault.unwrap_err(), FetchError::Tls(_)));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_never_opens_ends_after_5_seconds_however_many_addresses() {
    struct Never;
    #[async_trait]
    impl StreamConnector for Never {
        async fn connect(&self, _to: SocketAddr) -> io::Result<Box<dyn WireStream>> {
            std::future::pending().await
        }
    }
    for addresses in ["1.1.1.1", "1.1.1.1,1.0.0.1,8.8.8.8,8.8.4.4,9.9.9.9"] {
        let world = FetchWorld::refusing().name("example.com", &[addresses]);
        let begun = Instant::now();
        let fault = fetcher_over(world, Never).get("http://example.com/").await;
        let fault = fault.unwrap_err();
        assert!(matches!(fault, FetchError::ConnectTime { .. }), "{fault:?}");
        assert_eq!(begun.elapsed().as_secs(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn names_that_are_unknown_empty_or_never_answered_are_told_apart() {
    let unknown = FetchWorld::refusing().get("http://example.com/").await;
    assert!(matches!(
        unknown.unwrap_err(),
        FetchError::NameNotFound { .. }
    ));
    let empty = FetchWorld::refusing().name("example.com", &[]);
    let empty = empty.get("http://example.com/").await;
    assert!(matches!(
        empty.unwrap_err(),
        FetchError::NameNotFound { .. }
    ));

    struct Silent;
    #[async_trait]
    impl NameResolver for Silent {
        async fn resolve(&self, _name: &str) -> io::Result<Vec<std::net::IpAddr>> {
            std::future::pending().await
        }
    }
    let network = FetchNetwork {
        resolver: Arc::new(Silent),
        connector: Arc::new(FetchWorld::refusing()),
        tls: Arc::new(tls::system().unwrap()),
    };
    let begun = Instant::now();
    let fetcher = Fetcher::new(network, AllowList::default(), FetchLimits::default());
    let silent = fetcher.get("http://example.com/").await;
    assert!(matches!(silent.unwrap_err(), FetchError::NameLookup { .. }));
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn a_second_address_is_tried_where_the_first_refuses() {
    struct SecondOnly(FetchWorld);
    #[async_trait]
    impl StreamConnector for SecondOnly {
        async fn connect(&self, to: SocketAddr) -> io::Result<Box<dyn WireStream>> {
            match to.ip().to_string().as_str() {
                "1.1.1.1" => Err(io::ErrorKind::ConnectionRefused.into()),
                _ => self.0.connect(to).await,
            }
        }
    }
    let world = site(answer(200, &[], b"hello")).name("example.com", &["1.1.1.1,1.0.0.1"]);
    let fetcher = fetcher_over(world.clone(), SecondOnly(world));
    assert_eq!(
        fetcher.get("http://example.com/").await.unwrap().bytes,
        b"hello"
    );
}

fn fetcher_over(world: FetchWorld, connector: impl StreamConnector + 'static) -> Fetcher {
    let network = FetchNetwork {
        resolver: Arc::new(world),
        connector: Arc::new(connector),
        tls: Arc::new(tls::system().unwrap()),
    };
    Fetcher::new(network, AllowList::default(), FetchLimits::default())
}
