//! GDELT: news of the world, by their titles. Works without a key.
//!
//! It tells errors in plain text with status 200, and says `{}` when it found nothing.

use async_trait::async_trait;

use super::endpoint::{Endpoint, told};
use super::gather::{Draft, Gather};
use super::lenient::{body, list, text};
use super::{Engine, Found, Kind, Query, Search};
use crate::call::{Attempt, Fault, Headers};
use crate::client::Reply;

const TEXT_CHARS: usize = 250;

/// A shorter word makes it refuse the whole query.
const WORD_CHARS_LEAST: usize = 3;

/// How its only notice of a limit begins; there is no code for it.
const SLOW_DOWN: &[u8] = b"Please limit requests";

pub(super) struct Gdelt(pub(super) Endpoint);

#[async_trait]
impl Search for Gdelt {
    fn name(&self) -> &'static str {
        Engine::Gdelt.as_str()
    }

    fn kind(&self) -> Kind {
        Engine::Gdelt.kind()
    }

    async fn search(&self, query: &Query, attempt: &Attempt) -> Result<Found, Fault> {
        let mut request = self
            .0
            .get(["doc", "doc"])
            .query("query", &words(query))
            .query("mode", "artlist")
            .query("format", "json")
            .query("sort", "hybridrel")
            .query("maxrecords", &query.max_results().to_string());
        if let Some(since) = query.since() {
            let day = format!(
                "{:04}{:02}{:02}000000",
                since.year(),
                since.month(),
                since.day()
            );
            request = request.query("startdatetime", &day);
        }
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

/// Plain words: quotes, brackets and colons are orders there.
fn words(query: &Query) -> String {
    let words: Vec<&str> = query
        .text_within(TEXT_CHARS)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= WORD_CHARS_LEAST)
        .collect();
    words.join(" ")
}

fn read(reply: &Reply, query: &Query) -> Result<Found, Fault> {
    if reply.body().trim_ascii_start().starts_with(SLOW_DOWN) {
        return Err(told(200, Headers::default(), "rate_limited"));
    }
    let body = body(reply)?;
    if !body.json.is_object() || !body.json["error"].is_null() {
        return Err(reply.refused());
    }
    let mut gather = Gather::new(query, Engine::Gdelt).bad_numbers(body.bad_numbers);
    for item in list(&body.json["articles"]) {
        let published = gather.date(text(&item["seendate"]).as_deref());
        gather.add(Draft {
            url: text(&item["url"]),
            title: text(&item["title"]),
            published,
            venue: text(&item["domain"]),
            language: text(&item["language"]),
            ..Draft::default()
        });
    }
    Ok(gather.finish())
}
