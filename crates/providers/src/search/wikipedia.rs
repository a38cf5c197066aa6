//! Wikipedia, or any other wiki of its kind. Works without a key.
//!
//! One request gives the ranked titles with the words that matched, and the openings of the first pages.

use std::borrow::Cow;
use std::collections::HashMap;

use reqwest::header::{HeaderValue, USER_AGENT};
use serde_json::{Map, Value};

use super::SearchAnswer;
use super::answer::body;
use super::endpoint::EngineCall;
use super::gather::HitDraft;
use crate::BaseUrl;
use crate::call::AttemptError;
use crate::client::{AGENT, HttpRequest};
use crate::lenient::{list, text};

/// Longer queries are refused.
const TEXT_CHARS: usize = 300;

/// It gives out so many openings at once.
const OPENINGS: usize = 20;

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let words = call.query.text_within(TEXT_CHARS);
    let results = call.query.max_results();
    let request = call
        .get(["w", "api.php"])
        .query("action", "query")
        .query("format", "json")
        .query("formatversion", "2")
        .query("list", "search")
        .query("srsearch", words)
        .query("srlimit", results)
        .query("srprop", "snippet|timestamp")
        .query("generator", "search")
        .query("gsrsearch", words)
        .query("gsrlimit", results.min(OPENINGS))
        .query("prop", "extracts|info")
        .query("inprop", "url")
        .query("exintro", "1")
        .query("explaintext", "1")
        .query("exlimit", results.min(OPENINGS));
    let reply = call.send(named(request, call.contact())).await?;
    let body = body(&reply)?;
    let (answer, error) = (&body.json["query"], &body.json["error"]);
    let is_answer = !answer.is_null() || body.json.get("batchcomplete").is_some();
    if !error.is_null() || !is_answer {
        return Err(reply.refused());
    }
    let pages = pages(&answer["pages"]);
    let hits = list(&answer["search"]).iter();
    let address = &call.endpoint.address;
    Ok(call.collect(&body, hits.map(|item| hit(item, &pages, address))))
}

/// With whom to write to in the agent's name, as https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy asks.
fn named(request: HttpRequest, contact: Option<&str>) -> HttpRequest {
    let agent = contact.map(|contact| format!("{AGENT} mailto:{contact}"));
    match agent.and_then(|agent| HeaderValue::from_str(&agent).ok()) {
        Some(agent) => request.header(USER_AGENT, agent),
        None => request,
    }
}

fn hit<'a>(
    item: &'a Value,
    pages: &HashMap<Cow<'a, str>, &'a Value>,
    address: &BaseUrl,
) -> HitDraft<'a> {
    let title = text(&item["title"]);
    let page = title.as_ref().and_then(|title| pages.get(title)).copied();
    let page = page.unwrap_or(&Value::Null);
    let own_url = |title: &str| address.join(["wiki", &title.replace(' ', "_")]).to_string();
    HitDraft {
        url: text(&page["fullurl"]).or_else(|| Some(own_url(title.as_deref()?).into())),
        title,
        snippet: text(&item["snippet"]),
        date: text(&item["timestamp"]),
        venue: Some(address.authority().into()),
        abstract_text: text(&page["extract"]),
        language: text(&page["pagelanguage"]),
        ..HitDraft::default()
    }
}

/// The pages by title. Newer wikis send a list, older ones a map.
fn pages(pages: &Value) -> HashMap<Cow<'_, str>, &Value> {
    let listed = list(pages).iter();
    let mapped = pages.as_object().into_iter().flat_map(Map::values);
    listed
        .chain(mapped)
        .filter_map(|page| Some((text(&page["title"])?, page)))
        .collect()
}
