//! What every engine is asked with: a client, an address, perhaps a key and a mail address to be polite with.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::answer::{JsonBody, body, items};
use super::gather::{HitCollector, HitDraft};
use super::{SearchAnswer, SearchEngine, SearchQuery};
use crate::call::{AttemptError, CallAttempt, FailedResponse, ResponseHeaders};
use crate::client::{HttpClient, HttpReply, HttpRequest};
use crate::{BaseUrl, Secret};

#[derive(Clone)]
pub(super) struct SearchEndpoint {
    pub(super) client: HttpClient,
    pub(super) address: BaseUrl,
    pub(super) key: Option<Secret>,
    /// Registers of works serve those better who say whom to write to.
    pub(super) contact: Option<String>,
    pub(super) first_byte: Duration,
}

/// One attempt to have one engine answer one query.
#[derive(Clone, Copy)]
pub(super) struct EngineCall<'a> {
    pub(super) engine: SearchEngine,
    pub(super) endpoint: &'a SearchEndpoint,
    pub(super) query: &'a SearchQuery,
    pub(super) attempt: &'a CallAttempt,
}

impl<'a> EngineCall<'a> {
    pub(super) fn get<'s>(&self, path: impl IntoIterator<Item = &'s str>) -> HttpRequest {
        let url = self.endpoint.address.join(path);
        HttpRequest::get(url, self.endpoint.first_byte).accept("application/json")
    }

    pub(super) fn post<T: Serialize>(&self, path: &str, body: &T) -> HttpRequest {
        let url = self.endpoint.address.join([path]);
        HttpRequest::post(url, body, self.endpoint.first_byte).accept("application/json")
    }

    pub(super) fn key(&self) -> Option<&'a Secret> {
        self.endpoint.key.as_ref()
    }

    pub(super) fn contact(&self) -> Option<&'a str> {
        self.endpoint.contact.as_deref()
    }

    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpReply, AttemptError> {
        let reply = self.endpoint.client.ask(self.attempt, request).await?;
        Ok(reply.struck())
    }

    /// Reads an answer whose hits are the list at `path`; see [`items`] for `sign`.
    pub(super) fn read(
        &self,
        reply: &HttpReply,
        path: &[&str],
        sign: &str,
        hit: fn(&Value) -> HitDraft<'_>,
    ) -> Result<SearchAnswer, AttemptError> {
        let body = body(reply)?;
        let items = items(reply, &body.json, path, sign)?;
        Ok(self.collect(&body, items.iter().map(hit)))
    }

    /// The answer that these drafts add up to.
    pub(super) fn collect<'d>(
        &self,
        body: &JsonBody,
        drafts: impl Iterator<Item = HitDraft<'d>>,
    ) -> SearchAnswer {
        let mut collector = HitCollector::new(self.query, self.engine);
        collector.bad_numbers(body.bad_numbers);
        drafts.for_each(|draft| collector.add(draft));
        collector.finish()
    }
}

/// An error that the provider tells in words of its own, told by the code that stands for it everywhere else.
pub(super) fn told(status: u16, headers: ResponseHeaders, code: &str) -> AttemptError {
    let body = serde_json::json!({ "error": { "code": code } });
    FailedResponse::new(status, headers, body.to_string().as_bytes()).into()
}

/// Gives a plain 400 the code that it lacks, if this field of its body holds exactly these words.
pub(super) fn told_by(fault: AttemptError, field: &str, words: &str, code: &str) -> AttemptError {
    match &fault {
        AttemptError::Answer(answer) if answer.status == 400 => {
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            if body[field] == words {
                return told(400, answer.headers.clone(), code);
            }
            fault
        }
        _ => fault,
    }
}

/// The filters that are set, as one value; none if none is.
pub(super) fn comma_list<const N: usize>(filters: [Option<String>; N]) -> Option<String> {
    let set: Vec<String> = filters.into_iter().flatten().collect();
    (!set.is_empty()).then(|| set.join(","))
}
