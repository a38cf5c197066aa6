//! SearXNG: one's own search of many engines. Needs its address, and JSON allowed in its settings.

use serde_json::Value;

use super::answer::{body, items};
use super::endpoint::{EngineCall, told};
use super::gather::HitDraft;
use super::{SearchAnswer, SearchQuery};
use crate::call::AttemptError;
use crate::lenient::{list, text};

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let request = call
        .get(["search"])
        .query("q", words(call.query))
        .query("format", "json")
        .query_if_set("language", call.query.language());
    let reply = call.send(request).await?;
    let body = body(&reply)?;
    let results = items(&reply, &body.json, &["results"], "query")?;
    let silent = list(&body.json["unresponsive_engines"]).len();
    if results.is_empty() && silent > 0 {
        // It asks the engines, which stay silent for minutes once they block it: another try brings nothing.
        let no_retry = [("x-should-retry", "false")].into_iter().collect();
        return Err(told(200, no_retry, "unavailable"));
    }
    let mut answer = call.collect(&body, results.iter().map(hit));
    answer.dropped.engines = u32::try_from(silent).unwrap_or(u32::MAX);
    Ok(answer)
}

/// The words without what begins an order there: `!!g` would send us elsewhere.
fn words(query: &SearchQuery) -> String {
    let words = query.text().split(' ');
    let plain = words.map(|word| word.trim_start_matches(['!', ':']));
    plain.collect::<Vec<_>>().join(" ")
}

fn hit(item: &Value) -> HitDraft<'_> {
    HitDraft {
        url: text(&item["url"]),
        title: text(&item["title"]),
        snippet: text(&item["content"]),
        authors: text(&item["author"]).into_iter().collect(),
        date: text(&item["publishedDate"]).or_else(|| text(&item["pubdate"])),
        score: Some(&item["score"]),
        ..HitDraft::default()
    }
}
