//! What every provider here has: a client, an address, perhaps a key and a mail address to be polite with.

use std::time::Duration;

use serde::Serialize;

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

impl SearchEndpoint {
    pub(super) fn get<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> HttpRequest {
        HttpRequest::get(self.address.join(path), self.first_byte).accept("application/json")
    }

    pub(super) fn post<'a, T: Serialize>(
        &self,
        path: impl IntoIterator<Item = &'a str>,
        body: &T,
    ) -> HttpRequest {
        HttpRequest::post(self.address.join(path), body, self.first_byte).accept("application/json")
    }

    /// Adds the mail address under this name, if one is set.
    pub(super) fn with_contact(&self, request: HttpRequest, name: &str) -> HttpRequest {
        match &self.contact {
            Some(contact) => request.query(name, contact),
            None => request,
        }
    }

    pub(super) async fn ask(
        &self,
        attempt: &CallAttempt,
        request: HttpRequest,
    ) -> Result<HttpReply, AttemptError> {
        Ok(self.client.ask(attempt, request).await?.struck())
    }
}

/// An error that the provider tells in words of its own, told by the code that stands for it everywhere else.
pub(super) fn told(status: u16, headers: ResponseHeaders, code: &str) -> AttemptError {
    let body = serde_json::json!({ "error": { "code": code } });
    FailedResponse::new(status, headers, body.to_string().as_bytes()).into()
}
