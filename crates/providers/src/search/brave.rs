//! Brave: web results of an index of its own. Needs a key.

use std::borrow::Cow;

use serde_json::Value;

use super::SearchAnswer;
use super::endpoint::EngineCall;
use super::gather::HitDraft;
use crate::call::AttemptError;
use crate::lenient::{list, text};

/// Longer queries, and those of more words, are refused.
const TEXT_CHARS: usize = 400;
const TEXT_WORDS: usize = 50;
const RESULTS: usize = 20;

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let words = call.query.text_within(TEXT_CHARS).split(' ');
    let words: Vec<&str> = words.take(TEXT_WORDS).collect();
    let request = call
        .get(["web", "search"])
        .query("q", words.join(" "))
        .query("count", call.query.max_results().min(RESULTS))
        .query("result_filter", "web")
        .key_header("x-subscription-token", call.key());
    let reply = call.send(request).await?;
    call.read(&reply, &["web", "results"], "query", hit)
}

fn hit(item: &Value) -> HitDraft<'_> {
    let more = list(&item["extra_snippets"]).iter().filter_map(text);
    let snippet: Vec<Cow<'_, str>> = text(&item["description"]).into_iter().chain(more).collect();
    HitDraft {
        url: text(&item["url"]),
        title: text(&item["title"]),
        snippet: Some(snippet.join(" ").into()),
        date: text(&item["page_age"]).or_else(|| text(&item["age"])),
        language: text(&item["language"]),
        ..HitDraft::default()
    }
}
