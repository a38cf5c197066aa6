//! A fixture file: what is asked for, and the exchanges with the provider that follow from it.
//!
//! ```text
//! # What this shows.
//! query: statins mortality; results 3; years 2020-2024; since 2024-03-01; language en
//! > GET /serper/search?q=x
//! > accept: application/json
//! < 200 application/json
//! < retry-after: 5
//! {"body": "up to the next line that begins with >"}
//! ```

use fathom_providers::search::{SearchEngine, SearchQuery};

use crate::world::{Answer, query};

pub(crate) struct Fixture {
    pub(crate) query: SearchQuery,
    pub(crate) requests: Vec<String>,
    pub(crate) answers: Vec<Answer>,
}

pub(crate) fn read(engine: SearchEngine, text: &str) -> Fixture {
    let mut fixture = Fixture {
        query: query(engine, "x"),
        requests: Vec::new(),
        answers: Vec::new(),
    };
    let mut request: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        if let Some(asked) = line.strip_prefix("query: ") {
            fixture.query = parse_query(engine, asked);
        } else if let Some(line) = line.strip_prefix("> ") {
            request.push(line);
        } else if let Some(line) = line.strip_prefix("< ") {
            if request.is_empty() {
                let (name, value) = line.split_once(": ").unwrap();
                let headers = &mut fixture.answers.last_mut().unwrap().headers;
                headers.push((name.to_owned(), value.to_owned()));
                continue;
            }
            fixture.requests.push(request.join("\n"));
            request.clear();
            let (status, form) = line.split_once(' ').unwrap();
            let answer = Answer::new(status.parse().unwrap(), form, Vec::new());
            fixture.answers.push(answer);
        } else if let Some(answer) = fixture.answers.last_mut() {
            answer.body.extend_from_slice(line.as_bytes());
            answer.body.push(b'\n');
        }
    }
    fixture
}

fn parse_query(engine: SearchEngine, asked: &str) -> SearchQuery {
    let mut parts = asked.split("; ");
    let mut query = query(engine, parts.next().unwrap());
    for part in parts {
        let (name, value) = part.split_once(' ').unwrap();
        query = match name {
            "results" => query.with_max_results(value.parse().unwrap()).unwrap(),
            "years" => {
                let (from, to) = value.split_once('-').unwrap();
                query
                    .with_years(from.parse().ok(), to.parse().ok())
                    .unwrap()
            }
            "since" => query.with_since(value.parse().unwrap()),
            "language" => query.with_language(value).unwrap(),
            _ => panic!("{name} is nothing that can be asked for"),
        };
    }
    query
}
