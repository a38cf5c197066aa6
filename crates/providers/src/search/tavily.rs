//! Tavily: web results with longer extracts. Needs a key.

use async_trait::async_trait;
use serde_json::json;

use super::answer::{body, items};
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::text;

/// Longer queries are refused.
const TEXT_CHARS: usize = 400;
const RESULTS: usize = 20;

pub(super) struct Tavily(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Tavily {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let asked = json!({
            "query": query.text_within(TEXT_CHARS),
            "max_results": query.max_results().min(RESULTS),
            "search_depth": "basic",
            "topic": "general",
        });
        let request = self.0.post(["search"], &asked).bearer(self.0.key.as_ref());
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let mut gather = HitCollector::new(query, SearchEngine::Tavily).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["results"], "query")? {
        let published = gather.date(text(&item["published_date"]).as_deref());
        let score = gather.score(&item["score"]);
        gather.add(HitDraft {
            url: text(&item["url"]),
            title: text(&item["title"]),
            snippet: text(&item["content"]),
            full_text: text(&item["raw_content"]),
            published,
            score,
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}
