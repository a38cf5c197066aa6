//! SearXNG: one's own search of many engines. Needs its address, and JSON allowed in its settings.

use async_trait::async_trait;

use super::answer::{body, items};
use super::endpoint::{Endpoint, told};
use super::gather::{Draft, Gather};
use super::{Engine, Found, Kind, Query, Search};
use crate::call::{Attempt, Fault};
use crate::client::Reply;
use crate::lenient::{list, text};

pub(super) struct Searxng(pub(super) Endpoint);

#[async_trait]
impl Search for Searxng {
    fn name(&self) -> &'static str {
        Engine::Searxng.as_str()
    }

    fn kind(&self) -> Kind {
        Engine::Searxng.kind()
    }

    async fn search(&self, query: &Query, attempt: &Attempt) -> Result<Found, Fault> {
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
fn words(query: &Query) -> String {
    let words = query.text().split(' ');
    let plain = words.map(|word| word.trim_start_matches(['!', ':']));
    plain.collect::<Vec<_>>().join(" ")
}

fn read(reply: &Reply, query: &Query) -> Result<Found, Fault> {
    let body = body(reply)?;
    let results = items(reply, &body.json, &["results"], "query")?;
    let silent = list(&body.json["unresponsive_engines"]).len();
    if results.is_empty() && silent > 0 {
        // It asks the engines, which stay silent for minutes once they block it: another try brings nothing.
        let no_retry = [("x-should-retry", "false")].into_iter().collect();
        return Err(told(200, no_retry, "unavailable"));
    }
    let mut gather = Gather::new(query, Engine::Searxng).bad_numbers(body.bad_numbers);
    gather.engines_silent(silent);
    for item in results {
        let date = text(&item["publishedDate"]).or_else(|| text(&item["pubdate"]));
        let published = gather.date(date.as_deref());
        let score = gather.score(&item["score"]);
        gather.add(Draft {
            url: text(&item["url"]),
            title: text(&item["title"]),
            snippet: text(&item["content"]),
            authors: text(&item["author"]).into_iter().collect(),
            published,
            score,
            ..Draft::default()
        });
    }
    Ok(gather.finish())
}
