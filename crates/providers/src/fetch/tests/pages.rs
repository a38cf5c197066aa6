//! Redirects, robots.txt and turns: the way to a page.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use tokio::time::Instant;

use crate::fetch::{
    FetchError, FetchLimits, FetchRefusal,
    tests::world::{FetchAct, FetchCall, FetchWorld, answer, not_found, redirect},
};

/// A world with two names, each path answered by the script; no robots.txt.
fn two_sites(script: impl Fn(&FetchCall) -> Vec<FetchAct> + Send + Sync + 'static) -> FetchWorld {
    let with_robots = move |asked: &FetchCall| match asked.path.as_str() {
        "/robots.txt" => not_found(),
        _ => script(asked),
    };
    named(FetchWorld::serving(with_robots))
}

fn named(world: FetchWorld) -> FetchWorld {
    let world = world.name("example.com", &["93.184.216.34"]);
    world.name("example.org", &["1.1.1.1"])
}

/// `/5` leads to `/4`, and so on down to the page `/0`.
fn countdown(asked: &FetchCall) -> Vec<FetchAct> {
    match asked.path[1..].parse::<u32>() {
        Ok(0) | Err(_) => answer(200, &["content-type: text/html"], b"arrived"),
        Ok(left) => redirect(301, &(left - 1).to_string()),
    }
}

fn refusal(fault: FetchError) -> FetchRefusal {
    match fault {
        FetchError::Refused(refusal) => refusal,
        other => panic!("not a refusal: {other:?}"),
    }
}

#[tokio::test]
async fn five_redirects_are_followed_and_a_sixth_is_not() {
    let world = two_sites(countdown);
    let page = world.get("http://example.com/5#part").await.unwrap();
    assert_eq!(page.url.as_str(), "http://example.com/0");
    assert_eq!(
        (page.bytes.as_slice(), page.redirects),
        (b"arrived".as_slice(), 5)
    );
    assert_eq!(page.content_type.as_deref(), Some("text/html"));
    let fault = world.get("http://example.com/6").await.unwrap_err();
    assert_eq!(refusal(fault), FetchRefusal::TooManyRedirects { limit: 5 });
}

#[tokio::test]
async fn every_kind_of_redirect_leads_on_across_sites() {
    for status in [301, 302, 303, 307, 308] {
        let world = two_sites(move |asked| match asked.host.as_str() {
            "example.com" => redirect(status, "//example.org:8080/there?x=1"),
            _ => answer(200, &[], b"there"),
        });
        let page = world.get("http://example.com/").await.unwrap();
        assert_eq!(page.url.as_str(), "http://example.org:8080/there?x=1");
        assert_eq!(world.dialled().last().unwrap(), "1.1.1.1:8080");
    }
}

#[tokio::test]
async fn a_redirect_without_a_place_or_to_itself_ends() {
    let world = two_sites(|_| answer(302, &[], b""));
    let fault = world.get("http://example.com/").await.unwrap_err();
    assert_eq!(refusal(fault), FetchRefusal::NoLocation);
    let world = two_sites(|_| redirect(302, "/"));
    let fault = world.get("http://example.com/").await.unwrap_err();
    assert_eq!(refusal(fault), FetchRefusal::TooManyRedirects { limit: 5 });
    assert_eq!(world.pages_asked().len(), 6);
}

#[tokio::test]
async fn a_page_that_is_not_there_is_an_answer_without_bytes() {
    for status in [403, 404, 410, 429, 451, 500, 503, 304] {
        let world = two_sites(move |_| answer(status, &["retry-after: 7"], b"sorry"));
        let page = world.get("http://example.com/").await.unwrap();
        assert_eq!(page.status.as_u16(), status);
        assert!(page.bytes.is_empty());
        assert_eq!(page.headers["retry-after"], "7");
    }
}

#[tokio::test]
async fn a_request_says_who_asks_and_nothing_more() {
    let world = two_sites(|asked| answer(200, &[], asked.head.as_bytes()));
    let page = world.get("http://example.com/a?b=c#d").await.unwrap();
    let head = String::from_utf8(page.bytes).unwrap();
    let mut lines: Vec<&str> = head.trim().lines().collect();
    lines.sort_unstable();
    let agent = format!(
        "user-agent: fathom/{} (research engine)",
        env!("CARGO_PKG_VERSION")
    );
    let expected = [
        "GET /a?b=c HTTP/1.1",
        "accept-encoding: gzip, deflate",
        "accept: text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
        "connection: close",
        "host: example.com",
        agent.as_str(),
    ];
    assert_eq!(lines, expected);
}

/// A site with this robots.txt, where every other path is a page.
fn with_robots(status: u16, robots: &'static str) -> FetchWorld {
    let script = move |asked: &FetchCall| match (asked.host.as_str(), asked.path.as_str()) {
        ("example.com", "/robots.txt") => answer(status, &[], robots.as_bytes()),
        (_, "/robots.txt") => not_found(),
        (_, "/away") => redirect(302, "http://example.com/private/page"),
        _ => answer(200, &[], b"page"),
    };
    named(FetchWorld::serving(script))
}

#[tokio::test]
async fn robots_txt_is_obeyed_on_the_way_too() {
    let rules = "user-agent: *\ndisallow: /\n\nuser-agent: Fathom\nallow: /private/open\ndisallow: /private\n";
    let world = with_robots(200, rules);
    let fetcher = world.fetcher("", FetchLimits::default());
    assert!(fetcher.get("http://example.com/public").await.is_ok());
    assert!(fetcher.get("http://example.com/private/open").await.is_ok());
    for closed in ["http://example.com/private/page", "http://example.org/away"] {
        let fault = fetcher.get(closed).await.unwrap_err();
        assert_eq!(refusal(fault), FetchRefusal::Robots);
    }
    // Asked once for the whole site, and no forbidden page was asked for.
    let asked = world.asked.lock().unwrap().clone();
    let files = asked.iter().filter(|a| *a == "example.com/robots.txt");
    assert_eq!(files.count(), 1);
    assert!(!asked.contains(&"example.com/private/page".to_owned()));
}

#[tokio::test]
async fn a_site_without_robots_txt_is_open_and_one_that_fails_is_closed() {
    for (status, open) in [
        (404, true),
        (403, true),
        (401, true),
        (429, false),
        (500, false),
        (503, false),
    ] {
        let world = with_robots(status, "");
        let page = world.get("http://example.com/").await;
        match page {
            Ok(_) => assert!(open, "{status}"),
            Err(fault) => assert!(
                !open && matches!(fault, FetchError::RobotsUnreachable),
                "{status}"
            ),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_asked_again_after_a_day_and_after_failures_at_once_then_after_five_minutes()
{
    const DAY: u64 = 24 * 60 * 60;
    for (status, asked_after) in [
        (200, [(0, 1), (1, 1), (DAY - 10, 1), (20, 2)]),
        (500, [(0, 1), (1, 2), (5 * 60 - 10, 2), (20, 3)]),
    ] {
        let world = with_robots(status, "");
        let fetcher = world.fetcher("", FetchLimits::default());
        let files = || {
            let asked = world.asked.lock().unwrap();
            asked.iter().filter(|a| a.ends_with("/robots.txt")).count()
        };
        for (wait, expected) in asked_after {
            tokio::time::advance(Duration::from_secs(wait)).await;
            let _ = fetcher.get("http://example.com/").await;
            assert_eq!(files(), expected, "{status} after {wait}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_hangs_closes_the_site_in_time() {
    let world = named(FetchWorld::serving(|_| vec![FetchAct::Hang]));
    let begun = Instant::now();
    let fault = world.get("http://example.com/").await.unwrap_err();
    assert!(matches!(fault, FetchError::RobotsUnreachable), "{fault:?}");
    assert_eq!(begun.elapsed().as_secs(), 15);
}

#[tokio::test]
async fn a_moved_robots_txt_counts_and_a_forbidden_place_for_it_does_not() {
    let moved = |to: &'static str| {
        named(FetchWorld::serving(move |asked| {
            match (asked.host.as_str(), asked.path.as_str()) {
                ("example.com", "/robots.txt") => redirect(301, to),
                (_, "/rules") => answer(200, &[], b"user-agent: *\ndisallow: /"),
                _ => answer(200, &[], b"page"),
            }
        }))
    };
    let fault = moved("http://example.org/rules")
        .get("http://example.com/")
        .await;
    assert_eq!(refusal(fault.unwrap_err()), FetchRefusal::Robots);
    let world = moved("http://169.254.169.254/");
    let fault = world.get("http://example.com/").await.unwrap_err();
    assert!(matches!(refusal(fault), FetchRefusal::Metadata { .. }));
    assert_eq!(world.dialled(), ["93.184.216.34:80"]);
    // RFC 9309: a file that is not reached within five redirects may be taken as absent.
    assert!(
        moved("/robots.txt")
            .get("http://example.com/")
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_is_asked_two_things_at_once_and_waiting_costs_no_page_its_time() {
    let (now, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (busy, most) = (Arc::clone(&now), Arc::clone(&peak));
    let world = two_sites(move |asked| {
        if asked.host == "example.com" {
            most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        }
        // The whole answer comes after ten seconds, and only then the next may begin.
        let slow = vec![FetchAct::Wait(Duration::from_secs(10))];
        [slow, answer(200, &[], b"page")].concat()
    });
    let fetcher = world.fetcher("", FetchLimits::default());
    let begun = Instant::now();
    let ended = |page: Result<_, FetchError>| {
        now.fetch_sub(1, Ordering::SeqCst);
        page.map(|_: crate::fetch::FetchedPage| begun.elapsed().as_secs())
    };
    let fetches = (0..20).map(|n| {
        let url = format!("http://example.com/{n}");
        let fetcher = &fetcher;
        async move { ended(fetcher.get(&url).await) }
    });
    let other = async {
        fetcher
            .get("http://example.org/")
            .await
            .map(|_| begun.elapsed().as_secs())
    };
    let (pages, other) = tokio::join!(join_all(fetches), other);
    assert!(pages.iter().all(Result::is_ok));
    assert_eq!(peak.load(Ordering::SeqCst), 2);
    assert_eq!(begun.elapsed().as_secs(), 100);
    assert_eq!(other.unwrap(), 10, "another host does not wait");
}
