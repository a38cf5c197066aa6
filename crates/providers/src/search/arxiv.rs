//! arXiv: preprints. Works without a key.

use std::borrow::Cow;

use roxmltree::Node;

use super::endpoint::{EngineCall, told};
use super::gather::{HitCollector, HitDraft};
use super::xml::{children, document, text, text_at};
use super::{SearchAnswer, SearchQuery};
use crate::Doi;
use crate::call::{AttemptError, ResponseHeaders};

/// Words of a query: every one of them must stand in a preprint.
const WORDS: usize = 6;

/// Where the number of an error begins; the error comes as if it were a result.
const ERRORS: &str = "/api/errors";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let Some(words) = search_query(call.query) else {
        return Ok(SearchAnswer::default());
    };
    let request = call
        .get(["query"])
        .accept("application/atom+xml")
        .query("search_query", words)
        .query("start", "0")
        .query("max_results", call.query.max_results())
        .query("sortBy", "relevance")
        .query("sortOrder", "descending");
    let reply = call.send(request).await?;
    let xml = String::from_utf8_lossy(reply.body());
    let tree = document(&xml).ok_or_else(|| reply.refused())?;
    let feed = tree.root_element();
    if feed.tag_name().name() != "feed" {
        return Err(reply.refused());
    }
    let mut collector = HitCollector::new(call.query, call.engine);
    for entry in children(feed, "entry") {
        let id = text_at(entry, &["id"]);
        if id.as_deref().is_some_and(|id| id.contains(ERRORS)) {
            return Err(told(200, ResponseHeaders::default(), "400"));
        }
        collector.add(hit(entry, id));
    }
    Ok(collector.finish())
}

/// Each word in any field; none if there are no words.
fn search_query(query: &SearchQuery) -> Option<String> {
    let words = query.telling_words(WORDS);
    let fielded: Vec<String> = words.iter().map(|word| format!("all:{word}")).collect();
    let words = Some(fielded.join(" AND ")).filter(|words| !words.is_empty())?;
    Some(match query.years() {
        (None, None) => words,
        (from, to) => {
            let (from, to) = (from.unwrap_or(1_000), to.unwrap_or(2_999));
            format!("{words} AND submittedDate:[{from}01010000 TO {to}12312359]")
        }
    })
}

fn hit<'a>(entry: Node<'a, 'a>, id: Option<Cow<'a, str>>) -> HitDraft<'a> {
    let link = |title: &str, name: &str| {
        children(entry, "link")
            .find(|link| link.attribute(name) == Some(title))
            .and_then(|link| link.attribute("href"))
            .map(Cow::Borrowed)
    };
    let own = text_at(entry, &["doi"]).and_then(|doi| Doi::told(&doi));
    let url = link("alternate", "rel").or(id);
    let url = url.map(|url| Cow::Owned(url.replacen("http://arxiv.org/", "https://arxiv.org/", 1)));
    HitDraft {
        doi: own.or_else(|| Doi::from_url(url.as_deref()?)),
        url,
        title: text_at(entry, &["title"]),
        authors: children(entry, "author")
            .filter_map(|author| children(author, "name").next())
            .filter_map(text)
            .collect(),
        date: text_at(entry, &["published"]),
        venue: text_at(entry, &["journal_ref"]),
        abstract_text: text_at(entry, &["summary"]),
        pdf_url: link("pdf", "title"),
        ..HitDraft::default()
    }
}
