//! arXiv: preprints. Works without a key.

use std::borrow::Cow;

use async_trait::async_trait;
use roxmltree::Node;

use super::endpoint::{SearchEndpoint, told};
use super::gather::{HitCollector, HitDraft};
use super::xml::{children, document, text, text_at};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt, ResponseHeaders};
use crate::client::HttpReply;
use crate::{Doi, PublicationDate};

/// Where the number of an error begins; the error comes as if it were a result.
const ERRORS: &str = "/api/errors";

pub(super) struct Arxiv(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Arxiv {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let Some(words) = search_query(query) else {
            return Ok(SearchAnswer::default());
        };
        let request = self
            .0
            .get(["query"])
            .accept("application/atom+xml")
            .query("search_query", &words)
            .query("start", "0")
            .query("max_results", &query.max_results().to_string())
            .query("sortBy", "relevance")
            .query("sortOrder", "descending");
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

/// Plain words, since quotes, brackets and colons are orders there; none if there are no words.
fn search_query(query: &SearchQuery) -> Option<String> {
    let is_order = |c: char| "\"():[]\\".contains(c);
    let words: Vec<&str> = query
        .text()
        .split(|c: char| c.is_whitespace() || is_order(c))
        .filter(|word| !word.is_empty() && !matches!(*word, "AND" | "OR" | "ANDNOT"))
        .collect();
    let words = Some(words.join(" ")).filter(|words| !words.is_empty())?;
    Some(match query.years() {
        (None, None) => words,
        (from, to) => {
            let (from, to) = (from.unwrap_or(1_000), to.unwrap_or(2_999));
            format!("({words}) AND submittedDate:[{from}01010000 TO {to}12312359]")
        }
    })
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let xml = String::from_utf8_lossy(reply.body());
    let tree = document(&xml).ok_or_else(|| reply.refused())?;
    let feed = tree.root_element();
    if feed.tag_name().name() != "feed" {
        return Err(reply.refused());
    }
    let mut gather = HitCollector::new(query, SearchEngine::Arxiv);
    for entry in children(feed, "entry") {
        let id = text_at(entry, &["id"]);
        if id.as_deref().is_some_and(|id| id.contains(ERRORS)) {
            return Err(told(200, ResponseHeaders::default(), "400"));
        }
        let published = gather.date(text_at(entry, &["published"]).as_deref());
        gather.add(draft(entry, id, published));
    }
    Ok(gather.finish())
}

fn draft<'a>(
    entry: Node<'a, 'a>,
    id: Option<Cow<'a, str>>,
    published: Option<PublicationDate>,
) -> HitDraft<'a> {
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
        published,
        venue: text_at(entry, &["journal_ref"]),
        abstract_text: text_at(entry, &["summary"]),
        pdf_url: link("pdf", "title"),
        ..HitDraft::default()
    }
}
