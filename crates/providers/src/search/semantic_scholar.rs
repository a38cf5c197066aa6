//! Semantic Scholar: works with abstracts and citation counts. Works without a key, slowly.

use async_trait::async_trait;

use serde_json::Value;

use super::answer::{body, items};
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::Doi;
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{count, list, text};

const FIELDS: &str =
    "title,abstract,authors,year,publicationDate,venue,citationCount,externalIds,openAccessPdf,url";

/// Its pages, by the number of the work.
const PAGES: &str = "https://www.semanticscholar.org/paper/";

pub(super) struct SemanticScholar(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for SemanticScholar {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let mut request = self
            .0
            .get(["paper", "search"])
            // Words joined by a hyphen match nothing there.
            .query("query", &query.text().replace('-', " "))
            .query("limit", &query.max_results().to_string())
            .query("fields", FIELDS)
            .key_header("x-api-key", self.0.key.as_ref());
        if let Some(years) = years(query) {
            request = request.query("year", &years);
        }
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

fn years(query: &SearchQuery) -> Option<String> {
    let year = |year: Option<i16>| year.map(|year| year.to_string()).unwrap_or_default();
    match query.years() {
        (None, None) => None,
        (from, to) => Some(format!("{}-{}", year(from), year(to))),
    }
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let mut gather =
        HitCollector::new(query, SearchEngine::SemanticScholar).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["data"], "total")? {
        let told = text(&item["publicationDate"]).or_else(|| text(&item["year"]));
        let published = gather.date(told.as_deref());
        let score = gather.score(&item["matchScore"]);
        gather.add(HitDraft {
            url: text(&item["url"])
                .or_else(|| Some(format!("{PAGES}{}", text(&item["paperId"])?).into())),
            title: text(&item["title"]),
            authors: list(&item["authors"])
                .iter()
                .filter_map(|author| text(&author["name"]))
                .collect(),
            published,
            venue: text(&item["venue"]),
            citations: count(&item["citationCount"]),
            doi: doi(&item["externalIds"]),
            abstract_text: text(&item["abstract"]),
            pdf_url: text(&item["openAccessPdf"]["url"]),
            score,
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}

fn doi(ids: &Value) -> Option<Doi> {
    let own = text(&ids["DOI"]).and_then(|doi| Doi::told(&doi));
    own.or_else(|| Doi::from_arxiv(&text(&ids["ArXiv"])?))
}
