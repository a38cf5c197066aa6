//! What the service tells about itself: its description, its page, its figures, and searches.

use reqwest::StatusCode;
use serde_json::json;

use super::served::{LIBRARY, QUESTION, Served, expect};

#[tokio::test]
async fn the_description_of_the_service_is_the_one_that_was_looked_at() {
    let served = Served::open();
    let described = served.json("/openapi.json").await;
    assert_eq!(described["openapi"], "3.1.0");
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&described).unwrap());
}

#[tokio::test]
async fn a_page_describes_every_route() {
    let served = Served::open();
    let described = served.json("/openapi.json").await;
    let page = served.get("/docs").await;
    assert_eq!(
        page.headers()["content-security-policy"],
        "default-src 'none'; style-src 'unsafe-inline'"
    );
    let page = page.text().await.unwrap();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let route = format!("<code>{} {path}</code>", method.to_uppercase());
            assert!(page.contains(&route), "{route}");
        }
    }
}

#[tokio::test]
async fn a_browser_that_opens_the_service_sees_what_it_offers() {
    let served = Served::open();
    let page = async |path| served.get(path).await.text().await.unwrap();
    assert_eq!(page("/").await, page("/docs").await);
}

#[tokio::test]
async fn figures_count_runs_rounds_and_failed_searches() {
    let served = Served::open();
    let body = json!({ "task": QUESTION, "library": [LIBRARY] });
    expect(served.post("/run", &body).await, StatusCode::OK).await;
    // The run is counted once the background work has left it, which may be just behind the answer.
    let figures = loop {
        let figures = served.get("/metrics").await.text().await.unwrap();
        if figures.contains("iterations_per_request_count") {
            break figures;
        }
        tokio::task::yield_now().await;
    };
    for line in [
        "research_loop_duration_seconds_count{workflow=\"answer\"} 1",
        "iterations_per_request_count{workflow=\"answer\"} 1",
        "search_failures_total 0",
        "runs_total{workflow=\"answer\",status=\"completed\"} 1",
        "http_requests_total{route=\"/run\",method=\"POST\",status=\"200\"} 1",
    ] {
        assert!(figures.contains(line), "{line} in {figures}");
    }
}

#[tokio::test]
async fn a_library_is_searched_once_by_get_and_by_post() {
    let served = Served::open();
    let found = served
        .json(&format!("/search?query=street+trees&library={LIBRARY}"))
        .await;
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{found}");
    assert_eq!(
        (&found["provider"], &results[0]["kind"]),
        (&json!("library"), &json!("local"))
    );
    let body = json!({ "query": "street trees", "library": [LIBRARY], "limit": 1 });
    let found = expect(served.post("/search", &body).await, StatusCode::OK).await;
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    for (body, field) in [
        (json!({ "query": "" }), "query"),
        (
            json!({ "query": "trees", "limit": 0, "library": [LIBRARY] }),
            "limit",
        ),
        (
            json!({ "query": "trees", "kind": "gossip", "library": [LIBRARY] }),
            "kind",
        ),
        (json!({ "query": "trees", "library": ["/etc"] }), "library"),
    ] {
        let told = expect(
            served.post("/search", &body).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
        assert_eq!(told["error"]["field"], field, "{told}");
    }
}
