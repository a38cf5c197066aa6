//! Serper: Google's results. Needs a key.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::answer::{body, items};
use super::endpoint::{SearchEndpoint, told};
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchProvider, SearchQuery};
use crate::call::{AttemptError, CallAttempt};
use crate::client::HttpReply;
use crate::lenient::text;

/// Its one word for a used up account, which it sends as a plain 400 without a code.
const NO_CREDITS: &str = "Not enough credits";

pub(super) struct Serper(pub(super) SearchEndpoint);

#[async_trait]
impl SearchProvider for Serper {
    async fn search(
        &self,
        query: &SearchQuery,
        attempt: &CallAttempt,
    ) -> Result<SearchAnswer, AttemptError> {
        let mut asked = json!({ "q": query.text(), "num": query.max_results() });
        if let Some(language) = query.language() {
            asked["hl"] = json!(language);
        }
        let request = self
            .0
            .post(["search"], &asked)
            .key_header("x-api-key", self.0.key.as_ref());
        let reply = self.0.ask(attempt, request).await.map_err(understood)?;
        read(&reply, query)
    }
}

fn understood(fault: AttemptError) -> AttemptError {
    let AttemptError::Answer(answer) = &fault else {
        return fault;
    };
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if answer.status == 400 && body["message"] == NO_CREDITS {
        return told(400, answer.headers.clone(), "insufficient_credits");
    }
    fault
}

fn read(reply: &HttpReply, query: &SearchQuery) -> Result<SearchAnswer, AttemptError> {
    let body = body(reply)?;
    let mut gather = HitCollector::new(query, SearchEngine::Serper).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["organic"], "searchParameters")? {
        let published = gather.date(text(&item["date"]).as_deref());
        gather.add(HitDraft {
            url: text(&item["link"]),
            title: text(&item["title"]),
            snippet: text(&item["snippet"]),
            published,
            ..HitDraft::default()
        });
    }
    Ok(gather.finish())
}
