//! GDELT: news of the world, by their titles. Works without a key.
//!
//! It tells errors in plain text with status 200, and says `{}` when it found nothing.

use serde_json::{Map, Value};

use super::answer::body;
use super::endpoint::{EngineCall, told};
use super::gather::HitDraft;
use super::{SearchAnswer, SearchQuery};
use crate::call::{AttemptError, ResponseHeaders};
use crate::lenient::{list, text};

const TEXT_CHARS: usize = 250;

/// A shorter word makes it refuse the whole query.
const WORD_CHARS_LEAST: usize = 3;

/// Words that make it do so because they are everywhere. Its own list is not public; these are the usual ones.
const COMMON: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "been", "but", "can", "could", "did",
    "does", "for", "from", "had", "has", "have", "how", "into", "its", "may", "more", "most",
    "not", "one", "other", "our", "out", "over", "said", "should", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "was", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// How its only notice of a limit begins; there is no code for it.
const SLOW_DOWN: &[u8] = b"Please limit requests";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let Some(words) = words(call.query) else {
        return Ok(SearchAnswer::default());
    };
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

/// Plain words, since quotes, brackets and colons are orders there; none if there are no words.
fn words(query: &SearchQuery) -> Option<String> {
    let words = || {
        let text = query.text_within(TEXT_CHARS);
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty())
    };
    let telling = |word: &&str| {
        word.chars().count() >= WORD_CHARS_LEAST && !COMMON.contains(&word.to_lowercase().as_str())
    };
    let mut kept: Vec<&str> = words().filter(telling).collect();
    if kept.is_empty() {
        kept = words().collect();
    }
    (!kept.is_empty()).then(|| kept.join(" "))
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
