//! What every provider here has: a client, an address, perhaps a key and a mail address to be polite with.

use std::time::Duration;

use serde::Serialize;

use crate::call::{Answer, Attempt, Fault, Headers};
use crate::client::{Client, Reply, Request};
use crate::{Address, Secret};

#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) client: Client,
    pub(super) address: Address,
    pub(super) key: Option<Secret>,
    /// Registers of works serve those better who say whom to write to.
    pub(super) contact: Option<String>,
    pub(super) first_byte: Duration,
}

impl Endpoint {
    pub(super) fn get<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> Request {
        Request::get(self.address.join(path), self.first_byte).accept("application/json")
    }

    pub(super) fn post<'a, T: Serialize>(
        &self,
        path: impl IntoIterator<Item = &'a str>,
        body: &T,
    ) -> Request {
        Request::post(self.address.join(path), body, self.first_byte).accept("application/json")
    }

    /// Adds the mail address under this name, if one is set.
    pub(super) fn with_contact(&self, request: Request, name: &str) -> Request {
        match &self.contact {
            Some(contact) => request.query(name, contact),
            None => request,
        }
    }

    pub(super) async fn ask(&self, attempt: &Attempt, request: Request) -> Result<Reply, Fault> {
        Ok(self.client.ask(attempt, request).await?.struck())
    }
}

/// An error that the provider tells in words of its own, told by the code that stands for it everywhere else.
pub(super) fn told(status: u16, headers: Headers, code: &str) -> Fault {
    let body = serde_json::json!({ "error": { "code": code } });
    Answer::new(status, headers, body.to_string().as_bytes()).into()
}
