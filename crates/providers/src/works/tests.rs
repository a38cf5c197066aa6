//! The parsers on recorded answers of the real registers, where the public sets are at hand.

use std::path::PathBuf;

use super::*;
use crate::lenient::{count, list};

/// The bodies of a folder's recorded answers that succeeded, with their files.
fn recorded(folder: &str) -> Option<Vec<(PathBuf, u16, String)>> {
    let data = std::env::var_os("FATHOM_DATA")?;
    let folder = PathBuf::from(data).join("api_recorded").join(folder);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let record: Value = serde_json::from_str(&text).unwrap();
        let response = &record["response"];
        let status = count(&response["status"]).unwrap() as u16;
        let body = response["body"].as_str().unwrap_or_default().to_owned();
        all.push((path, status, body));
    }
    all.sort();
    Some(all)
}

fn asked() -> Doi {
    Doi::parse("10.1000/asked").unwrap()
}

#[test]
fn recorded_answers_of_crossref_are_understood() {
    let Some(all) = recorded("crossref") else {
        println!("recorded answers of Crossref: not run, FATHOM_DATA is not set");
        return;
    };
    let (mut one, mut listed, mut csl, mut other, mut refused) = (0, 0, 0, 0, 0);
    let (mut titled, mut authored, mut dated, mut noticed) = (0, 0, 0, 0);
    for (path, status, body) in &all {
        let Ok(json) = serde_json::from_str::<Value>(body) else {
            other += usize::from(*status < 400);
            refused += usize::from(*status >= 400);
            continue;
        };
        let works: Vec<Option<Work>> = match json["message-type"].as_str() {
            Some("work") => {
                one += 1;
                vec![work_of(&json)]
            }
            Some("work-list") => {
                let items = list(&json["message"]["items"]);
                listed += items.len();
                items.iter().map(work_of).collect()
            }
            None if json.get("DOI").is_some() => {
                csl += 1;
                vec![work_of(&json)]
            }
            _ => {
                assert_eq!(
                    work_of(&json).map(|work| work.title),
                    agency(&json),
                    "{path:?}"
                );
                other += 1;
                continue;
            }
        };
        for work in works {
            let work = work.unwrap_or_else(|| panic!("{path:?} holds a work"));
            titled += usize::from(work.title.is_some());
            authored += usize::from(!work.authors.is_empty());
            dated += usize::from(work.published.is_some());
            noticed += usize::from(work.notice.is_some());
            let title = work.title.unwrap_or_default();
            assert!(!title.contains("</") && !title.contains("&amp;"), "{title}");
        }
    }
    println!(
        "recorded answers of Crossref: {} files; {one} works asked for, {listed} in lists, {csl} in CSL-JSON \
         ({titled} with a title, {authored} with authors, {dated} dated, {noticed} with a notice), \
         {other} of other kinds, {refused} refusals",
        all.len()
    );
    assert!(one > 0 && listed > 0 && csl > 0 && noticed > 0);
}

fn work_of(json: &Value) -> Option<Work> {
    crossref::work(json, &asked())
}

/// Who registered a DOI is told with it, and with nothing else of the work.
fn agency(json: &Value) -> Option<Option<String>> {
    (json["message-type"] == "work-agency").then_some(None)
}

#[test]
fn recorded_answers_of_the_resolver_are_redirects_and_refusals() {
    let Some(all) = recorded("doi_content_negotiation") else {
        println!("recorded answers of doi.org: not run, FATHOM_DATA is not set");
        return;
    };
    let redirects = all
        .iter()
        .filter(|(_, status, _)| (300..400).contains(status));
    let redirects = redirects.count();
    let parsed = all.iter().filter(|(.., body)| {
        let json = serde_json::from_str::<Value>(body).ok();
        json.is_some_and(|json| work_of(&json).is_some())
    });
    println!(
        "recorded answers of doi.org: {} files, {redirects} redirects, {} with metadata",
        all.len(),
        parsed.count()
    );
}
