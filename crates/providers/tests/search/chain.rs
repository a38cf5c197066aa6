//! Chains: who is asked, in which order, who is left out, and what becomes of failures.

use fathom_providers::FailureCause;
use fathom_providers::search::{
    SearchEngine, SearchKind, SearchQuery, SearchSettings, SearchSettingsError,
};

use crate::world::{Answer, SearchServer, TODAY, chains, client, query, search, settings};

const JSON: &str = "application/json";

fn web(chain: &[SearchEngine], port: u16) -> SearchSettings {
    SearchSettings {
        chains: [(SearchKind::Web, chain.to_vec())].into(),
        ..settings(port)
    }
}

fn tavily(title: &str) -> Answer {
    let result = format!(
        r#"{{"query":"x","results":[{{"title":"{title}","url":"https://example.org/a"}}]}}"#
    );
    Answer::new(200, JSON, result)
}

#[tokio::test]
async fn a_wrong_key_is_tried_once_and_the_next_provider_answers() {
    let refused = Answer::new(403, JSON, r#"{"message":"Unauthorized."}"#);
    let server = SearchServer::start([refused, tavily("found")]).await;
    let chains = chains(
        &web(&[SearchEngine::Serper, SearchEngine::Tavily], server.port),
        &client(),
    );
    let asked = query(SearchEngine::Serper, "x");
    let (outcome, events) = search(&chains, &asked).await;
    let served = outcome.unwrap();
    assert_eq!(served.by.as_str(), "tavily");
    assert_eq!(served.value.hits[0].title, "found");
    assert_eq!(served.tried[0].cause, FailureCause::KeyRefused);
    assert_eq!((served.tried[0].attempts, events.len()), (1, 2));

    // Until the settings change it is not asked again.
    let (outcome, events) = search(&chains, &asked).await;
    let served = outcome.unwrap();
    assert_eq!((served.by.as_str(), events.len()), ("tavily", 1));
    assert_eq!(served.tried[0].cause, FailureCause::KeyRefused);
    assert_eq!(served.tried[0].attempts, 0);
}

#[tokio::test]
async fn a_used_up_quota_is_not_tried_again() {
    let used_up = Answer::new(432, JSON, r#"{"detail":{"error":"limit"}}"#);
    let server = SearchServer::start([used_up]).await;
    let chains = chains(&web(&[SearchEngine::Tavily], server.port), &client());
    let (outcome, _) = search(&chains, &query(SearchEngine::Tavily, "x")).await;
    assert_eq!(
        outcome.unwrap_err().tried[0].cause,
        FailureCause::QuotaUsedUp
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn an_answer_without_hits_is_an_answer() {
    let server =
        SearchServer::start([Answer::new(200, JSON, r#"{"query":"x","results":[]}"#)]).await;
    let chains = chains(
        &web(&[SearchEngine::Tavily, SearchEngine::Brave], server.port),
        &client(),
    );
    let (outcome, _) = search(&chains, &query(SearchEngine::Tavily, "x")).await;
    let served = outcome.unwrap();
    assert_eq!((served.by.as_str(), served.value.hits.len()), ("tavily", 0));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn when_nobody_answers_each_says_why() {
    let server = SearchServer::start([Answer::new(200, "text/html", "<html>")]).await;
    let chains = chains(
        &web(&[SearchEngine::Serper, SearchEngine::Brave], server.port),
        &client(),
    );
    let (outcome, _) = search(&chains, &query(SearchEngine::Serper, "x")).await;
    let told = outcome.unwrap_err().to_string();
    assert!(
        told.contains("serper answered in a form that cannot be read"),
        "{told}"
    );
    assert!(
        told.contains("brave answered in a form that cannot be read"),
        "{told}"
    );
}

#[test]
fn without_settings_the_keyless_are_ready_and_the_others_say_what_to_set() {
    let settings = SearchSettings::from_lookup(|_| None).unwrap();
    let chains = chains(&settings, &client());
    let left_out: Vec<String> = chains.left_out().iter().map(ToString::to_string).collect();
    assert_eq!(
        left_out,
        [
            "serper is left out: set SERPER_API_KEY",
            "tavily is left out: set TAVILY_API_KEY",
            "brave is left out: set BRAVE_API_KEY",
            "searxng is left out: set FATHOM_SEARXNG_URL",
            "newsapi is left out: set NEWS_API_KEY",
            "github is left out: set GITHUB_TOKEN",
        ]
    );
    let ready = |kind| {
        chains
            .ready(kind)
            .map(SearchEngine::as_str)
            .collect::<Vec<_>>()
    };
    assert_eq!(ready(SearchKind::Web), ["wikipedia"]);
    assert_eq!(ready(SearchKind::News), ["gdelt"]);
    assert_eq!(ready(SearchKind::Encyclopaedia), ["wikipedia"]);
    assert!(ready(SearchKind::Code).is_empty());
    assert_eq!(
        ready(SearchKind::Academic),
        [
            "semantic_scholar",
            "openalex",
            "crossref",
            "pubmed",
            "arxiv"
        ]
    );
}

#[tokio::test]
async fn a_kind_without_a_provider_says_so() {
    let settings = SearchSettings::from_lookup(|_| None).unwrap();
    let chains = chains(&settings, &client());
    let (outcome, _) = search(&chains, &query(SearchEngine::Github, "x")).await;
    assert_eq!(
        outcome.unwrap_err().to_string(),
        "no provider is configured for this; set a key or an address for one"
    );
}

#[test]
fn the_settings_give_addresses_keys_and_order() {
    let settings = SearchSettings::from_lookup(|name| {
        let value = match name {
            "FATHOM_SEARXNG_URL" => "http://127.0.0.1:8888/searx/",
            "BRAVE_API_KEY" => " canary ",
            "SERPER_API_KEY" => "  ",
            "FATHOM_SEARCH_WEB" => "searxng, Brave,searxng",
            "FATHOM_CONTACT" => "me@example.org",
            _ => return None,
        };
        Some(value.to_owned())
    })
    .unwrap();
    let chains = chains(&settings, &client());
    let web: Vec<&str> = chains
        .ready(SearchKind::Web)
        .map(SearchEngine::as_str)
        .collect();
    assert_eq!(web, ["searxng", "brave"]);
    let searxng = settings.for_engine(SearchEngine::Searxng).address.unwrap();
    assert_eq!(searxng.to_string(), "http://127.0.0.1:8888/searx/");
    let left_out = chains.left_out().iter().map(|lacking| lacking.engine);
    assert!(
        !left_out
            .into_iter()
            .any(|engine| engine == SearchEngine::Serper)
    );
}

#[test]
fn a_setting_that_cannot_be_used_is_named_without_its_value() {
    for (name, value, told) in [
        (
            "FATHOM_BRAVE_URL",
            "canary",
            "FATHOM_BRAVE_URL cannot be used as an address: it is no address of the form https://host/path",
        ),
        (
            "FATHOM_BRAVE_URL",
            "https://u:canary@h",
            "FATHOM_BRAVE_URL cannot be used as an address: it holds a user name or password; set the provider's key instead",
        ),
        (
            "BRAVE_API_KEY",
            "canary\nx",
            "BRAVE_API_KEY holds characters that no key has; copy the key anew",
        ),
        (
            "BRAVE_API_KEY",
            "canärý",
            "BRAVE_API_KEY holds characters that no key has; copy the key anew",
        ),
        (
            "FATHOM_CONTACT",
            "canary",
            "FATHOM_CONTACT is no mail address; give one such as name@example.org, or none",
        ),
    ] {
        let fault = SearchSettings::from_lookup(|asked| (asked == name).then(|| value.to_owned()));
        assert_eq!(fault.unwrap_err().to_string(), told);
    }
    let fault = SearchSettings::from_lookup(|name| {
        (name == "FATHOM_SEARCH_NEWS").then(|| "gdelt,x".into())
    });
    let SearchSettingsError::Engine { setting, name } = fault.unwrap_err() else {
        panic!("another fault was expected");
    };
    assert_eq!(
        (setting.as_str(), name.as_str()),
        ("FATHOM_SEARCH_NEWS", "x")
    );
}

#[test]
fn a_query_that_cannot_be_asked_says_why() {
    let parse = |text: &str| SearchQuery::parse(SearchKind::Web, text, TODAY);
    let told = |fault: Result<SearchQuery, fathom_providers::search::QueryError>| {
        fault.unwrap_err().to_string()
    };
    assert_eq!(
        told(parse(" \n")),
        "the search query is empty; say what to look for"
    );
    assert_eq!(
        told(parse(&"x".repeat(2_001))),
        "the search query has 2001 characters; the most is 2000"
    );
    let good = || parse("  a\tquestion ").unwrap();
    assert_eq!(good().text(), "a question");
    assert_eq!(
        told(good().with_max_results(0)),
        "0 results cannot be asked for; set 1 to 50"
    );
    assert_eq!(
        told(good().with_max_results(51)),
        "51 results cannot be asked for; set 1 to 50"
    );
    assert!(told(good().with_years(Some(2024), Some(2020))).contains("set the earlier one first"));
    assert!(told(good().with_language("english")).contains("is no language"));
    assert_eq!(good().since(), None);
    let news = SearchQuery::parse(SearchKind::News, "x", TODAY).unwrap();
    assert_eq!(news.since().unwrap().to_string(), "2024-02-07");
}
