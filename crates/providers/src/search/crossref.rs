//! Crossref: the register of DOIs. Works without a key.
//!
//! Whole records are asked for, since only they say whether a work was retracted.

use async_trait::async_trait;
use serde_json::Value;

use super::endpoint::Endpoint;
use super::gather::{Draft, Gather};
use super::lenient::{body, count, first_text, items, list, text};
use super::{Engine, Found, Kind, Published, Query, Search};
use crate::call::{Attempt, Fault};
use crate::client::Reply;
use crate::source::Doi;

/// Dates of a record, the most telling first.
const DATES: [&str; 4] = ["issued", "published", "published-online", "published-print"];

/// Updates after which a work no longer stands.
const RETRACTIONS: [&str; 3] = ["retraction", "removal", "withdrawal"];

/// Publishers put these before the title of a work that they took back.
const TITLE_MARKS: [&str; 2] = ["RETRACTED", "WITHDRAWN"];

pub(super) struct Crossref(pub(super) Endpoint);

#[async_trait]
impl Search for Crossref {
    fn name(&self) -> &'static str {
        Engine::Crossref.as_str()
    }

    fn kind(&self) -> Kind {
        Engine::Crossref.kind()
    }

    async fn search(&self, query: &Query, attempt: &Attempt) -> Result<Found, Fault> {
        let mut request = self
            .0
            .get(["works"])
            .query("query.bibliographic", query.text())
            .query("rows", &query.max_results().to_string());
        let (from, to) = query.years();
        let filter = [
            from.map(|year| format!("from-pub-date:{year}")),
            to.map(|year| format!("until-pub-date:{year}")),
        ];
        let filter: Vec<String> = filter.into_iter().flatten().collect();
        if !filter.is_empty() {
            request = request.query("filter", &filter.join(","));
        }
        let request = self.0.with_contact(request, "mailto");
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

fn read(reply: &Reply, query: &Query) -> Result<Found, Fault> {
    let body = body(reply)?;
    if body.json["status"] != "ok" {
        return Err(reply.refused());
    }
    let mut gather = Gather::new(query, Engine::Crossref).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, "/message/items", "")? {
        let score = gather.score(&item["score"]);
        let title = first_text(&item["title"]);
        let doi = text(&item["DOI"]).and_then(|doi| Doi::parse(&doi));
        gather.add(Draft {
            url: doi.as_ref().map(Doi::url).or_else(|| text(&item["URL"])),
            authors: list(&item["author"]).iter().filter_map(author).collect(),
            published: DATES.iter().find_map(|name| date(&item[*name])),
            venue: first_text(&item["container-title"]),
            citations: count(&item["is-referenced-by-count"]),
            doi,
            abstract_text: text(&item["abstract"]).map(without_heading),
            score,
            language: text(&item["language"]),
            retracted: is_retracted(item, title.as_deref()),
            title,
            ..Draft::default()
        });
    }
    Ok(gather.finish())
}

/// A person, or a body with one name.
fn author(author: &Value) -> Option<String> {
    let names = [text(&author["given"]), text(&author["family"])];
    let whole: Vec<String> = names.into_iter().flatten().collect();
    if whole.is_empty() {
        text(&author["name"])
    } else {
        Some(whole.join(" "))
    }
}

/// `[[2024, 3, 5]]`, of which the end or all may be missing.
fn date(date: &Value) -> Option<Published> {
    let parts = list(list(&date["date-parts"]).first()?);
    let part = |at: usize| parts.get(at).and_then(count);
    let small = |at: usize| part(at).and_then(|part| i8::try_from(part).ok());
    Published::new(i16::try_from(part(0)?).ok()?, small(1), small(2))
}

/// Many abstracts begin with a heading that says what they are.
fn without_heading(text: String) -> String {
    let heading = "<jats:title>Abstract</jats:title>";
    text.strip_prefix(heading)
        .map(str::to_owned)
        .unwrap_or(text)
}

/// A notice of retraction has `update-to` and stands; the work that it is about has `updated-by`.
fn is_retracted(item: &Value, title: Option<&str>) -> bool {
    let updates = list(&item["updated-by"]).iter();
    let taken_back = |update: &Value| RETRACTIONS.iter().any(|kind| update["type"] == *kind);
    let marked = title.is_some_and(|title| TITLE_MARKS.iter().any(|mark| title.starts_with(mark)));
    marked || updates.into_iter().any(taken_back)
}
