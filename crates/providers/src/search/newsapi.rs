//! NewsAPI: news of many outlets. Needs a key.

use async_trait::async_trait;

use super::answer::{body, items};
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::text;

/// Longer queries are refused.
const TEXT_CHARS: usize = 500;

/// It refuses other languages.
const LANGUAGES: [&str; 14] = [
    "ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh",
];

/// The title of an article that was taken down.
const REMOVED: &str = "[Removed]";

pub(super) struct Newsapi(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Newsapi {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let mut request = self
            .0
            .get(["everything"])
            .query("q", query.text_within(TEXT_CHARS))
            .query("pageSize", &query.max_results().to_string())
            .query("sortBy", "relevancy")
            .key_header("x-api-key", self.0.key.as_ref());
        if let Some(since) = query.since() {
            request = request.query("from", &since.to_string());
        }
        if let Some(code) = query.language().filter(|code| LANGUAGES.contains(code)) {
            request = request.query("language", code);
        }
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    if body.json["status"] != "ok" {
        return Err(reply.refused());
    }
    let mut gather = HitCollector::new(query, SearchEngine::Newsapi).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["articles"], "totalResults")? {
        let published = gather.date(text(&item["publishedAt"]).as_deref());
        gather.add(HitDraft {
            url: text(&item["url"]),
            title: text(&item["title"]).filter(|title| title != REMOVED),
            snippet: text(&item["description"]).or_else(|| text(&item["content"])),
            authors: text(&item["author"]).into_iter().collect(),
            published,
            venue: text(&item["source"]["name"]),
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}
