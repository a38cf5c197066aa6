//! Works by their DOI, from registers on loopback that answer with fixtures in the registers' own shape.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod registers;

use fathom_providers::PublicationDate;
use fathom_providers::works::{NoticeKind, WorkAuthor};
use fathom_providers::{Doi, FailureCause};

use registers::Registers;

const CROSSREF: &str = include_str!("crossref.json");
const DATACITE: &str = include_str!("datacite.json");

fn doi(raw: &str) -> Doi {
    Doi::parse(raw).unwrap()
}

#[tokio::test]
async fn a_work_is_found_with_its_gravest_notice() {
    let registers = Registers::start(|path| match path {
        "/works/10.5555%2Fexample.2019(4)7?mailto=me%40example.org" => (200, CROSSREF),
        _ => (500, ""),
    });
    let registers = registers.await;
    let work = registers.look_up(&doi("10.5555/EXAMPLE.2019(4)7")).await;
    let work = work.unwrap().unwrap();
    assert_eq!(work.doi, doi("10.5555/example.2019(4)7"));
    let title = "Uptake of CO2 by Quercus seedlings & shade: A trial";
    assert_eq!(work.title.as_deref(), Some(title));
    let names: Vec<(&str, Option<&str>)> = work.authors.iter().map(name).collect();
    let expected = [
        ("Brook", Some("Ada")),
        ("Ĉapek", None),
        ("The Shade Group", None),
    ];
    assert_eq!(names, expected);
    // April has 30 days.
    assert_eq!(work.published.unwrap().to_string(), "2019-04");
    assert_eq!(work.venue.as_deref(), Some("Journal of Invented Forestry"));
    assert_eq!(
        (work.volume.as_deref(), work.issue.as_deref()),
        (Some("12"), Some("4"))
    );
    assert_eq!(
        (work.pages.as_deref(), work.citations),
        (Some("101-109"), Some(31))
    );
    assert_eq!(work.url, "https://doi.org/10.5555/example.2019(4)7");
    assert!(work.is_retracted());
    let notice = work.notice.unwrap();
    assert_eq!(
        (notice.kind, notice.doi),
        (NoticeKind::Retraction, Some(doi("10.5555/retraction")))
    );
    assert_eq!(notice.date, PublicationDate::new(2022, Some(6), Some(9)));
}

fn name(author: &WorkAuthor) -> (&str, Option<&str>) {
    (&author.family, author.given.as_deref())
}

#[tokio::test]
async fn what_crossref_does_not_have_is_looked_up_at_datacite() {
    let registers = Registers::start(|path| match path {
        "/dois/10.5555%2Fdataset" => (200, DATACITE),
        _ => (404, "Resource not found."),
    });
    let registers = registers.await;
    let work = registers.look_up(&doi("10.5555/dataset")).await.unwrap();
    let work = work.unwrap();
    assert_eq!(work.title.as_deref(), Some("Readings of light under oaks"));
    let names: Vec<(&str, Option<&str>)> = work.authors.iter().map(name).collect();
    assert_eq!(names, [("Brook", Some("Ada")), ("Shade Laboratory", None)]);
    assert_eq!(work.published.unwrap().to_string(), "2021-02");
    assert_eq!(work.publisher.as_deref(), Some("Invented Repository"));
    assert_eq!(
        (work.pages.as_deref(), work.kind.as_deref()),
        (Some("1-9"), Some("Dataset"))
    );
    assert_eq!(registers.asked().len(), 2);
}

#[tokio::test]
async fn a_work_that_nobody_has_is_none_and_not_a_failure() {
    let registers = Registers::start(|_| (404, "Resource not found.")).await;
    // However many are not there, the registers are not left alone for it.
    for n in 0..10 {
        let doi = doi(&format!("10.5555/nobody.{n}"));
        assert_eq!(registers.look_up(&doi).await, Ok(None));
    }
    assert_eq!(registers.asked().len(), 20);
}

#[tokio::test]
async fn a_register_that_fails_leaves_it_open_whether_there_is_such_a_work() {
    let registers = Registers::start(|path| match path {
        path if path.starts_with("/works/") => (503, ""),
        _ => (404, ""),
    });
    let registers = registers.await;
    let failure = registers.look_up(&doi("10.5555/x")).await.unwrap_err();
    let causes: Vec<FailureCause> = failure.tried.iter().map(|failure| failure.cause).collect();
    assert_eq!(causes, [FailureCause::ServerFailed]);
}

#[tokio::test]
async fn answers_of_another_shape_are_garbled_and_the_next_register_is_asked() {
    for body in [
        "",
        "<html>",
        "[]",
        "{}",
        "{\"message\": null}",
        "{\"message\": \"ok\"}",
    ] {
        let registers = Registers::start(move |path| match path {
            "/dois/10.5555%2Fdataset" => (200, DATACITE),
            _ => (200, body),
        });
        let registers = registers.await;
        let work = registers.look_up(&doi("10.5555/dataset")).await.unwrap();
        assert_eq!(work.unwrap().kind.as_deref(), Some("Dataset"), "{body}");
    }
}
