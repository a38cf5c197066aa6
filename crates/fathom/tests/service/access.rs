//! Who may do what, on every route that the service describes.

use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::served::{Served, expect};

/// What a route must answer to.
#[derive(Debug)]
struct Route {
    method: Method,
    path: String,
}

/// Open to everybody: it says nothing about anybody.
const OPEN: &str = "/health";

/// Every route of the service, from its own description.
async fn routes(served: &Served) -> Vec<Route> {
    let described = served.json("/openapi.json").await;
    let paths = described["paths"].as_object().unwrap();
    let mut routes = Vec::new();
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            routes.push(Route {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
            });
        }
    }
    assert!(routes.len() >= 15, "{routes:?}");
    routes
}

impl Route {
    /// The path for a run.
    fn of(&self, run: &str) -> String {
        let path = self
            .path
            .replace("{id}", run)
            .replace("{name}", "notes")
            .replace("{document}", "a.md");
        assert!(
            !path.contains('{'),
            "a parameter that the test does not know: {path}"
        );
        path
    }

    fn names_a_run(&self) -> bool {
        self.path.contains("{id}")
    }
}

fn countdown() -> Value {
    json!({ "workflow": "countdown", "options": { "from": 1 } })
}

async fn send(served: &Served, route: &Route, run: &str, token: Option<&str>) -> StatusCode {
    let address = format!("{}{}", served.address, route.of(run));
    let mut request = served.client.request(route.method.clone(), address);
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    if route.method == Method::POST {
        request = request.json(&json!({ "at": 99, "verdict": "approve" }));
    }
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn every_route_opens_to_the_right_token_alone() {
    let mut served = Served::toy();
    let ada = served.log_in("ada");
    let run = served.begin(&countdown()).await;
    assert_eq!(served.ended(&run).await, "completed");
    let routes = routes(&served).await;
    let bob = served.log_in("bob");
    for route in &routes {
        for token in [None, Some("fathom_wrong"), Some("")] {
            let status = send(&served, route, &run, token).await;
            let right = if route.path == OPEN {
                StatusCode::OK
            } else {
                StatusCode::UNAUTHORIZED
            };
            assert_eq!(status, right, "{route:?} with {token:?}");
        }
        let other = send(&served, route, &run, Some(&bob)).await;
        if route.names_a_run() {
            assert_eq!(other, StatusCode::NOT_FOUND, "{route:?} as another owner");
        } else {
            assert_ne!(
                other,
                StatusCode::UNAUTHORIZED,
                "{route:?} as another owner"
            );
        }
        if route.method != Method::DELETE {
            let own = send(&served, route, &run, Some(&ada)).await;
            let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
            assert!(!refused.contains(&own), "{route:?} as the owner: {own}");
            if route.method == Method::GET {
                let right = if route.path == "/search" {
                    // Nothing is named that could be searched for.
                    StatusCode::UNPROCESSABLE_ENTITY
                } else {
                    StatusCode::OK
                };
                assert_eq!(own, right, "{route:?} as the owner");
            }
        }
    }
    assert!(
        served.json("/runs").await["runs"]
            .as_array()
            .unwrap()
            .is_empty(),
        "bob has none"
    );
    let all = served.command(&["token", "list"]).output().unwrap();
    let id = String::from_utf8(all.stdout).unwrap();
    let id = id.lines().find(|line| line.ends_with("bob")).unwrap();
    let revoked = served
        .command(&["token", "revoke", id.split(' ').next().unwrap()])
        .status();
    assert!(revoked.unwrap().success());
    expect(served.get("/runs").await, StatusCode::UNAUTHORIZED).await;
}

#[tokio::test]
async fn requests_that_a_foreign_page_could_cause_are_refused_on_every_route() {
    let served = Served::toy();
    let run = served.begin(&countdown()).await;
    assert_eq!(served.ended(&run).await, "completed");
    for route in routes(&served).await {
        let request = || {
            let path = route.of(&run);
            served.request(route.method.clone(), &path)
        };
        for host in [
            "evil.example",
            "evil.example:7575",
            "localhost.evil.example",
        ] {
            let status = request()
                .header("Host", host)
                .send()
                .await
                .unwrap()
                .status();
            assert_eq!(status, StatusCode::FORBIDDEN, "{route:?} for {host}");
        }
        if route.method.is_safe() {
            continue;
        }
        for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
            let status = request()
                .header("Origin", origin)
                .send()
                .await
                .unwrap()
                .status();
            assert_eq!(status, StatusCode::FORBIDDEN, "{route:?} from {origin}");
        }
        let posted = request().header("Content-Type", "text/plain").body("{}");
        let status = posted.send().await.unwrap().status();
        assert_eq!(
            status,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "{route:?} with text"
        );
    }
    // The service's own page may.
    let request = served.request(Method::POST, "/runs").json(&countdown());
    let own = request
        .header("Origin", &served.address)
        .send()
        .await
        .unwrap();
    assert_eq!(own.status(), StatusCode::ACCEPTED);
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let program = Path::new(env!("CARGO_BIN_EXE_fathom"));
    let served = Served::unstarted(program, &[]);
    let refused = served
        .command(&["serve", "--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        said.contains("a token is needed") && said.contains("fathom token add"),
        "{said}"
    );
}
