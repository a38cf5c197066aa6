//! Anthropic's Messages, streamed.
//!
//! An answer in JSON is asked for as the input of a tool that the model must use, which every model of theirs
//! understands; it comes back as the completion's text.

mod read;
mod write;

use async_trait::async_trait;
use http::{HeaderName, HeaderValue};

use super::answer::Reading;
use super::{Completion, Endpoint, Format, Model, Progress, Request};
use crate::Client;
use crate::call::{Attempt, Fault};
use crate::client;

const VERSION: (HeaderName, HeaderValue) = (
    HeaderName::from_static("anthropic-version"),
    HeaderValue::from_static("2023-06-01"),
);

pub struct Anthropic {
    client: Client,
    endpoint: Endpoint,
    model: String,
}

impl Anthropic {
    pub fn new(client: Client, endpoint: Endpoint, model: &str) -> Self {
        Self {
            client,
            endpoint,
            model: model.to_owned(),
        }
    }
}

#[async_trait]
impl Model for Anthropic {
    async fn complete(
        &self,
        request: &Request,
        attempt: &Attempt,
        progress: Option<&dyn Progress>,
    ) -> Result<Completion, Fault> {
        let body = write::body(&self.model, request);
        let url = self.endpoint.address.join(["messages"]);
        let key = self.endpoint.key.as_ref();
        let (name, version) = VERSION;
        let sent = client::Request::post(url, &body, self.endpoint.first_byte)
            .key_header("x-api-key", key)
            .header(name, version);
        let opened = self.client.open(attempt, sent).await?;
        let reading = Reading {
            request,
            key,
            progress,
            take: read::take,
        };
        let mut completion = reading.read(opened).await?;
        if let Format::Schema { name, .. } = &request.format {
            read::unwrap_answer(&mut completion, name);
        }
        Ok(completion)
    }
}
