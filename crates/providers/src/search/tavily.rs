//! Tavily: web results with longer extracts. Needs a key.

use serde_json::{Value, json};

use super::SearchAnswer;
use super::endpoint::EngineCall;
use super::gather::HitDraft;
use crate::call::AttemptError;
use crate::lenient::text;

/// Longer queries are refused.
const TEXT_CHARS: usize = 400;
const RESULTS: usize = 20;

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let asked = json!({
        "query": call.query.text_within(TEXT_CHARS),
        "max_results": call.query.max_results().min(RESULTS),
        "search_depth": "basic",
        "topic": "general",
    });
    let request = call.post("search", &asked).bearer(call.key());
    let reply = call.send(request).await?;
    call.read(&reply, &["results"], "query", hit)
}

fn hit(item: &Value) -> HitDraft<'_> {
    HitDraft {
        url: text(&item["url"]),
        title: text(&item["title"]),
        snippet: text(&item["content"]),
        full_text: text(&item["raw_content"]),
        date: text(&item["published_date"]),
        score: Some(&item["score"]),
        ..HitDraft::default()
    }
}
