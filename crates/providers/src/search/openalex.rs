//! OpenAlex: an open index of works. Works without a key, for some ten searches a day.

use std::borrow::Cow;

use async_trait::async_trait;

use serde_json::Value;

use super::answer::{body, items};
use super::endpoint::{SearchEndpoint, told};
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::Doi;
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{count, list, text, yes};

/// The whole address may have 4 kB there, and a character up to twelve bytes.
const TEXT_CHARS: usize = 300;

/// Words of an abstract that are put together again.
const ABSTRACT_WORDS_MAX: usize = 5_000;

pub(super) struct Openalex(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Openalex {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let mut request = self
            .0
            .get(["works"])
            .query("search", query.text_within(TEXT_CHARS))
            .query("per-page", &query.max_results().to_string());
        let filter = filter(query);
        if !filter.is_empty() {
            request = request.query("filter", &filter);
        }
        let request = self.0.with_contact(request, "mailto");
        let request = request.key_query("api_key", self.0.key.as_ref());
        let reply = self.0.ask(attempt, request).await.map_err(understood)?;
        read(&reply, query)
    }
}

/// A 403 is its word for too many calls, not for a wrong key.
fn understood(fault: AttemptError) -> AttemptError {
    match fault {
        AttemptError::Answer(answer) if answer.status == 403 => {
            told(403, answer.headers, "rate_limited")
        }
        fault => fault,
    }
}

fn filter(query: &SearchQuery) -> String {
    let (from, to) = query.years();
    let parts = [
        from.map(|year| format!("from_publication_date:{year}-01-01")),
        to.map(|year| format!("to_publication_date:{year}-12-31")),
        query.language().map(|code| format!("language:{code}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(",")
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let mut gather = HitCollector::new(query, SearchEngine::Openalex).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["results"], "meta")? {
        let date = text(&item["publication_date"]).or_else(|| text(&item["publication_year"]));
        let published = gather.date(date.as_deref());
        let score = gather.score(&item["relevance_score"]);
        let place = &item["primary_location"];
        let doi = text(&item["doi"]).and_then(|doi| Doi::told(&doi));
        let url =
            text(&place["landing_page_url"]).or_else(|| doi.as_ref().map(|doi| doi.url().into()));
        gather.add(HitDraft {
            url: url.or_else(|| text(&item["id"])),
            title: text(&item["display_name"]).or_else(|| text(&item["title"])),
            authors: list(&item["authorships"])
                .iter()
                .filter_map(author)
                .collect(),
            published,
            venue: text(&place["source"]["display_name"]),
            citations: count(&item["cited_by_count"]),
            doi,
            abstract_text: abstract_of(&item["abstract_inverted_index"]),
            pdf_url: pdf(item),
            score,
            language: text(&item["language"]),
            retracted: yes(&item["is_retracted"]),
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}

fn author<'a>(work: &'a Value) -> Option<Cow<'a, str>> {
    text(&work["author"]["display_name"]).or_else(|| text(&work["raw_author_name"]))
}

/// The open copy as PDF; `oa_url` is often only a page that leads to one.
fn pdf<'a>(item: &'a Value) -> Option<Cow<'a, str>> {
    let page = text(&item["open_access"]["oa_url"]);
    text(&item["best_oa_location"]["pdf_url"])
        .or_else(|| page.filter(|page| page.to_ascii_lowercase().ends_with(".pdf")))
}

/// The abstract, from a list of the places at which each word stands.
fn abstract_of(index: &Value) -> Option<Cow<'static, str>> {
    let mut words: Vec<(u64, &str)> = index
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(word, places)| {
            let places = list(places).iter().filter_map(count);
            places.map(move |place| (place, word.as_str()))
        })
        .collect();
    words.sort_unstable();
    words.truncate(ABSTRACT_WORDS_MAX);
    let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
    (!words.is_empty()).then(|| words.join(" ").into())
}
