//! GitHub: code. Needs a token, since code is searched for nobody without one.

use std::borrow::Cow;

use async_trait::async_trait;
use reqwest::header::{HeaderName, HeaderValue};

use super::answer::{body, items};
use super::endpoint::SearchEndpoint;
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::{list, text};

/// Longer queries are refused.
const TEXT_CHARS: usize = 256;

/// Between the places of one file that match.
const GAP: &str = " … ";

pub(super) struct Github(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Github {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let version = HeaderName::from_static("x-github-api-version");
        let request = self
            .0
            .get(["search", "code"])
            .accept("application/vnd.github.text-match+json")
            .header(version, HeaderValue::from_static("2022-11-28"))
            .query("q", query.text_within(TEXT_CHARS))
            .query("per_page", &query.max_results().to_string())
            .bearer(self.0.key.as_ref());
        let reply = self.0.ask(attempt, request).await?;
        read(&reply, query)
    }
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let mut gather = HitCollector::new(query, SearchEngine::Github).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["items"], "total_count")? {
        let score = gather.score(&item["score"]);
        let repository = &item["repository"];
        let fragments: Vec<Cow<'_, str>> = list(&item["text_matches"])
            .iter()
            .filter_map(|place| text(&place["fragment"]))
            .collect();
        let name = text(&repository["full_name"]);
        let path = text(&item["path"]).or_else(|| text(&item["name"]));
        gather.add(HitDraft {
            url: text(&item["html_url"]),
            title: path.map(|path| match &name {
                Some(name) => format!("{name}: {path}").into(),
                None => path,
            }),
            snippet: if fragments.is_empty() {
                text(&repository["description"])
            } else {
                Some(fragments.join(GAP).into())
            },
            venue: name,
            score,
            is_code: true,
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}
