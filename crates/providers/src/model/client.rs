//! One model at one endpoint: writes a request in the wire form that the endpoint speaks, and reads the answer.

use http::{HeaderName, HeaderValue};

use super::answer::AnswerReader;
use super::form::{RequestForm, SchemaSupport};
use super::learn::LearntForm;
use super::schema::OrderedJson;
use super::settings::{ModelApi, ModelEndpoint};
use super::{AnswerFormat, Completion, ModelRequest, TokenUsage, anthropic, openai};
use crate::HttpClient;
use crate::call::{AttemptError, CallAttempt, FailedResponse, ResponseHeaders};
use crate::client::HttpRequest;

const ANTHROPIC_VERSION: (HeaderName, HeaderValue) = (
    HeaderName::from_static("anthropic-version"),
    HeaderValue::from_static("2023-06-01"),
);

/// The smallest window that a model is run with, and the step in which windows are set.
const WINDOW_LEAST: u64 = 1_024;
const WINDOW_STEP: u64 = 512;

/// A model, and what was learnt about the requests that its endpoint understands.
pub(super) struct ModelClient {
    client: HttpClient,
    endpoint: ModelEndpoint,
    /// The model's name, as it is asked for.
    pub(super) model: String,
    learnt: LearntForm,
}

impl ModelClient {
    pub(super) fn new(client: HttpClient, endpoint: ModelEndpoint, model: String) -> Self {
        Self {
            client,
            endpoint,
            model,
            learnt: LearntForm::default(),
        }
    }

    /// Makes one attempt, perhaps in several forms until the endpoint understands one.
    pub(super) async fn complete(
        &self,
        request: &ModelRequest,
        attempt: &CallAttempt,
    ) -> Result<Completion, AttemptError> {
        let once = |form| self.once(form, request, attempt);
        let plainer = match self.endpoint.api {
            ModelApi::OpenAi => RequestForm::plainer_chats,
            ModelApi::Anthropic => RequestForm::plainer_messages,
        };
        self.learnt.send(request, plainer, once).await
    }

    /// An answer showed that the schema was not kept to, so that it is asked for in another way from now on. Messages
    /// have no other way: the schema is that of a tool.
    pub(super) fn schema_was_ignored(&self) {
        if self.endpoint.api == ModelApi::OpenAi {
            self.learnt.remember(RequestForm {
                shape: SchemaSupport::Object,
                ..RequestForm::default()
            });
        }
    }

    async fn once(
        &self,
        form: RequestForm,
        request: &ModelRequest,
        attempt: &CallAttempt,
    ) -> Result<Completion, AttemptError> {
        let sent = self.http_request(form, request, attempt);
        let opened = self.client.open(attempt, sent).await?;
        let reading = AnswerReader {
            request,
            key: self.endpoint.key.as_ref(),
            take: match self.endpoint.api {
                ModelApi::OpenAi => openai::take,
                ModelApi::Anthropic => anthropic::take,
            },
        };
        let mut completion = reading.read(opened).await?;
        if was_cut(request, &completion.usage) {
            return Err(too_long());
        }
        if let (ModelApi::Anthropic, AnswerFormat::Schema { name, .. }) =
            (self.endpoint.api, &request.format)
        {
            anthropic::unwrap_answer(&mut completion, name);
        }
        Ok(completion)
    }

    fn http_request(
        &self,
        form: RequestForm,
        request: &ModelRequest,
        attempt: &CallAttempt,
    ) -> HttpRequest {
        let ModelEndpoint { address, key, .. } = &self.endpoint;
        // Without a stream the answer begins when it is complete.
        let first_byte = if form.stream {
            self.endpoint.first_byte
        } else {
            attempt.time_limit
        };
        let post = |path: &[&str], body| {
            let url = address.join(path.iter().copied());
            let sent = HttpRequest::post(url, &OrderedJson::new(&body), first_byte);
            sent.pausing(self.endpoint.idle)
        };
        match self.endpoint.api {
            ModelApi::OpenAi => {
                let body = openai::body(&self.model, form, request);
                post(&["chat", "completions"], body).bearer(key.as_ref())
            }
            ModelApi::Anthropic => {
                let body = anthropic::body(&self.model, form, request);
                let (name, version) = ANTHROPIC_VERSION;
                let sent = post(&["messages"], body).key_header("x-api-key", key.as_ref());
                sent.header(name, version)
            }
        }
    }
}

/// Whether the server read less than it was sent. Ollama cuts a prompt to the model's window without a word, and then
/// counts exactly the window: a round number, well below what the prompt must have.
fn was_cut(request: &ModelRequest, usage: &TokenUsage) -> bool {
    let read = usage.input;
    let is_window = read >= WINDOW_LEAST && read.is_multiple_of(WINDOW_STEP);
    !usage.estimated && is_window && request.estimate_tokens() >= read + read / 2
}

/// The error that a server gives which says so itself.
fn too_long() -> AttemptError {
    let body = br#"{"error": {"code": "context_length_exceeded"}}"#;
    FailedResponse::new(400, ResponseHeaders::default(), body).into()
}
