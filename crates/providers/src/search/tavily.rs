//! Tavily: web results with longer extracts. Needs a key.

use async_trait::async_trait;
use serde_json::json;

use super::answer::{body, items};
use super::endpoint::Endpoint;
use super::gather::{Draft, Gather};
use super::{Engine, Found, Kind, Query, Search};
use crate::call::{Attempt, Fault};
use crate::client::Reply;
use crate::lenient::text;

/// Longer queries are refused.
const TEXT_CHARS: usize = 400;
const RESULTS: usize = 20;

pub(super) struct Tavily(pub(super) Endpoint);

#[async_trait]
impl Search for Tavily {
    fn name(&self) -> &'static str {
        Engine::Tavily.as_str()
    }

    fn kind(&self) -> Kind {
        Engine::Tavily.kind()
    }

    async fn search(&self, query: &Query, attempt: &Attempt) -> Result<Found, Fault> {
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

fn read(reply: &Reply, query: &Query) -> Result<Found, Fault> {
    let body = body(reply)?;
    let mut gather = Gather::new(query, Engine::Tavily).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["results"], "query")? {
        let published = gather.date(text(&item["published_date"]).as_deref());
        let score = gather.score(&item["score"]);
        gather.add(Draft {
            url: text(&item["url"]),
            title: text(&item["title"]),
            snippet: text(&item["content"]),
            full_text: text(&item["raw_content"]),
            published,
            score,
            ..Draft::default()
        });
    }
    Ok(gather.finish())
}
