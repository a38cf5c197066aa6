//! What is one source is merged whatever its form, what is not stays apart, and the order never counts.

use jiff::civil::date;
use proptest::prelude::*;

use super::*;

const TODAY: Date = date(2026, 11, 16);

const LONG: &str = "Tidal turbines were tested in a narrow strait for three years. They gave power on all but \
    nine days, and the cost of each megawatt hour fell by a third while the machines were scaled up and their \
    blades were cleaned of mussels by divers twice a year.";

fn hit(kind: SourceKind, location: &str, about: Work) -> Hit {
    Hit {
        kind,
        location: location.into(),
        key: hit_key(kind, location, &about),
        about,
        snippet: String::new(),
        text: None,
        open_copy: None,
        relevance: 0.5,
        passages: Vec::new(),
    }
}

fn local(name: &str, relevance: f64) -> Hit {
    let about = Work::default();
    Hit {
        relevance,
        ..hit(SourceKind::Local, name, about)
    }
}

fn page(url: &str, title: &str, snippet: &str) -> Hit {
    let title = title.into();
    let about = Work {
        title,
        ..Work::default()
    };
    Hit {
        snippet: snippet.into(),
        ..hit(SourceKind::Web, url, about)
    }
}

fn work(url: &str, doi: &str, text: &str) -> Hit {
    let about = Work {
        title: "Tidal turbines".into(),
        doi: Some(doi.into()),
        ..Work::default()
    };
    Hit {
        text: (!text.is_empty()).then(|| text.into()),
        ..hit(SourceKind::Academic, url, about)
    }
}

fn candidates(known: &[Arc<Source>], hits: &[(u32, Hit)], most: usize) -> Vec<Candidate> {
    let hits = hits.iter().cloned();
    let hits = hits.map(|(query, hit)| (QueryId(query), hit)).collect();
    merge(known, hits, most, TODAY)
}

fn merged(known: &[Arc<Source>], hits: &[(u32, Hit)], most: usize) -> Vec<Source> {
    let found = candidates(known, hits, most).into_iter();
    found.map(|candidate| candidate.source).collect()
}

fn sources(hits: impl IntoIterator<Item = Hit>) -> Vec<Source> {
    let hits: Vec<(u32, Hit)> = hits.into_iter().map(|hit| (0, hit)).collect();
    merged(&[], &hits, usize::MAX)
}

fn known(hits: impl IntoIterator<Item = Hit>) -> Vec<Arc<Source>> {
    sources(hits).into_iter().map(Arc::new).collect()
}

#[test]
fn a_document_found_twice_is_one_source_that_remembers_both_queries() {
    let hits = [
        (0, local("a", 0.4)),
        (1, local("a", 0.9)),
        (1, local("b", 1.0)),
    ];
    let sources = merged(&[], &hits, 10);
    let shape: Vec<_> = sources
        .iter()
        .map(|s| (s.id.0, &*s.location, s.found_by.len()))
        .collect();
    assert_eq!(shape, [(1, "a", 2), (2, "b", 1)]);
    assert_eq!(sources[0].relevance, 0.9);
}

#[test]
fn only_the_best_are_numbered_and_known_ones_keep_their_number() {
    let known = known([local("a", 0.5)]);
    let hits = [
        (1, local("c", 0.2)),
        (1, local("b", 0.8)),
        (2, local("a", 0.7)),
    ];
    let sources = merged(&known, &hits, 2);
    let shape: Vec<_> = sources.iter().map(|s| (s.id.0, &*s.location)).collect();
    assert_eq!(shape, [(1, "a"), (2, "b")]);
    assert_eq!(sources[0].found_by, [QueryId(0), QueryId(2)]);
}

#[test]
fn addresses_of_one_page_are_one_source_that_is_read_without_tracking() {
    let hits = [
        page("https://example.org/a?utm_source=x", "A", "Some words."),
        page("http://www.example.org/a/#part", "A", ""),
    ];
    let found = candidates(&[], &hits.map(|hit| (0, hit)), 10);
    let [one] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(one.source.key, "https://example.org/a");
    assert!(!one.source.location.contains("utm"), "{one:?}");
    assert_eq!(one.source.snippet, "Some words.");
}

#[test]
fn hits_of_one_doi_are_one_source_in_every_form_of_it() {
    let found = sources([
        work("https://api.example/1", "10.5555/TIDE.1", ""),
        work(
            "https://index.example/1",
            "https://doi.org/10.5555/tide.1",
            "",
        ),
        page("https://dx.doi.org/10.5555/Tide.1", "Tides", ""),
        page(
            "https://publisher.example/doi/full/10.5555/tide.1",
            "Tides | Publisher",
            "",
        ),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].key, "doi:10.5555/tide.1");
    assert_eq!(found[0].about.doi.as_deref(), Some("10.5555/tide.1"));
}

#[test]
fn a_page_goes_to_the_one_doi_that_is_known_for_its_address() {
    let url = "https://journal.example/7";
    let page = || page(url, "Page", "");
    let known = |doi: &str| work(url, doi, "");
    assert_eq!(sources([page(), known("10.5555/a")]).len(), 1);
    // An address of two works, such as a list, is neither of them.
    let three = sources([page(), known("10.5555/a"), known("10.5555/b")]);
    assert_eq!(three.len(), 3);
}

#[test]
fn a_known_source_is_found_again_by_the_doi_that_its_page_told() {
    let mut known = known([page("https://journal.example/7", "Page", "")]);
    Arc::make_mut(&mut known[0]).about.doi = Some("10.5555/a".into());
    let hits = [
        (1, work("https://index.example/a", "10.5555/A", "")),
        (2, page("http://journal.example/7/", "Page", "")),
        (3, work("https://journal.example/7", "10.5555/b", "")),
    ];
    let found = merged(&known, &hits, 10);
    let shape: Vec<_> = found.iter().map(|s| (s.id.0, s.found_by.len())).collect();
    assert_eq!(shape, [(1, 3), (2, 1)]);
    assert_eq!(found[0].key, known[0].key);
}

#[test]
fn nearly_the_same_text_is_one_source_but_two_dois_never_are() {
    let turbines = |url: &str, text: &str| page(url, "Tidal turbines", text);
    let mirror = format!("{LONG} Copied.");
    let one = turbines("https://a.example/", LONG);
    let other = turbines("https://b.example/", &mirror);
    assert_eq!(sources([one.clone(), other.clone()]).len(), 1);
    assert_eq!(merged(&known([one.clone()]), &[(1, other)], 10).len(), 1);

    let works = [
        work("https://a.example/1", "10.5555/a", LONG),
        work("https://a.example/2", "10.5555/b", LONG),
    ];
    assert_eq!(sources(works.clone()).len(), 2);
    // Nor does a page between them bring them together: it goes to one.
    assert_eq!(sources(works.into_iter().chain([one])).len(), 2);

    let short = ["https://a.example/", "https://b.example/"];
    let short = short.map(|url| turbines(url, "Log in to read on."));
    assert_eq!(sources(short).len(), 2);
    for titles in [
        ["Yearly report of 2022", "Yearly report of 2023"],
        ["Tides and power", "Cookie notice"],
    ] {
        let [a, b] = titles;
        let two = [
            page("https://a.example/", a, LONG),
            page("https://a.example/2", b, LONG),
        ];
        assert_eq!(sources(two).len(), 2, "{titles:?}");
    }
}

#[test]
fn a_row_of_small_changes_does_not_make_one_source_of_all() {
    // Each text shares nine tenths of its words with the next, and the first nothing with the last.
    let text = |nth: usize| {
        let words = (nth * 6..nth * 6 + 100).map(|n| format!("w{n}"));
        words.collect::<Vec<_>>().join(" ")
    };
    let row = (10..30).map(|nth| page(&format!("https://{nth}.example/"), "Row", &text(nth)));
    let found = sources(row);
    assert!((5..20).contains(&found.len()), "{}", found.len());
}

#[test]
fn of_each_fact_the_source_keeps_the_best_that_was_told() {
    let url = "https://doi.org/10.5555/a";
    let mut web = page(&format!("{url}?utm_source=x"), "tides", "A longer snippet.");
    web.about.published = Some("2023-05-06".into());
    web.about.retracted = true;
    let mut late = page(url, "tides", "");
    (late.about.published, late.relevance) = (Some("2024-01-02".into()), 0.1);
    let mut register = work("https://register.example/a", "10.5555/a", "Short.");
    register.about.authors = vec!["A".into(), "B".into()];
    register.about.published = Some("2023".into());
    register.about.citations = Some(3);
    register.about.venue = Some("Tides".into());
    register.open_copy = Some("https://open.example/a.pdf".into());
    let mut index = work("https://index.example/a", "10.5555/a", "A longer abstract.");
    index.open_copy = Some("https://other.example/a.pdf".into());
    index.about.retracted = true;
    (index.about.citations, index.relevance) = (Some(40), 0.4);
    let hits = [web, late, index, register].map(|hit| (0, hit));
    let found = candidates(&[], &hits, 10);
    let [candidate] = found.as_slice() else {
        panic!("{found:?}")
    };
    let Candidate {
        source,
        text,
        open_copy,
        keys,
    } = candidate;
    assert_eq!(open_copy.as_deref(), Some("https://open.example/a.pdf"));
    assert!(source.about.retracted, "whoever says so");
    assert_eq!(source.location, "https://register.example/a");
    assert_eq!(source.about.title, "Tidal turbines");
    assert_eq!(source.about.authors, ["A", "B"]);
    assert_eq!(source.about.published.as_deref(), Some("2023-05-06"));
    assert_eq!(source.about.venue.as_deref(), Some("Tides"));
    assert_eq!(source.about.citations, Some(40));
    assert_eq!(source.snippet, "A longer snippet.");
    assert_eq!(text.as_deref(), Some("A longer abstract."));
    assert!(source.about.retracted);
    assert_eq!(source.kind, SourceKind::Academic);
    assert!(keys.contains(&hits[0].1.key));
}

#[test]
fn the_quality_prior_is_the_sum_that_was_agreed() {
    let prior = |change: &dyn Fn(&mut Source)| {
        let mut source = sources([local("a", 0.5)]).remove(0);
        change(&mut source);
        (quality(&source, TODAY) * 1e6).round() / 1e6
    };
    assert_eq!(prior(&|_| {}), 0.0);
    assert_eq!(prior(&|s| s.snippet = "é".repeat(100)), 0.0);
    assert_eq!(prior(&|s| s.snippet = "é".repeat(101)), 0.3);
    assert_eq!(prior(&|s| s.about.citations = Some(150)), 0.15);
    assert_eq!(prior(&|s| s.about.citations = Some(u64::MAX)), 0.3);
    for (day, share) in [
        ("2023-11-16", 0.2),
        ("2023-11-15", 0.0),
        ("2023", 0.2),
        ("2022", 0.0),
    ] {
        assert_eq!(
            prior(&|s| s.about.published = Some(day.into())),
            share,
            "{day}"
        );
    }
}

fn any_hit() -> impl Strategy<Value = (u32, Hit)> {
    let urls = prop::sample::select(vec![
        "https://example.org/a",
        "http://www.example.org/a/?utm_source=y",
        "https://example.org/b",
        "https://doi.org/10.5555/one",
        "https://journal.example/doi/10.5555/two/pdf",
        "https://mirror.example/a",
    ]);
    let dois = prop::sample::select(vec![None, None, Some("10.5555/ONE"), Some("10.5555/two")]);
    let texts = prop::sample::select(vec![
        String::new(),
        LONG.to_owned(),
        format!("{LONG} Copied."),
        LONG.replace("nine", "ten"),
    ]);
    let titles = prop::sample::select(vec![
        "Tidal turbines",
        "Tidal turbines | Site",
        "Report 2022",
    ]);
    let facts = (
        0..3_u32,
        prop::option::of(0..3_u64),
        prop::option::of(2020..2023_u32),
        any::<bool>(),
    );
    (0..3_u32, urls, dois, texts, titles, facts).prop_map(
        |(query, url, doi, text, title, (rank, citations, year, academic))| {
            let about = Work {
                title: title.into(),
                doi: doi.map(str::to_owned),
                citations,
                published: year.map(|year| year.to_string()),
                ..Work::default()
            };
            let kind = if academic {
                SourceKind::Academic
            } else {
                SourceKind::Web
            };
            let hit = Hit {
                snippet: text,
                relevance: f64::from(rank) / 3.0,
                ..hit(kind, url, about)
            };
            (query, hit)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_order_of_hits_gives_the_same_sources_each_with_one_doi(
        (hits, shuffled) in prop::collection::vec(any_hit(), 0..14)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        split in 0..14_usize,
    ) {
        let found = candidates(&[], &hits, 100);
        prop_assert_eq!(&found, &candidates(&[], &shuffled, 100));
        let twice: Vec<_> = hits.iter().chain(&shuffled).cloned().collect();
        prop_assert_eq!(&found, &candidates(&[], &twice, 100));

        // Keys differ, and every hit is in a source that has no other DOI than the hit's.
        let keys: BTreeSet<_> = found.iter().map(|candidate| &candidate.source.key).collect();
        prop_assert_eq!(keys.len(), found.len());
        for (query, hit) in &hits {
            let own = doi(hit.kind, &hit.location, &hit.about);
            let holds = |candidate: &Candidate| {
                let told = candidate.source.about.doi.as_deref();
                candidate.source.found_by.contains(&QueryId(*query))
                    && candidate.keys.contains(&hit.key)
                    && own.as_ref().is_none_or(|own| told == Some(own.as_str()))
            };
            prop_assert!(found.iter().any(holds));
        }

        // A second round leaves the numbers and keys of the first as they were.
        let (first, second) = hits.split_at(split.min(hits.len()));
        let known: Vec<Arc<Source>> = merged(&[], first, 100).into_iter().map(Arc::new).collect();
        let later = merged(&known, second, 100);
        let mut next = known.len();
        for source in &later {
            match known.get(source.id.0 as usize - 1) {
                Some(before) => prop_assert_eq!(&before.key, &source.key),
                None => next += 1,
            }
        }
        let most = later.iter().map(|source| source.id.0 as usize).max();
        prop_assert_eq!(most.unwrap_or(0).max(known.len()), next);
    }
}
