//! A small web: a search engine in the form of SearXNG, and its pages.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value, json};

use crate::World;

pub(crate) async fn search(
    State(world): State<Arc<World>>,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    let query = asked.get("q").cloned().unwrap_or_default();
    let (place, _) = world.ledger.note("search", query.clone());
    let searches = world.ledger.count("search", "");
    if searches > world.script.search_hangs_from {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(world.script.delay).await;
    let response = if world.script.search_fails {
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    } else {
        Json(json!({ "query": query, "results": results(&world, &query) })).into_response()
    };
    world.ledger.answered(place);
    response
}

/// The pages that share a word with the query, those that share most first.
fn results(world: &World, query: &str) -> Vec<Value> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (number, page) in world.script.pages.iter().enumerate() {
        let text = format!("{} {}", page.title, page.text).to_lowercase();
        let shared = words
            .iter()
            .filter(|word| text.contains(word.as_str()))
            .count();
        if shared > 0 {
            found.push((shared, number));
        }
    }
    found.sort_by_key(|(shared, number)| (std::cmp::Reverse(*shared), *number));
    let result = |(_, number): &(usize, usize)| {
        let page = &world.script.pages[*number];
        let snippet: String = page.text.chars().take(160).collect();
        json!({
            "url": format!("http://{}/pages/{number}", world.hosts[number % world.hosts.len()]),
            "title": page.title, "content": snippet, "engine": "stage", "score": 1.0,
        })
    };
    found.iter().take(10).map(result).collect()
}

/// The same search in the form of OpenAlex: the page of a work, and where a copy of it can be read freely.
pub(crate) async fn works(
    State(world): State<Arc<World>>,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    let query = asked.get("search").cloned().unwrap_or_default();
    let (place, _) = world.ledger.note("search", query.clone());
    let host = world.hosts[0];
    let work = |result: Value| {
        let number = result["url"]
            .as_str()
            .and_then(|url| url.rsplit('/').next());
        let number = number.and_then(|number| number.parse::<usize>().ok());
        let copies = world.script.copies.iter();
        let copy = copies
            .filter(|(page, _)| Some(*page) == number)
            .map(|(_, copy)| copy)
            .next();
        let copy = copy.map(|copy| format!("http://{host}/pages/{copy}"));
        json!({
            "display_name": result["title"],
            "primary_location": { "landing_page_url": result["url"] },
            "best_oa_location": { "pdf_url": copy },
        })
    };
    let found: Vec<Value> = results(&world, &query).into_iter().map(work).collect();
    world.ledger.answered(place);
    Json(json!({ "meta": { "count": found.len() }, "results": found })).into_response()
}

pub(crate) async fn page(State(world): State<Arc<World>>, Path(number): Path<usize>) -> Response {
    let (place, _) = world.ledger.note("page", number.to_string());
    tokio::time::sleep(world.script.delay).await;
    let readable = number < world.script.readable;
    let response = match world.script.pages.get(number).filter(|_| readable) {
        Some(page) => {
            let paragraphs: String = page
                .text
                .split("\n\n")
                .map(|text| format!("<p>{text}</p>"))
                .collect();
            let title = &page.title;
            let work = world.script.works.iter().find(|work| work.page == number);
            let doi = work.map_or_else(String::new, |work| {
                format!("<meta name=\"citation_doi\" content=\"{}\">", work.doi)
            });
            Html(format!(
                "<!doctype html><html lang=\"en\"><head><title>{title}</title>{doi}</head>\
                 <body><article><h1>{title}</h1>{paragraphs}</article></body></html>"
            ))
            .into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    };
    world.ledger.answered(place);
    response
}

/// A register of works in the form of Crossref.
pub(crate) async fn work(State(world): State<Arc<World>>, Path(doi): Path<String>) -> Response {
    let (place, _) = world.ledger.note("work", doi.clone());
    tokio::time::sleep(world.script.delay).await;
    let known = world.script.works.iter().find(|work| work.doi == doi);
    let response = match known.map(|work| &work.record) {
        Some(Some(record)) => Json(json!({ "status": "ok", "message": record })).into_response(),
        Some(None) => StatusCode::FORBIDDEN.into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    };
    world.ledger.answered(place);
    response
}

/// Whatever else is asked for: nothing here leads there.
pub(crate) async fn stray(State(world): State<Arc<World>>, asked: Uri) -> StatusCode {
    // Whether a site has rules for robots is asked of every host, and the second register of works has none.
    let is_expected = asked.path() == "/robots.txt" || asked.path().starts_with("/datacite/");
    if !is_expected {
        let (place, _) = world.ledger.note("stray", asked.to_string());
        world.ledger.answered(place);
    }
    StatusCode::NOT_FOUND
}
