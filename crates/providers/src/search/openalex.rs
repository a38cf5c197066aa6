//! OpenAlex: an open index of works. Works without a key, for some ten searches a day.

use std::borrow::Cow;

use serde_json::Value;

use super::SearchAnswer;
use super::endpoint::{EngineCall, comma_list, told};
use super::gather::HitDraft;
use crate::Doi;
use crate::call::AttemptError;
use crate::lenient::{count, list, text, yes};

/// Words of a query: every one of them must stand in a work.
const WORDS: usize = 8;

/// Words of an abstract that are put together again.
const ABSTRACT_WORDS_MAX: usize = 5_000;

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let (from, to) = call.query.years();
    let filter = [
        from.map(|year| format!("from_publication_date:{year}-01-01")),
        to.map(|year| format!("to_publication_date:{year}-12-31")),
        call.query.language().map(|code| format!("language:{code}")),
    ];
    let request = call
        .get(["works"])
        .query("search", call.query.telling_words(WORDS).join(" "))
        .query("per-page", call.query.max_results())
        .query_if_set("filter", comma_list(filter))
        .query_if_set("mailto", call.contact())
        .key_query("api_key", call.key());
    let reply = call.send(request).await.map_err(understood)?;
    call.read(&reply, &["results"], "meta", hit)
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

fn hit(item: &Value) -> HitDraft<'_> {
    let place = &item["primary_location"];
    let doi = text(&item["doi"]).and_then(|doi| Doi::told(&doi));
    let url = text(&place["landing_page_url"]).or_else(|| Some(doi.as_ref()?.url().into()));
    let authors = list(&item["authorships"]).iter();
    HitDraft {
        url: url.or_else(|| text(&item["id"])),
        title: text(&item["display_name"]).or_else(|| text(&item["title"])),
        authors: authors.filter_map(author).collect(),
        date: text(&item["publication_date"]).or_else(|| text(&item["publication_year"])),
        venue: text(&place["source"]["display_name"]),
        citations: count(&item["cited_by_count"]),
        doi,
        abstract_text: abstract_of(&item["abstract_inverted_index"]),
        pdf_url: pdf(item),
        score: Some(&item["relevance_score"]),
        language: text(&item["language"]),
        retracted: yes(&item["is_retracted"]),
        ..HitDraft::default()
    }
}

fn author(work: &Value) -> Option<Cow<'_, str>> {
    text(&work["author"]["display_name"]).or_else(|| text(&work["raw_author_name"]))
}

/// The open copy as PDF; `oa_url` is often only a page that leads to one.
fn pdf(item: &Value) -> Option<Cow<'_, str>> {
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
