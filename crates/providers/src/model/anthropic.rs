//! Anthropic's Messages, streamed.
//!
//! An answer in JSON is asked for as the input of a tool that the model must use, and comes back as the
//! completion's text. Models that cannot be made to use a tool get the schema in words, and those that take no
//! temperature get none.

mod read;
mod write;

use async_trait::async_trait;
use http::{HeaderName, HeaderValue};

use super::answer::AnswerReader;
use super::form::RequestForm;
use super::learn::LearntForm;
use super::schema::OrderedJson;
use super::{AnswerFormat, AnswerProgress, Completion, ModelClient, ModelEndpoint, ModelRequest};
use crate::HttpClient;
use crate::call::{AttemptError, CallAttempt};
use crate::client;

const VERSION: (HeaderName, HeaderValue) = (
    HeaderName::from_static("anthropic-version"),
    HeaderValue::from_static("2023-06-01"),
);

pub(super) struct Anthropic {
    client: HttpClient,
    endpoint: ModelEndpoint,
    model: String,
    learnt: LearntForm,
}

impl Anthropic {
    pub(super) fn new(client: HttpClient, endpoint: ModelEndpoint, model: &str) -> Self {
        Self {
            client,
            endpoint,
            model: model.to_owned(),
            learnt: LearntForm::default(),
        }
    }

    async fn once(
        &self,
        form: RequestForm,
        request: &ModelRequest,
        attempt: &CallAttempt,
        progress: Option<&dyn AnswerProgress>,
    ) -> Result<Completion, AttemptError> {
        let body = write::body(&self.model, form, request);
        let url = self.endpoint.address.join(["messages"]);
        let key = self.endpoint.key.as_ref();
        let (name, version) = VERSION;
        let sent =
            client::HttpRequest::post(url, &OrderedJson::new(&body), self.endpoint.first_byte)
                .key_header("x-api-key", key)
                .header(name, version);
        let opened = self.client.open(attempt, sent).await?;
        let reading = AnswerReader {
            request,
            key,
            progress,
            take: read::take,
        };
        let mut completion = reading.read(opened).await?;
        if let AnswerFormat::Schema { name, .. } = &request.format {
            read::unwrap_answer(&mut completion, name);
        }
        Ok(completion)
    }
}

#[async_trait]
impl ModelClient for Anthropic {
    async fn complete(
        &self,
        request: &ModelRequest,
        attempt: &CallAttempt,
        progress: Option<&dyn AnswerProgress>,
    ) -> Result<Completion, AttemptError> {
        let once = |form| self.once(form, request, attempt, progress);
        self.learnt
            .send(request, RequestForm::plainer_messages, once)
            .await
    }
}
