//! NewsAPI: news of many outlets. Needs a key.

use serde_json::Value;

use super::SearchAnswer;
use super::answer::{body, items};
use super::endpoint::EngineCall;
use super::gather::HitDraft;
use crate::call::AttemptError;
use crate::lenient::text;

/// Longer queries are refused.
const TEXT_CHARS: usize = 500;

/// It refuses other languages.
const LANGUAGES: [&str; 14] = [
    "ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh",
];

/// The title of an article that was taken down.
const REMOVED: &str = "[Removed]";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let language = call.query.language();
    let request = call
        .get(["everything"])
        .query("q", call.query.text_within(TEXT_CHARS))
        .query("pageSize", call.query.max_results())
        .query("sortBy", "relevancy")
        .query_if_set("from", call.query.since())
        .query_if_set("language", language.filter(|code| LANGUAGES.contains(code)))
        .key_header("x-api-key", call.key());
    let reply = call.send(request).await?;
    let body = body(&reply)?;
    if body.json["status"] != "ok" {
        return Err(reply.refused());
    }
    let items = items(&reply, &body.json, &["articles"], "totalResults")?;
    Ok(call.collect(&body, items.iter().map(hit)))
}

fn hit(item: &Value) -> HitDraft<'_> {
    HitDraft {
        url: text(&item["url"]),
        title: text(&item["title"]).filter(|title| title != REMOVED),
        snippet: text(&item["description"]).or_else(|| text(&item["content"])),
        authors: text(&item["author"]).into_iter().collect(),
        date: text(&item["publishedAt"]),
        venue: text(&item["source"]["name"]),
        ..HitDraft::default()
    }
}
