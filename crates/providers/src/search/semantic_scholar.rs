//! Semantic Scholar: works with abstracts and citation counts. Works without a key, slowly.

use serde_json::Value;

use super::endpoint::EngineCall;
use super::gather::HitDraft;
use super::{SearchAnswer, SearchQuery};
use crate::Doi;
use crate::call::AttemptError;
use crate::lenient::{count, list, text};

const FIELDS: &str =
    "title,abstract,authors,year,publicationDate,venue,citationCount,externalIds,openAccessPdf,url";

/// Its pages, by the number of the work.
const PAGES: &str = "https://www.semanticscholar.org/paper/";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let request = call
        .get(["paper", "search"])
        // Words joined by a hyphen match nothing there.
        .query("query", call.query.text().replace('-', " "))
        .query("limit", call.query.max_results())
        .query("fields", FIELDS)
        .query_if_set("year", years(call.query))
        .key_header("x-api-key", call.key());
    let reply = call.send(request).await?;
    call.read(&reply, &["data"], "total", hit)
}

fn years(query: &SearchQuery) -> Option<String> {
    let year = |year: Option<i16>| year.map(|year| year.to_string()).unwrap_or_default();
    match query.years() {
        (None, None) => None,
        (from, to) => Some(format!("{}-{}", year(from), year(to))),
    }
}

fn hit(item: &Value) -> HitDraft<'_> {
    let authors = list(&item["authors"]).iter();
    HitDraft {
        url: text(&item["url"])
            .or_else(|| Some(format!("{PAGES}{}", text(&item["paperId"])?).into())),
        title: text(&item["title"]),
        authors: authors.filter_map(|author| text(&author["name"])).collect(),
        date: text(&item["publicationDate"]).or_else(|| text(&item["year"])),
        venue: text(&item["venue"]),
        citations: count(&item["citationCount"]),
        doi: doi(&item["externalIds"]),
        abstract_text: text(&item["abstract"]),
        pdf_url: text(&item["openAccessPdf"]["url"]),
        score: Some(&item["matchScore"]),
        ..HitDraft::default()
    }
}

fn doi(ids: &Value) -> Option<Doi> {
    let own = text(&ids["DOI"]).and_then(|doi| Doi::told(&doi));
    own.or_else(|| Doi::from_arxiv(&text(&ids["ArXiv"])?))
}
