//! Crossref: the register of DOIs. Works without a key.
//!
//! Whole records are asked for, since only they say whether a work was retracted.

use std::borrow::Cow;

use serde_json::Value;

use super::SearchAnswer;
use super::answer::{body, items};
use super::endpoint::{EngineCall, comma_list};
use super::gather::HitDraft;
use crate::call::AttemptError;
use crate::lenient::{count, date_parts, first_text, list, text};
use crate::{Doi, works};

/// Dates of a record, the most telling first.
const DATES: [&str; 4] = ["issued", "published", "published-online", "published-print"];

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let (from, to) = call.query.years();
    let filter = [
        from.map(|year| format!("from-pub-date:{year}")),
        to.map(|year| format!("until-pub-date:{year}")),
    ];
    let request = call
        .get(["works"])
        .query("query.bibliographic", call.query.text())
        .query("rows", call.query.max_results())
        .query_if_set("filter", comma_list(filter))
        .query_if_set("mailto", call.contact());
    let reply = call.send(request).await?;
    let body = body(&reply)?;
    if body.json["status"] != "ok" {
        return Err(reply.refused());
    }
    let items = items(&reply, &body.json, &["message", "items"], "")?;
    Ok(call.collect(&body, items.iter().map(hit)))
}

fn hit(item: &Value) -> HitDraft<'_> {
    let title = first_text(&item["title"]);
    let doi = text(&item["DOI"]).and_then(|doi| Doi::told(&doi));
    let url = doi.as_ref().map(|doi| doi.url().into());
    HitDraft {
        url: url.or_else(|| text(&item["URL"])),
        authors: list(&item["author"]).iter().filter_map(author).collect(),
        published: DATES.iter().find_map(|name| date_parts(&item[*name])),
        venue: first_text(&item["container-title"]),
        citations: count(&item["is-referenced-by-count"]),
        doi,
        abstract_text: text(&item["abstract"]),
        score: Some(&item["score"]),
        language: text(&item["language"]),
        retracted: works::is_retracted(item, title.as_deref()),
        title,
        ..HitDraft::default()
    }
}

/// A person, or a body with one name.
fn author(author: &Value) -> Option<Cow<'_, str>> {
    let names = [text(&author["given"]), text(&author["family"])];
    let whole: Vec<Cow<'_, str>> = names.into_iter().flatten().collect();
    if whole.is_empty() {
        text(&author["name"])
    } else {
        Some(whole.join(" ").into())
    }
}
