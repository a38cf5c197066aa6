//! T21: what is forbidden is refused without a dial; what is good is dialled where it should be.

use crate::fetch::{
    AllowList, AllowListError, FetchError, FetchLimits, FetchRefusal, FetchTarget,
    tests::world::{FetchWorld, answer, not_found, redirect},
};

const FORBIDDEN: &str = include_str!("forbidden.txt");
const ALLOWED: &str = include_str!("allowed.txt");

fn cases(file: &'static str) -> impl Iterator<Item = &'static str> {
    let case = |line: &&str| !line.is_empty() && !line.starts_with("# ") && *line != "#";
    file.lines().map(str::trim_end).filter(case)
}

/// The rule's name in the data file.
fn rule(refusal: &FetchRefusal) -> &'static str {
    match refusal {
        FetchRefusal::TooLong { .. } => "too_long",
        FetchRefusal::Malformed { .. } => "malformed",
        FetchRefusal::Scheme { .. } => "scheme",
        FetchRefusal::UserInfo => "user_info",
        FetchRefusal::Port { .. } => "port",
        FetchRefusal::LocalName { .. } => "local_name",
        FetchRefusal::Metadata { .. } => "metadata",
        FetchRefusal::Address { .. } => "address",
        FetchRefusal::Downgrade => "downgrade",
        FetchRefusal::TooManyRedirects { .. } => "too_many_redirects",
        FetchRefusal::NoLocation => "no_location",
        FetchRefusal::Robots => "robots",
    }
}

fn world_for(url: &str, addresses: &str) -> FetchWorld {
    let parsed = url::Url::parse(url).unwrap();
    let name = parsed.host_str().unwrap().trim_end_matches('.');
    FetchWorld::refusing().name(name, &[addresses])
}

#[tokio::test]
async fn every_forbidden_url_is_refused_by_its_rule_without_a_dial() {
    let (mut count, mut wrong) = (0, Vec::new());
    for case in cases(FORBIDDEN) {
        let (expected, url) = case.split_once(" | ").unwrap();
        let (url, world) = match url.split_once(" -> ") {
            Some((url, addresses)) => (url, world_for(url, addresses)),
            None => (url, FetchWorld::refusing()),
        };
        let got = match world.get(url).await {
            Err(FetchError::Refused(refusal)) => rule(&refusal),
            Err(_) => "another fault",
            Ok(_) => "fetched",
        };
        let looked_up = world.lookups.lock().unwrap().len();
        let may_look_up = usize::from(case.contains(" -> "));
        if got != expected || !world.dialled().is_empty() || looked_up > may_look_up {
            wrong.push(format!(
                "{case}: {got}, {looked_up} look-ups, dialled {:?}",
                world.dialled()
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("T21: {count} forbidden URLs, all refused, 0 dials");
    assert!(count >= 100);
}

#[tokio::test]
async fn every_good_url_is_dialled_at_its_checked_address() {
    let (mut count, mut wrong) = (0, Vec::new());
    for case in cases(ALLOWED) {
        let (from, expected) = case.split_once(" => ").unwrap();
        let (url, world) = match from.split_once(" -> ") {
            Some((url, addresses)) => (url, world_for(url, addresses)),
            None => (from, FetchWorld::refusing()),
        };
        let fault = world.get(url).await.err();
        let first = world.dialled().first().cloned().unwrap_or_default();
        if first != expected || !matches!(fault, Some(FetchError::Connect(_))) {
            wrong.push(format!("{case}: dialled {first}, {fault:?}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("T21: {count} good URLs, all dialled at the checked address");
    assert!(count >= 40);
}

#[test]
fn length_is_counted_before_and_after_parsing() {
    let allow = AllowList::default();
    let of_length = |chars: usize| format!("https://example.com/{}", "a".repeat(chars - 20));
    assert!(FetchTarget::parse(&of_length(2_048), &allow).is_ok());
    let refused = FetchTarget::parse(&of_length(2_049), &allow).unwrap_err();
    assert_eq!(rule(&refused), "too_long");
    // Each of these becomes nine characters.
    let swelling = format!("https://example.com/{}", "€".repeat(1_000));
    let refused = FetchTarget::parse(&swelling, &allow).unwrap_err();
    assert_eq!(rule(&refused), "too_long");
    let label = format!("https://{}.example.com/", "a".repeat(64));
    assert_eq!(
        rule(&FetchTarget::parse(&label, &allow).unwrap_err()),
        "malformed"
    );
}

#[test]
fn tabs_and_line_ends_do_not_vanish_from_a_url() {
    for raw in [
        "http://127.0\t.0.1/",
        "http://exam\nple.com/",
        "\u{0}http://example.com/",
    ] {
        let refused = FetchTarget::parse(raw, &AllowList::default()).unwrap_err();
        assert_eq!(rule(&refused), "malformed");
    }
}

#[tokio::test]
async fn an_answer_that_changes_between_calls_never_reaches_a_forbidden_address() {
    let world = FetchWorld::serving(|asked| match asked.path.as_str() {
        "/robots.txt" => not_found(),
        _ => answer(200, &[], b"hello"),
    });
    // Good for robots.txt and the first page, then inside, then good again.
    let turns = [
        "93.184.216.34",
        "93.184.216.34",
        "127.0.0.1",
        "10.1.2.3",
        "1.1.1.1",
    ];
    let world = world.name("turning.example.com", &turns);
    let fetcher = world.fetcher("", FetchLimits::default());
    let url = "http://turning.example.com/";
    assert_eq!(fetcher.get(url).await.unwrap().bytes, b"hello");
    for _ in 0..2 {
        let fault = fetcher.get(url).await.unwrap_err();
        assert!(
            matches!(fault, FetchError::Refused(FetchRefusal::Address { .. })),
            "{fault:?}"
        );
    }
    assert_eq!(fetcher.get(url).await.unwrap().bytes, b"hello");
    let dialled = ["93.184.216.34:80", "93.184.216.34:80", "1.1.1.1:80"];
    assert_eq!(world.dialled(), dialled);
    // One look-up for each connection: what was checked is what was dialled.
    assert_eq!(world.lookups.lock().unwrap().len(), 5);
}

#[tokio::test]
async fn a_redirect_is_checked_like_a_first_url() {
    let mut count = 0;
    for case in cases(FORBIDDEN) {
        let (expected, url) = case.split_once(" | ").unwrap();
        // A relative reference or a name's answer is another matter.
        if url.contains(" -> ") || !url.contains("://") || expected == "malformed" {
            continue;
        }
        let location = url.to_owned();
        let world = FetchWorld::serving(move |asked| match asked.path.as_str() {
            "/robots.txt" => not_found(),
            _ => redirect(302, &location),
        });
        let world = world.name("example.net", &["93.184.216.34"]);
        let fault = world.get("http://example.net/").await.unwrap_err();
        let FetchError::Refused(refusal) = fault else {
            panic!("{case}: {fault:?}");
        };
        assert_eq!(rule(&refusal), expected, "{case}");
        assert!(
            world
                .dialled()
                .iter()
                .all(|dial| dial == "93.184.216.34:80")
        );
        count += 1;
    }
    println!("T21: {count} redirects to forbidden places, none followed");
    assert!(count >= 90);
}

#[test]
fn a_redirect_never_leads_from_https_to_http() {
    let allow = AllowList::parse("wiki.corp:3000").unwrap();
    let secure = FetchTarget::parse("https://example.com/", &allow).unwrap();
    for lower in ["http://example.com/", "http://wiki.corp:3000/"] {
        assert_eq!(secure.redirect(lower, &allow), Err(FetchRefusal::Downgrade));
    }
    assert!(
        secure
            .redirect("//example.org/x", &allow)
            .unwrap()
            .is_secure()
    );
    let plain = FetchTarget::parse("http://example.com/", &allow).unwrap();
    assert!(plain.redirect("https://example.com/", &allow).is_ok());
}

#[tokio::test]
async fn an_opened_host_is_dialled_on_its_port_and_on_no_other() {
    let world = FetchWorld::refusing()
        .name("wiki.corp", &["10.0.0.9"])
        .name("other.corp", &["10.0.0.9"]);
    let fetcher = world.fetcher(
        "wiki.corp:3000, 127.0.0.1:9000,[::1]:8080",
        FetchLimits::default(),
    );
    for open in [
        "http://wiki.corp:3000/",
        "http://127.1:9000/",
        "http://[::1]:8080/a",
    ] {
        let fault = fetcher.get(open).await.unwrap_err();
        assert!(matches!(fault, FetchError::Connect(_)), "{open}: {fault:?}");
    }
    assert_eq!(
        world.dialled(),
        ["10.0.0.9:3000", "127.0.0.1:9000", "[::1]:8080"]
    );
    for closed in [
        "http://wiki.corp/",
        "http://wiki.corp:3001/",
        "http://other.corp:3000/",
        "http://10.0.0.9:3000/",
        "http://localhost:9000/",
        "http://127.0.0.2:9000/",
    ] {
        let fault = fetcher.get(closed).await.unwrap_err();
        assert!(
            matches!(fault, FetchError::Refused(_)),
            "{closed}: {fault:?}"
        );
    }
    assert_eq!(world.dialled().len(), 3);
}

#[tokio::test]
async fn metadata_is_refused_even_where_the_operator_opened_a_host() {
    let world = FetchWorld::refusing().name("wiki.corp", &["169.254.169.254"]);
    let fetcher = world.fetcher("wiki.corp:80", FetchLimits::default());
    let fault = fetcher.get("http://wiki.corp/").await.unwrap_err();
    assert!(matches!(
        fault,
        FetchError::Refused(FetchRefusal::Metadata { .. })
    ));
    assert!(world.dialled().is_empty());
}

#[test]
fn a_wrong_allow_list_says_what_is_wrong() {
    let fault = |setting| AllowList::parse(setting).unwrap_err();
    assert!(matches!(fault("wiki"), AllowListError::NoPort { .. }));
    assert!(matches!(fault("wiki:http"), AllowListError::NoPort { .. }));
    assert!(matches!(fault("a/b:80"), AllowListError::NoHost { .. }));
    assert!(matches!(fault("user@a:80"), AllowListError::NoHost { .. }));
    assert!(matches!(fault("*.corp:80"), AllowListError::NoHost { .. }));
    for metadata in [
        "169.254.169.254:80",
        "[fd00:ec2::254]:80",
        "metadata.google.internal.:80",
    ] {
        assert!(matches!(fault(metadata), AllowListError::Metadata { .. }));
    }
    assert_eq!(AllowList::parse(" , ").unwrap(), AllowList::default());
}
