//! SearXNG: one's own search of many engines. Needs its address, and JSON allowed in its settings.

use async_trait::async_trait;

use super::answer::{body, items};
use super::endpoint::{SearchEndpoint, told};
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{list, text};

pub(super) struct Searxng(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Searxng {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let mut request = self
            .0
            .get(["search"])
            .query("q", &words(query))
            .query("format", "json");
        if let Some(language) = query.language() {
            request = request.query("language", language);
        }
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

/// The words without what begins an order there: `!!g` would send us elsewhere.
fn words(query: &SearchQuery) -> String {
    let words = query.text().split(' ');
    let plain = words.map(|word| word.trim_start_matches(['!', ':']));
    plain.collect::<Vec<_>>().join(" ")
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let results = items(reply, &body.json, &["results"], "query")?;
    let silent = list(&body.json["unresponsive_engines"]).len();
    if results.is_empty() && silent > 0 {
        // It asks the engines, which stay silent for minutes once they block it: another try brings nothing.
        let no_retry = [("x-should-retry", "false")].into_iter().collect();
        return Err(told(200, no_retry, "unavailable"));
    }
    let mut gather = HitCollector::new(query, SearchEngine::Searxng).bad_numbers(body.bad_numbers);
    gather.engines_silent(silent);
    for item in results {
        let date = text(&item["publishedDate"]).or_else(|| text(&item["pubdate"]));
        let published = gather.date(date.as_deref());
        let score = gather.score(&item["score"]);
        gather.add(HitDraft {
            url: text(&item["url"]),
            title: text(&item["title"]),
            snippet: text(&item["content"]),
            authors: text(&item["author"]).into_iter().collect(),
            published,
            score,
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}
