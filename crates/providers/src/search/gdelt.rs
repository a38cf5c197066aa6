//! GDELT: news of the world, by their titles. Works without a key.
//!
//! It tells errors in plain text with status 200, and says `{}` when it found nothing.

use serde_json::{Map, Value};

use super::SearchAnswer;
use super::answer::body;
use super::endpoint::{EngineCall, told};
use super::gather::HitDraft;
use crate::call::{AttemptError, ResponseHeaders};
use crate::lenient::{list, text};

/// Words of a query. It refuses more than 250 characters.
const WORDS: usize = 15;

/// How its only notice of a limit begins; there is no code for it.
const SLOW_DOWN: &[u8] = b"Please limit requests";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    // Quotes, brackets and colons are orders there, and a short or common word makes it refuse the whole query.
    let words = call.query.telling_words(WORDS).join(" ");
    if words.is_empty() {
        return Ok(SearchAnswer::default());
    }
    let since = call.query.since();
    let request = call
        .get(["doc", "doc"])
        .query("query", words)
        .query("mode", "artlist")
        .query("format", "json")
        .query("sort", "hybridrel")
        .query("maxrecords", call.query.max_results())
        .query_if_set(
            "startdatetime",
            since.map(|day| day.strftime("%Y%m%d000000")),
        );
    let reply = call.send(request).await?;
    let begins = reply.body().trim_ascii_start();
    if begins.starts_with(SLOW_DOWN) {
        return Err(told(200, ResponseHeaders::default(), "rate_limited"));
    }
    if begins.first().is_some_and(u8::is_ascii_alphabetic) {
        return Err(told(200, ResponseHeaders::default(), "400"));
    }
    let body = body(&reply)?;
    // An empty object is how it says that it found nothing.
    let nothing = body.json.as_object().is_some_and(Map::is_empty);
    if !nothing && !body.json["articles"].is_array() {
        return Err(reply.refused());
    }
    Ok(call.collect(&body, list(&body.json["articles"]).iter().map(hit)))
}

fn hit(item: &Value) -> HitDraft<'_> {
    HitDraft {
        url: text(&item["url"]),
        title: text(&item["title"]),
        date: text(&item["seendate"]),
        venue: text(&item["domain"]),
        language: text(&item["language"]),
        ..HitDraft::default()
    }
}
