//! What is kept of pages, for how long, and what is not.

use std::time::Duration;

use fathom_providers::FailureCause;
use fathom_providers::pages::{DeadLink, PageSettings};

use crate::bench::Luck;
use crate::world::{Act, PagesWorld, say};

const PAGE: &str = "<!doctype html><title>One</title>";

fn site(page: fn(&str) -> Act) -> PagesWorld {
    PagesWorld::new(move |at| match at {
        "/robots.txt" => say(404, &[], ""),
        path => page(path),
    })
}

#[tokio::test(start_paused = true)]
async fn a_page_is_read_once_within_its_time_and_again_after_it() {
    let world = site(|_| say(200, &[("content-type", "text/html")], PAGE));
    let door = world.pages(Luck::Least, PageSettings::default());
    let first = door.read("http://example.com/a#part").await.unwrap();
    assert_eq!((first.status, first.from_cache), (200, false));
    assert_eq!(first.hash, blake3::hash(PAGE.as_bytes()));
    assert_eq!(first.requested.as_str(), "http://example.com/a");
    tokio::time::advance(Duration::from_secs(23 * 60 * 60)).await;
    let second = door.read("http://EXAMPLE.com/a").await.unwrap();
    assert!(second.from_cache);
    assert_eq!(
        (second.fetched_at, &second.bytes),
        (first.fetched_at, &first.bytes)
    );
    assert_eq!(world.asked().len(), 1);
    tokio::time::advance(Duration::from_secs(25 * 60 * 60)).await;
    assert!(!door.read("http://example.com/a").await.unwrap().from_cache);
    assert_eq!(world.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_moved_is_known_at_both_addresses() {
    let world = site(|path| match path {
        "/old" => say(301, &[("location", "/new")], ""),
        _ => say(200, &[], "moved here"),
    });
    let door = world.pages(Luck::Least, PageSettings::default());
    let read = door.read("http://example.com/old").await.unwrap();
    assert_eq!((read.url.path(), read.redirects), ("/new", 1));
    for (path, redirects) in [("old", 1), ("new", 0)] {
        let again = door
            .read(&format!("http://example.com/{path}"))
            .await
            .unwrap();
        assert_eq!((again.from_cache, again.redirects), (true, redirects));
        assert_eq!(again.url.path(), "/new");
    }
    assert_eq!(world.asked(), ["/old", "/new"]);
}

#[tokio::test(start_paused = true)]
async fn what_its_server_forbids_to_keep_is_not_kept() {
    let world = site(|_| say(200, &[("cache-control", "private, No-Store")], "mine"));
    let door = world.pages(Luck::Least, PageSettings::default());
    for _ in 0..2 {
        assert!(!door.read("http://example.com/").await.unwrap().from_cache);
    }
    assert_eq!(world.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_dead_link_is_marked_and_not_followed_again_for_ten_minutes() {
    for (status, dead) in [
        (404, Some(DeadLink::NotFound)),
        (410, Some(DeadLink::Gone)),
        (403, None),
    ] {
        let world = PagesWorld::new(move |at| match at {
            "/robots.txt" => say(404, &[], ""),
            _ => say(status, &[], ""),
        });
        let door = world.pages(Luck::Least, PageSettings::default());
        for (wait_s, attempts, asked) in [(0, 1, 1), (9 * 60, 0, 1), (2 * 60, 1, 2)] {
            tokio::time::advance(Duration::from_secs(wait_s)).await;
            let failure = door.read("http://example.com/").await.unwrap_err();
            assert_eq!(failure.cause, FailureCause::SourceRefused);
            assert_eq!(
                (failure.attempts, DeadLink::from_failure(&failure)),
                (attempts, dead)
            );
            assert_eq!(world.asked().len(), asked, "{status}");
        }
        // However many links of a site are dead, the site is not left alone for it.
        for n in 0..20 {
            let failure = door.read(&format!("http://example.com/{n}")).await;
            assert_eq!(failure.unwrap_err().status, Some(status));
        }
    }
    assert_eq!(DeadLink::NotFound.to_string(), "dead link (404)");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_nobody_has_is_a_dead_link() {
    let world = PagesWorld::new(|at| match at {
        "look up" => Act::LookUpFails(std::io::ErrorKind::NotFound),
        _ => say(200, &[], ""),
    });
    let door = world.pages(Luck::Least, PageSettings::default());
    let failure = door.read("http://example.com/").await.unwrap_err();
    assert_eq!(DeadLink::from_failure(&failure), Some(DeadLink::NoSuchHost));
    assert_eq!(world.dials(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_is_asked_again_and_is_no_dead_link() {
    let world = site(|_| say(500, &[], ""));
    let door = world.pages(Luck::Least, PageSettings::default());
    for calls in 1..=2 {
        let failure = door.read("http://example.com/").await.unwrap_err();
        assert_eq!(
            (failure.attempts, DeadLink::from_failure(&failure)),
            (2, None)
        );
        assert_eq!(world.asked().len(), 2 * calls);
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_is_refused_is_neither_asked_nor_remembered() {
    let world = site(|_| say(200, &[], ""));
    let door = world.pages(Luck::Least, PageSettings::default());
    for url in [
        "http://127.0.0.1/",
        "ftp://example.com/",
        "http://me:canary@example.com/",
        "?",
    ] {
        let failure = door.read(url).await.unwrap_err();
        assert_eq!(
            (failure.cause, failure.attempts),
            (FailureCause::Forbidden, 0),
            "{url}"
        );
        assert!(!failure.to_string().contains("canary"));
    }
    assert_eq!((world.dials(), door.seen.take().len()), (0, 0));
}
