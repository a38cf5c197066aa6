//! Recorded traffic of the real providers, read by the real client and parsers.
//!
//! Reads the folder `api_recorded` under `FATHOM_DATA`. Records of one work are wrapped into a list, since that is
//! what a search gives; what is no work at all is counted as not for search, and still must not do harm.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fathom_providers::search::{DroppedHits, RESULTS_MAX, SearchEngine, SearchQuery};
use fathom_providers::{FailureCause, HttpClient};
use jiff::civil::date;
use serde_json::{Value, json};

use crate::sane;
use crate::world::{Answer, SearchServer, alone, client, query, search};

/// A recorded answer, made fit for the provider's parser.
struct Recorded {
    answers: Vec<Answer>,
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq)]
enum Expected {
    /// Works or pages: so many.
    Items(usize),
    /// A refusal of this cause.
    Failure(FailureCause),
    /// Something that no search brings.
    NotForSearch,
}

#[derive(Default)]
struct Tally {
    files: usize,
    answers: usize,
    hits: usize,
    dated: usize,
    dropped: usize,
    surplus: usize,
    failures: usize,
    not_for_search: usize,
}

#[tokio::test]
async fn recorded_answers_are_read_and_refusals_are_classed() {
    let Some(data) = std::env::var_os("FATHOM_DATA") else {
        println!("recorded search traffic: not run, FATHOM_DATA is not set");
        return;
    };
    let root = Path::new(&data).join("api_recorded");
    let client = client();
    let server = SearchServer::start([]).await;
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for file in files(&root) {
        let folder = file.parent().and_then(Path::file_name).unwrap();
        let folder = folder.to_str().unwrap().to_owned();
        let tally = tallies.entry(folder.clone()).or_default();
        tally.files += 1;
        match engine(&folder) {
            None => tally.not_for_search += 1,
            Some(engine) => read(engine, &file, &server, &client, tally).await,
        }
    }
    for (folder, tally) in &tallies {
        println!(
            "recorded {folder}: {} files, {} answers with {} hits ({} dated), {} dropped, {} beyond the number asked for, {} refusals, {} not for search",
            tally.files,
            tally.answers,
            tally.hits,
            tally.dated,
            tally.dropped,
            tally.surplus,
            tally.failures,
            tally.not_for_search
        );
    }
    let hits: usize = tallies.values().map(|tally| tally.hits).sum();
    assert!(hits > 0, "{} holds no recorded answers", root.display());
}

async fn read(
    engine: SearchEngine,
    file: &Path,
    server: &SearchServer,
    client: &HttpClient,
    tally: &mut Tally,
) {
    let recorded = recorded(engine, &fs::read_to_string(file).unwrap());
    let asked = recorded_query(engine);
    server.say(recorded.answers);
    let (outcome, _) = search(&alone(engine, server.port, client), &asked).await;
    match (recorded.expected, outcome) {
        (Expected::Items(count), Ok(served)) => {
            let found = served.value;
            sane::check(&found, &asked);
            let lost = lost(found.dropped);
            assert_eq!(found.hits.len() + lost, count, "{}", file.display());
            tally.answers += 1;
            tally.hits += found.hits.len();
            tally.dated += found
                .hits
                .iter()
                .filter(|hit| hit.published.is_some())
                .count();
            tally.surplus += found.dropped.surplus as usize;
            tally.dropped += lost - found.dropped.surplus as usize;
        }
        (Expected::Failure(cause), Err(exhausted)) => {
            assert_eq!(exhausted.tried[0].cause, cause, "{}", file.display());
            tally.failures += 1;
        }
        (Expected::NotForSearch, _) => tally.not_for_search += 1,
        (_, outcome) => panic!("{}: {outcome:?}", file.display()),
    }
}

fn lost(dropped: DroppedHits) -> usize {
    let hits = [
        dropped.no_address,
        dropped.no_title,
        dropped.repeated,
        dropped.surplus,
        dropped.out_of_range,
    ];
    hits.into_iter().sum::<u32>() as usize
}

fn recorded_query(engine: SearchEngine) -> SearchQuery {
    let query = query(engine, "recorded").with_since(date(1900, 1, 1));
    query.with_max_results(RESULTS_MAX).unwrap()
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn engine(folder: &str) -> Option<SearchEngine> {
    match folder {
        "semanticscholar" => Some(SearchEngine::SemanticScholar),
        "pubmed_xml" => Some(SearchEngine::Pubmed),
        name => name.parse().ok(),
    }
}

fn recorded(engine: SearchEngine, text: &str) -> Recorded {
    if engine == SearchEngine::Pubmed {
        return of_pubmed(text);
    }
    let file: Value = serde_json::from_str(text).unwrap();
    let response = &file["response"];
    let status = response["status"].as_u64().unwrap_or(200);
    let status = u16::try_from(status).unwrap();
    let body = match &response["body"] {
        Value::String(body) => body.clone(),
        Value::Null => of_bare_file(&file).to_string(),
        body => body.to_string(),
    };
    let expected = match status {
        200..=299 => None,
        400..=499 => Some(Expected::Failure(FailureCause::RequestRefused)),
        _ => Some(Expected::Failure(FailureCause::Garbled)),
    };
    let (body, expected) = match expected {
        Some(failure) => (body, failure),
        None => of_success(engine, body),
    };
    Recorded {
        answers: vec![Answer::new(status, "application/json", body)],
        expected,
    }
}

/// Some files hold the body alone, or under another name.
fn of_bare_file(file: &Value) -> Value {
    if let Some(articles) = file.get("articles") {
        return json!({ "status": "ok", "articles": articles });
    }
    let places = [file.get("response"), file.get("response_json")];
    places.into_iter().flatten().next().unwrap_or(file).clone()
}

fn of_success(engine: SearchEngine, body: String) -> (String, Expected) {
    if engine == SearchEngine::Arxiv {
        let entries = body.matches("<entry>").count();
        return (body, Expected::Items(entries));
    }
    let Ok(json) = serde_json::from_str::<Value>(&body) else {
        return (body, Expected::NotForSearch);
    };
    let (path, list) = match engine {
        SearchEngine::Serper => ("/organic", json.clone()),
        SearchEngine::Tavily | SearchEngine::Searxng => ("/results", json.clone()),
        SearchEngine::Brave => ("/web/results", json.clone()),
        SearchEngine::Newsapi => ("/articles", json.clone()),
        SearchEngine::Wikipedia => ("/query/search", json.clone()),
        SearchEngine::Openalex => (
            "/results",
            as_list(&json, "doi", "results", json!({"meta": {}})),
        ),
        SearchEngine::SemanticScholar => (
            "/data",
            as_list(&json, "paperId", "data", json!({"total": 1})),
        ),
        SearchEngine::Crossref => ("/message/items", of_crossref(&json)),
        _ => panic!("{engine} has no recorded answers"),
    };
    let items = list.pointer(path).and_then(Value::as_array);
    let sign = match engine {
        SearchEngine::SemanticScholar => "/paperId",
        SearchEngine::Crossref => "/DOI",
        _ => "",
    };
    let works = items.filter(|items| items.iter().all(|item| item.pointer(sign).is_some()));
    match works {
        Some(works) => (list.to_string(), Expected::Items(works.len())),
        None => (list.to_string(), Expected::NotForSearch),
    }
}

/// One work as a list of one, a list of works as the list of an answer.
fn as_list(json: &Value, sign: &str, name: &str, around: Value) -> Value {
    let works = match json {
        Value::Array(works) => json!(works),
        work if work.get(sign).is_some() => json!([work]),
        answer => return answer.clone(),
    };
    let mut answer = around;
    answer[name] = works;
    answer
}

fn of_crossref(json: &Value) -> Value {
    match json["message"].get("DOI") {
        Some(_) => json!({ "status": "ok", "message": { "items": [json["message"]] } }),
        None => json.clone(),
    }
}

/// Records come with the numbers that the first answer would have given.
fn of_pubmed(text: &str) -> Recorded {
    let is_set = text.contains("<PubmedArticleSet");
    let count =
        text.matches("<PubmedArticle>").count() + text.matches("<PubmedBookArticle>").count();
    let ids = json!({ "esearchresult": { "idlist": ["1"] } });
    let expected = match (is_set, text.contains("<ERROR>")) {
        (true, _) => Expected::Items(count),
        (false, true) => Expected::Failure(FailureCause::Garbled),
        (false, false) => Expected::NotForSearch,
    };
    Recorded {
        answers: vec![
            Answer::new(200, "application/json", ids.to_string()),
            Answer::new(200, "text/xml", text),
        ],
        expected,
    }
}
