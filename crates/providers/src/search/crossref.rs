//! Crossref: the register of DOIs. Works without a key.
//!
//! Whole records are asked for, since only they say whether a work was retracted.

use std::borrow::Cow;

use async_trait::async_trait;

use serde_json::Value;

use super::answer::{body, items};
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::Doi;
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{count, date_parts, first_text, list, text};
use crate::works;

/// Dates of a record, the most telling first.
const DATES: [&str; 4] = ["issued", "published", "published-online", "published-print"];

pub(super) struct Crossref(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Crossref {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
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

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    if body.json["status"] != "ok" {
        return Err(reply.refused());
    }
    let mut gather = HitCollector::new(query, SearchEngine::Crossref).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["message", "items"], "")? {
        let score = gather.score(&item["score"]);
        let title = first_text(&item["title"]);
        let doi = text(&item["DOI"]).and_then(|doi| Doi::told(&doi));
        gather.add(HitDraft {
            url: doi
                .as_ref()
                .map(|doi| doi.url().into())
                .or_else(|| text(&item["URL"])),
            authors: list(&item["author"]).iter().filter_map(author).collect(),
            published: DATES.iter().find_map(|name| date_parts(&item[*name])),
            venue: first_text(&item["container-title"]),
            citations: count(&item["is-referenced-by-count"]),
            doi,
            abstract_text: text(&item["abstract"]),
            score,
            language: text(&item["language"]),
            retracted: works::is_retracted(item, title.as_deref()),
            title,
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}

/// A person, or a body with one name.
fn author<'a>(author: &'a Value) -> Option<Cow<'a, str>> {
    let names = [text(&author["given"]), text(&author["family"])];
    let whole: Vec<Cow<'_, str>> = names.into_iter().flatten().collect();
    if whole.is_empty() {
        text(&author["name"])
    } else {
        Some(whole.join(" ").into())
    }
}
