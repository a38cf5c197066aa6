//! GitHub: code. Needs a token, since code is searched for nobody without one.

use std::borrow::Cow;

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::SearchAnswer;
use super::endpoint::EngineCall;
use super::gather::HitDraft;
use crate::call::AttemptError;
use crate::lenient::{list, text};

/// Words of a query: every one of them must stand in a file.
const WORDS: usize = 5;

/// Between the places of one file that match.
const GAP: &str = " … ";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let version = HeaderName::from_static("x-github-api-version");
    let request = call
        .get(["search", "code"])
        .accept("application/vnd.github.text-match+json")
        .header(version, HeaderValue::from_static("2022-11-28"))
        .query("q", call.query.telling_words(WORDS).join(" "))
        .query("per_page", call.query.max_results())
        .bearer(call.key());
    let reply = call.send(request).await?;
    call.read(&reply, &["items"], "total_count", hit)
}

fn hit(item: &Value) -> HitDraft<'_> {
    let repository = &item["repository"];
    let fragments: Vec<Cow<'_, str>> = list(&item["text_matches"])
        .iter()
        .filter_map(|place| text(&place["fragment"]))
        .collect();
    let name = text(&repository["full_name"]);
    let path = text(&item["path"]).or_else(|| text(&item["name"]));
    HitDraft {
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
        score: Some(&item["score"]),
        is_code: true,
        ..HitDraft::default()
    }
}
