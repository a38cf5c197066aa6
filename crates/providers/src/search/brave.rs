//! Brave: web results of an index of its own. Needs a key.

use std::borrow::Cow;

use async_trait::async_trait;

use super::answer::{body, items};
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{list, text};

/// Longer queries, and those of more words, are refused.
const TEXT_CHARS: usize = 400;
const TEXT_WORDS: usize = 50;
const RESULTS: usize = 20;

pub(super) struct Brave(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Brave {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let words: Vec<&str> = query
            .text_within(TEXT_CHARS)
            .split(' ')
            .take(TEXT_WORDS)
            .collect();
        let request = self
            .0
            .get(["web", "search"])
            .query("q", &words.join(" "))
            .query("count", &query.results_within(RESULTS))
            .query("result_filter", "web")
            .key_header("x-subscription-token", self.0.key.as_ref());
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let mut gather = HitCollector::new(query, SearchEngine::Brave).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["web", "results"], "query")? {
        let told = text(&item["page_age"]).or_else(|| text(&item["age"]));
        let published = gather.date(told.as_deref());
        let more = list(&item["extra_snippets"]).iter().filter_map(text);
        let snippet: Vec<Cow<'_, str>> =
            text(&item["description"]).into_iter().chain(more).collect();
        gather.add(HitDraft {
            url: text(&item["url"]),
            title: text(&item["title"]),
            snippet: Some(snippet.join(" ").into()),
            published,
            language: text(&item["language"]),
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}
