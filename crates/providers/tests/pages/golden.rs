//! T16 through the door of pages: each answer and each fault on the way ends as the golden table says of pages.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fathom_providers::pages::PageSettings;

use crate::bench::Luck;
use crate::table::{self, Told};
use crate::world::{Act, PagesWorld, answer, say};

/// Where a fault is met, and what it is.
#[derive(Clone)]
struct Case {
    name: String,
    scheme: &'static str,
    /// `look up`, `connect`, `handshake`, or the page's path.
    place: &'static str,
    act: Act,
}

#[tokio::test(start_paused = true)]
async fn each_fault_of_a_page_ends_as_the_golden_table_says() {
    let golden = golden();
    let mut cells = 0;
    for case in answers().chain(transport()) {
        let should = golden.get(case.name.as_str());
        let (once, always) = should.unwrap_or_else(|| panic!("no row for {}", case.name));
        assert_eq!(&cell(&case, 1).await, once, "{}, met once", case.name);
        assert_eq!(&cell(&case, u32::MAX).await, always, "{}", case.name);
        cells += 2;
    }
    println!("T16: {cells} cells of pages hold through their door, over a network in memory");
}

async fn cell(case: &Case, times: u32) -> String {
    let least = run(case, times, Luck::Least).await;
    let most = run(case, times, Luck::Most).await;
    table::cell(&least, &most)
}

async fn run(case: &Case, times: u32, luck: Luck) -> Told {
    let met = AtomicU32::new(0);
    let (place, act) = (case.place, case.act.clone());
    let world = PagesWorld::new(move |at| match at {
        at if at == place && met.fetch_add(1, Ordering::Relaxed) < times => act.clone(),
        "/robots.txt" => say(404, &[], ""),
        // Where the redirects of a case lead: to themselves.
        "/loop" => say(302, &[("location", "/loop")], ""),
        _ => say(200, &[], "a page"),
    });
    let door = world.pages(luck, PageSettings::default());
    let url = format!("{}://example.com/page", case.scheme);
    let result = door.read(&url).await;
    table::told(&result, &door.seen.take())
}

/// The rows of pages: a fault's name, and its two cells.
fn golden() -> HashMap<&'static str, (String, String)> {
    let rows = include_str!("../call/faults.md").lines();
    let cells = rows.filter_map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        match cells[..] {
            ["", name, "page", once, always, ""] => {
                Some((name, (once.to_owned(), always.to_owned())))
            }
            _ => None,
        }
    });
    cells.collect()
}

/// Those that are no success: a page's body is its own affair, so a success is one whatever it says.
fn answers() -> impl Iterator<Item = Case> {
    let failed = table::answers().filter(|(_, answer)| answer.status >= 400);
    failed.map(|(name, given)| {
        let headers: Vec<(&str, &str)> = given.headers.iter().collect();
        let body = String::from_utf8_lossy(&given.body);
        Case {
            name,
            scheme: "http",
            place: "/page",
            act: say(given.status, &headers, &body),
        }
    })
}

fn transport() -> impl Iterator<Item = Case> {
    let ok = |headers: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes();
    let second = Duration::from_secs(1);
    let pdf = vec![b'a'; 1_000_000];
    let cases = [
        ("connect", "http", "connect", Act::ConnectFails(None)),
        (
            "tls refused",
            "https",
            "handshake",
            say(400, &[], "plain HTTP here"),
        ),
        (
            "dns temporary",
            "http",
            "look up",
            Act::LookUpFails(ErrorKind::Other),
        ),
        (
            "dns unknown",
            "http",
            "look up",
            Act::LookUpFails(ErrorKind::NotFound),
        ),
        (
            "refused",
            "http",
            "connect",
            Act::ConnectFails(Some(ErrorKind::ConnectionRefused)),
        ),
        ("reset", "http", "/page", Act::Say(Vec::new())),
        ("first byte", "http", "/page", Act::SayAndHang(Vec::new())),
        (
            "idle",
            "http",
            "/page",
            Act::SayAndHang(ok("content-length: 9\r\n")),
        ),
        (
            "total",
            "http",
            "/page",
            Act::SayOn(ok(""), b"a".to_vec(), second),
        ),
        (
            "truncated",
            "http",
            "/page",
            Act::Say(ok("content-length: 9\r\n")),
        ),
        (
            "protocol",
            "http",
            "/page",
            Act::Say(b"220 mail.example ESMTP\r\n\r\n".to_vec()),
        ),
        (
            "too many redirects",
            "http",
            "/page",
            say(302, &[("location", "/loop")], ""),
        ),
        (
            "too large",
            "http",
            "/page",
            Act::SayOn(ok(""), [b"%PDF-1.7\n", &pdf[..]].concat(), Duration::ZERO),
        ),
        (
            "decode",
            "http",
            "/page",
            say(200, &[("content-encoding", "lzma")], "?"),
        ),
        (
            "forbidden",
            "http",
            "/page",
            say(302, &[("location", "http://127.0.0.1/")], ""),
        ),
        (
            "robots",
            "http",
            "/robots.txt",
            Act::Say(answer(200, &[], "User-agent: *\nDisallow: /")),
        ),
    ];
    cases.into_iter().map(|(name, scheme, place, act)| Case {
        name: name.to_owned(),
        scheme,
        place,
        act,
    })
}
