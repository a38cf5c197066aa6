//! Whatever a provider sends, a search ends in hits that keep their promises or in a failure: never in a panic.

use std::fs;
use std::path::Path;

use fathom_providers::search::{SearchEngine, SearchQuery};
use fathom_providers::{FailureCategory, HttpClient};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::fixture;
use crate::sane;
use crate::world::{Answer, SearchServer, TODAY, alone, client, query, search};

/// Cases of each kind for each provider.
const CASES: u32 = 48;

/// The names that parsers look for, so that made-up JSON reaches them.
const NAMES: &[&str] = &[
    "organic",
    "results",
    "web",
    "data",
    "total",
    "meta",
    "message",
    "items",
    "status",
    "articles",
    "query",
    "search",
    "pages",
    "title",
    "url",
    "link",
    "html_url",
    "snippet",
    "date",
    "score",
    "authors",
    "author",
    "name",
    "given",
    "family",
    "DOI",
    "doi",
    "externalIds",
    "issued",
    "date-parts",
    "abstract",
    "abstract_inverted_index",
    "updated-by",
    "type",
    "year",
    "publication_year",
    "display_name",
    "authorships",
    "cited_by_count",
    "text_matches",
    "fragment",
    "repository",
    "full_name",
    "unresponsive_engines",
    "esearchresult",
    "idlist",
    "error",
    "code",
    "seendate",
    "page_age",
    "publishedAt",
    "source",
    "searchParameters",
];

fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,20}",
        Just("https://example.org/a".to_owned()),
        Just("ok".to_owned()),
        Just("2024-02-31".to_owned()),
        Just("<b>&#1114112;&\u{202e}".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let name = prop::sample::select(NAMES).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(name, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Good answers of the fixtures, with some bytes changed or the end cut off.
fn harmed(engine: SearchEngine) -> impl Strategy<Value = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/search/fixtures");
    let text = fs::read_to_string(folder.join(engine.as_str()).join("results.http")).unwrap();
    let good = fixture::read(engine, &text).answers.pop().unwrap().body;
    let length = good.len();
    let edits = prop::collection::vec((0..length, any::<u8>()), 0..8);
    (edits, 0..=length).prop_map(move |(edits, end)| {
        let mut body = good.clone();
        for (at, byte) in edits {
            body[at] = byte;
        }
        // Half of them keep their end.
        body.truncate(if end % 2 == 0 { length } else { end });
        body
    })
}

struct Bench {
    runtime: tokio::runtime::Runtime,
    server: SearchServer,
    client: HttpClient,
}

impl Bench {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let server = runtime.block_on(SearchServer::start([]));
        Self {
            runtime,
            server,
            client: client(),
        }
    }

    /// Searches once; a failure must be the provider's, not ours.
    fn meet(&self, engine: SearchEngine, answers: Vec<Answer>) {
        self.ask(engine, &query(engine, "x"), answers);
    }

    fn ask(&self, engine: SearchEngine, asked: &SearchQuery, answers: Vec<Answer>) {
        self.server.say(answers);
        let chains = alone(engine, self.server.port, &self.client);
        match self.runtime.block_on(search(&chains, asked)).0 {
            Ok(served) => sane::check(&served.value, asked),
            Err(failed) => assert_ne!(
                failed.tried[0].category,
                FailureCategory::Internal,
                "{engine}"
            ),
        }
    }
}

/// The body as the answer; for PubMed as the first one and as the second.
fn answers(engine: SearchEngine, body: Vec<u8>) -> Vec<Vec<Answer>> {
    let form = "application/json";
    let answer = Answer::new(200, form, body);
    let ids = Answer::new(200, form, r#"{"esearchresult":{"idlist":["1"]}}"#);
    match engine {
        SearchEngine::Pubmed => vec![vec![answer.clone()], vec![ids, answer]],
        _ => vec![vec![answer]],
    }
}

fn every_engine<S: Strategy>(
    strategy: impl Fn(SearchEngine) -> S,
    body: impl Fn(S::Value) -> Vec<u8>,
) {
    let bench = Bench::new();
    for engine in SearchEngine::ALL {
        let mut runner = TestRunner::new(Config {
            failure_persistence: None,
            ..Config::with_cases(CASES)
        });
        let met = runner.run(&strategy(engine), |value| {
            for answers in answers(engine, body(value)) {
                bench.meet(engine, answers);
            }
            Ok(())
        });
        met.unwrap_or_else(|fault| panic!("{engine}: {fault}"));
    }
}

#[test]
fn any_bytes_end_in_hits_or_a_failure() {
    every_engine(
        |_| prop::collection::vec(any::<u8>(), 0..300),
        |bytes| bytes,
    );
}

#[test]
fn any_json_ends_in_hits_or_a_failure() {
    every_engine(|_| json(), |value| value.to_string().into_bytes());
}

#[test]
fn a_good_answer_that_was_harmed_ends_in_hits_or_a_failure() {
    every_engine(harmed, |bytes| bytes);
}

#[test]
fn any_question_can_be_asked() {
    let bench = Bench::new();
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(CASES)
    });
    let texts = prop_oneof!["\\PC{1,40}", "\\PC{1900,2000}", "[()\"!:?&#%+ -]{1,20}"];
    let met = runner.run(&texts, |text| {
        for engine in SearchEngine::ALL {
            let Ok(asked) = SearchQuery::parse(engine.kind(), &text, TODAY) else {
                continue;
            };
            bench.ask(engine, &asked, vec![Answer::new(200, "text/plain", "{}")]);
        }
        Ok(())
    });
    met.unwrap();
}

#[test]
fn deep_and_long_answers_do_no_harm() {
    let bench = Bench::new();
    let deep_json = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let deep_xml = format!("{}{}", "<feed>".repeat(20_000), "</feed>".repeat(20_000));
    let hit = r#"{"title":"a","link":"https://example.org/","url":"https://example.org/","html_url":"https://example.org/","path":"a","paperId":"1","DOI":"10.5555/a","display_name":"a","doi":"10.5555/a"}"#;
    let hits = format!("[{}{hit}]", format!("{hit},").repeat(500));
    let long_json = format!(
        r#"{{"status":"ok","query":{{"search":{hits}}},"organic":{hits},"results":{hits},"data":{hits},"items":{hits},"articles":{hits},"message":{{"items":{hits}}}}}"#
    );
    let long_xml = format!(
        "<feed>{}</feed>",
        "<entry><id>http://arxiv.org/abs/2101.00001</id><title>a</title></entry>".repeat(5_000)
    );
    let laughs = r#"<!DOCTYPE feed [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]><feed><entry><title>&e;</title></entry></feed>"#;
    for body in [deep_json, deep_xml, long_json, long_xml, laughs.to_owned()] {
        for engine in SearchEngine::ALL {
            for answers in answers(engine, body.clone().into_bytes()) {
                bench.meet(engine, answers);
            }
        }
    }
}
