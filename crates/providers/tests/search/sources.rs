//! Hits become sources: what is one is merged whatever its form, what is not stays apart, and the order never counts.

use std::collections::BTreeSet;

use fathom_providers::Doi;
use fathom_providers::PublicationDate;
use fathom_providers::call::ProviderName;
use fathom_providers::search::{SearchHit, SearchKind};
use fathom_providers::source::{Finding, Relevance, Source, merge, quality_prior};
use jiff::civil::date;
use proptest::prelude::*;

use crate::world::TODAY;

const LONG: &str = "Tidal turbines were tested in a narrow strait for three years. They gave power on all but \
    nine days, and the cost of each megawatt hour fell by a third while the machines were scaled up and their \
    blades were cleaned of mussels by divers twice a year.";

fn hit(provider: &str, url: &str, title: &str) -> SearchHit {
    SearchHit {
        url: url.into(),
        title: title.into(),
        snippet: String::new(),
        kind: SearchKind::Web,
        provider: ProviderName::new(provider),
        rank: 1,
        authors: Vec::new(),
        published: None,
        venue: None,
        citations: None,
        doi: None,
        abstract_text: None,
        full_text: None,
        pdf_url: None,
        score: None,
        language: None,
        retracted: false,
    }
}

fn work(provider: &str, doi: &str, text: &str) -> SearchHit {
    SearchHit {
        doi: Doi::told(doi),
        abstract_text: (!text.is_empty()).then(|| text.into()),
        kind: SearchKind::Academic,
        ..hit(
            provider,
            &format!("https://{provider}.example/{doi}"),
            "Tidal turbines",
        )
    }
}

fn found(query: &str, hit: SearchHit) -> Finding {
    let query = query.into();
    Finding { query, hit }
}

fn merged(hits: impl IntoIterator<Item = SearchHit>) -> Vec<Source> {
    let findings: Vec<Finding> = hits.into_iter().map(|hit| found("q", hit)).collect();
    merge(&findings)
}

#[test]
fn a_source_remembers_every_query_and_provider_that_found_it() {
    let one = hit("serper", "http://www.example.org/a/?utm_source=x", "A");
    let other = SearchHit {
        rank: 4,
        ..hit("brave", "https://example.org/a#part", "A")
    };
    let sources = merge(&[
        found("first", one.clone()),
        found("second", one.clone()),
        found("second", other),
        found("first", one),
    ]);
    let [source] = sources.as_slice() else {
        panic!("{sources:?}");
    };
    let seen: Vec<String> = source
        .sightings
        .iter()
        .map(|s| format!("{} {} {}", s.query, s.provider, s.rank))
        .collect();
    assert_eq!(
        seen,
        ["first serper 1", "second brave 4", "second serper 1"]
    );
    assert_eq!(source.queries().collect::<Vec<_>>(), ["first", "second"]);
}

#[test]
fn hits_of_one_doi_are_one_source_in_every_form_of_it() {
    let sources = merged([
        work("crossref", "10.5555/TIDE.1", ""),
        work("openalex", "https://doi.org/10.5555/tide.1", ""),
        hit("serper", "https://dx.doi.org/10.5555/Tide.1", "Tides"),
        hit(
            "brave",
            "https://publisher.example/doi/full/10.5555/tide.1",
            "Tides | Publisher",
        ),
    ]);
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert_eq!(sources[0].key.to_string(), "doi:10.5555/tide.1");
    let preprints = merged([
        work("arxiv", "arXiv:2104.12255v1", ""),
        hit("serper", "https://arxiv.org/pdf/2104.12255v3.pdf", "T"),
        work("semantic_scholar", "10.48550/arXiv.2104.12255", ""),
    ]);
    assert_eq!(preprints.len(), 1, "{preprints:?}");
}

#[test]
fn a_page_goes_to_the_one_doi_that_is_known_for_its_address() {
    let page = || hit("serper", "https://journal.example/7", "Page");
    let known = |doi: &str| SearchHit {
        url: page().url,
        ..work("openalex", doi, "")
    };
    assert_eq!(merged([page(), known("10.5555/a")]).len(), 1);
    // An address of two works, such as a list, is neither of them.
    assert_eq!(
        merged([page(), known("10.5555/a"), known("10.5555/b")]).len(),
        3
    );
}

#[test]
fn nearly_the_same_text_is_one_source_but_two_dois_never_are() {
    let page = |url: &str, text: &str| SearchHit {
        snippet: text.into(),
        ..hit("tavily", url, "Tidal turbines")
    };
    let mirror = format!("{LONG} Copied.");
    let pages = merged([
        page("https://a.example/", LONG),
        page("https://b.example/", &mirror),
    ]);
    assert_eq!(pages.len(), 1, "{pages:?}");

    let works = || {
        [
            work("crossref", "10.5555/a", LONG),
            work("crossref", "10.5555/b", LONG),
        ]
    };
    assert_eq!(merged(works()).len(), 2);
    // Nor does a page between them bring them together: it goes to one.
    let between = merged(
        works()
            .into_iter()
            .chain([page("https://a.example/", LONG)]),
    );
    assert_eq!(between.len(), 2, "{between:?}");

    let short = "Log in to read on.";
    assert_eq!(
        merged([
            page("https://a.example/", short),
            page("https://b.example/", short)
        ])
        .len(),
        2
    );
    let titled = |url: &str, title: &str| SearchHit {
        title: title.into(),
        ..page(url, LONG)
    };
    let years = [
        titled(
            "https://a.example/",
            "Yearly report of the tidal board 2022",
        ),
        titled(
            "https://a.example/2",
            "Yearly report of the tidal board 2023",
        ),
    ];
    assert_eq!(merged(years).len(), 2);
    let others = [
        titled("https://a.example/", "Tides and power"),
        titled("https://a.example/2", "Cookie notice"),
    ];
    assert_eq!(merged(others).len(), 2);
}

#[test]
fn a_row_of_small_changes_does_not_make_one_source_of_all() {
    // Each text shares nine tenths of its words with the next, and the first nothing with the last.
    let text = |nth: usize| {
        let words = (nth * 6..nth * 6 + 100).map(|n| format!("w{n}"));
        words.collect::<Vec<_>>().join(" ")
    };
    let pages = (10..30).map(|nth| SearchHit {
        snippet: text(nth),
        ..hit("tavily", &format!("https://{nth}.example/"), "Row")
    });
    let sources = merged(pages);
    assert!((5..20).contains(&sources.len()), "{}", sources.len());
}

#[test]
fn of_each_fact_the_source_keeps_the_best_that_was_told() {
    let told = |text: &str| PublicationDate::parse(text, TODAY);
    let web = SearchHit {
        url: "https://doi.org/10.5555/a?utm_source=x".into(),
        snippet: "A longer snippet.".into(),
        published: told("2023-05-06"),
        full_text: Some("All of it.".into()),
        ..work("serper", "10.5555/a", "")
    };
    let register = SearchHit {
        title: "Tidal Turbines: a Study".into(),
        authors: vec!["A".into(), "B".into(), "C".into(), "D".into()],
        published: told("2023"),
        citations: Some(3),
        venue: Some("Tides".into()),
        rank: 9,
        ..work("crossref", "10.5555/a", "Short.")
    };
    let late = SearchHit {
        published: told("2024-01-02"),
        ..work("brave", "10.5555/a", "")
    };
    let index = SearchHit {
        citations: Some(40),
        retracted: true,
        venue: Some("tides".into()),
        pdf_url: Some("https://example.org/a.pdf".into()),
        ..work("openalex", "10.5555/a", "A longer abstract.")
    };
    let sources = merged([web, late, index, register]);
    let [source] = sources.as_slice() else {
        panic!("{sources:?}");
    };
    assert_eq!(source.title, "Tidal Turbines: a Study");
    assert_eq!(source.authors_short(), "A, B, C et al.");
    assert_eq!(source.published.unwrap().to_string(), "2023-05-06");
    assert_eq!(source.venue.as_deref(), Some("Tides"));
    assert_eq!(source.citations, Some(40));
    assert_eq!(source.abstract_text.as_deref(), Some("A longer abstract."));
    assert_eq!(source.full_text.as_deref(), Some("All of it."));
    assert_eq!(source.pdf_url.as_deref(), Some("https://example.org/a.pdf"));
    assert!(source.retracted);
    assert_eq!(source.kind, SearchKind::Academic);
    assert_eq!(source.relevance, None);
}

#[test]
fn the_quality_prior_is_the_sum_that_was_agreed() {
    let prior = |change: &dyn Fn(&mut Source)| {
        let mut source = merged([hit("serper", "https://example.org/", "T")]).remove(0);
        change(&mut source);
        (quality_prior(&source, TODAY) * 1e6).round() / 1e6
    };
    assert_eq!(prior(&|_| {}), 0.0);
    assert_eq!(prior(&|s| s.snippet = "é".repeat(100)), 0.0);
    assert_eq!(prior(&|s| s.snippet = "é".repeat(101)), 0.3);
    assert_eq!(prior(&|s| s.full_text = Some("x".into())), 0.2);
    assert_eq!(prior(&|s| s.citations = Some(150)), 0.15);
    assert_eq!(prior(&|s| s.citations = Some(u64::MAX)), 0.3);
    let on = |day| move |s: &mut Source| s.published = Some(PublicationDate::from(day));
    assert_eq!(prior(&on(date(2021, 3, 8))), 0.2);
    assert_eq!(prior(&on(date(2021, 3, 7))), 0.0);
    assert_eq!(
        prior(&|s| s.published = PublicationDate::new(2021, None, None)),
        0.2
    );
    let all = |s: &mut Source| {
        s.snippet = LONG.into();
        s.full_text = Some(LONG.into());
        s.citations = Some(5_000);
        s.published = PublicationDate::new(2024, None, None);
    };
    assert_eq!(prior(&all), 1.0);
}

#[test]
fn a_relevance_is_a_number_from_zero_to_one() {
    assert_eq!(Relevance::new(0.5).map(Relevance::get), Some(0.5));
    for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Relevance::new(wrong), None);
    }
    assert!(serde_json::from_str::<Relevance>("2").is_err());
}

fn any_finding() -> impl Strategy<Value = Finding> {
    let urls = prop::sample::select(vec![
        "https://example.org/a",
        "http://www.example.org/a/?utm_source=y",
        "https://example.org/b",
        "https://doi.org/10.5555/one",
        "https://journal.example/doi/10.5555/two/pdf",
        "https://mirror.example/a",
        "https://arxiv.org/abs/2104.12255v2",
    ]);
    let dois = prop::sample::select(vec![
        None,
        None,
        Some("10.5555/ONE"),
        Some("10.5555/two"),
        Some("10.5555/three"),
    ]);
    let texts = prop::sample::select(vec![
        String::new(),
        LONG.to_owned(),
        format!("{LONG} Copied."),
        LONG.replace("nine", "ten"),
    ]);
    let providers =
        prop::sample::select(vec!["serper", "brave", "crossref", "openalex", "somebody"]);
    let titles = prop::sample::select(vec![
        "Tidal turbines",
        "Tidal turbines | Site",
        "Report 2022",
    ]);
    let facts = (
        0..3_u32,
        prop::option::of(0..3_u64),
        prop::option::of(2020..2023_i16),
        any::<bool>(),
    );
    ("[ab]", urls, dois, texts, providers, titles, facts).prop_map(
        |(query, url, doi, text, provider, title, facts)| {
            let (rank, citations, year, retracted) = facts;
            found(
                &query,
                SearchHit {
                    doi: doi.and_then(Doi::told),
                    snippet: text,
                    rank,
                    citations,
                    published: year.and_then(|year| PublicationDate::new(year, None, None)),
                    retracted,
                    ..hit(provider, url, title)
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_order_of_findings_gives_the_same_sources(
        (findings, shuffled) in prop::collection::vec(any_finding(), 0..14)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        let sources = merge(&findings);
        prop_assert_eq!(&sources, &merge(&shuffled));
        let twice: Vec<Finding> = findings.iter().chain(&shuffled).cloned().collect();
        prop_assert_eq!(&sources, &merge(&twice));

        // Every finding is in exactly one source, keys differ, and a source has at most one DOI.
        let keys: BTreeSet<_> = sources.iter().map(|source| &source.key).collect();
        prop_assert_eq!(keys.len(), sources.len());
        for finding in &findings {
            let own = finding.hit.doi.clone().or_else(|| Doi::from_url(&finding.hit.url));
            let holders: Vec<&Source> = sources.iter().filter(|source| {
                source.sightings.iter().any(|s| s.query == finding.query && s.provider == finding.hit.provider && s.rank == finding.hit.rank && s.url == finding.hit.url)
                    && own.as_ref().is_none_or(|own| source.doi.as_ref() == Some(own))
            }).collect();
            prop_assert!(!holders.is_empty());
            prop_assert!(own.is_none() || holders.len() == 1);
        }
        for source in &sources {
            let stored = serde_json::to_string(source).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Source>(&stored).unwrap(), source);
        }
    }
}
