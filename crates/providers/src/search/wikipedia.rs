//! Wikipedia, or any other wiki of its kind. Works without a key.
//!
//! One request gives the ranked titles with the words that matched, and the openings of the first pages.

use std::borrow::Cow;
use std::collections::HashMap;

use async_trait::async_trait;

use serde_json::{Map, Value};

use super::answer::body;
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::BaseUrl;
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{list, text};

/// Longer queries are refused.
const TEXT_CHARS: usize = 300;

/// It gives out so many openings at once.
const OPENINGS: usize = 20;

pub(super) struct Wikipedia(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Wikipedia {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let words = query.text_within(TEXT_CHARS);
        let request = self
            .0
            .get(["w", "api.php"])
            .query("action", "query")
            .query("format", "json")
            .query("formatversion", "2")
            .query("list", "search")
            .query("srsearch", words)
            .query("srlimit", &query.max_results().to_string())
            .query("srprop", "snippet|timestamp")
            .query("generator", "search")
            .query("gsrsearch", words)
            .query("gsrlimit", &query.results_within(OPENINGS))
            .query("prop", "extracts|info")
            .query("inprop", "url")
            .query("exintro", "1")
            .query("explaintext", "1")
            .query("exlimit", &query.results_within(OPENINGS));
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query, &self.0.address)
    }
}

fn read(
    reply: &HttpReply,
    query: &SearchQuery,
    address: &BaseUrl,
) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let answer = &body.json["query"];
    if !body.json["error"].is_null()
        || (answer.is_null() && body.json.get("batchcomplete").is_none())
    {
        return Err(reply.refused());
    }
    let pages = pages(&answer["pages"]);
    let mut gather =
        HitCollector::new(query, SearchEngine::Wikipedia).bad_numbers(body.bad_numbers);
    for item in list(&answer["search"]) {
        let title = text(&item["title"]);
        let page = title.as_ref().and_then(|title| pages.get(title)).copied();
        let page = page.unwrap_or(&Value::Null);
        let published = gather.date(text(&item["timestamp"]).as_deref());
        gather.add(HitDraft {
            url: text(&page["fullurl"])
                .or_else(|| Some(page_url(address, title.as_deref()?).into())),
            title,
            snippet: text(&item["snippet"]),
            published,
            venue: Some(address.authority().into()),
            abstract_text: text(&page["extract"]),
            language: text(&page["pagelanguage"]),
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}

/// The pages by title. Newer wikis send a list, older ones a map.
fn pages<'a>(pages: &'a Value) -> HashMap<Cow<'a, str>, &'a Value> {
    let listed = list(pages).iter();
    let mapped = pages.as_object().into_iter().flat_map(Map::values);
    listed
        .chain(mapped)
        .filter_map(|page| Some((text(&page["title"])?, page)))
        .collect()
}

fn page_url(address: &BaseUrl, title: &str) -> String {
    address.join(["wiki", &title.replace(' ', "_")]).into()
}
