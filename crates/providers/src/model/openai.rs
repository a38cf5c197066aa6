//! Chat completions, as OpenAI and most others serve them.
//!
//! Takes a request, writes it in the form that this endpoint understands (`write.rs`), and reads a stream or a
//! whole reply (`read.rs`).

mod read;
mod write;

pub(super) use write::rounded;

use async_trait::async_trait;

use super::answer::AnswerReader;
use super::form::{RequestForm, SchemaSupport};
use super::learn::LearntForm;
use super::schema::OrderedJson;
use super::{AnswerProgress, Completion, ModelClient, ModelEndpoint, ModelRequest};
use crate::HttpClient;
use crate::call::{AttemptError, CallAttempt};
use crate::client;

pub(super) struct OpenAi {
    client: HttpClient,
    endpoint: ModelEndpoint,
    model: String,
    learnt: LearntForm,
}

impl OpenAi {
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
        let url = self.endpoint.address.join(["chat", "completions"]);
        // Without a stream the answer begins when it is complete.
        let first_byte = if form.stream {
            self.endpoint.first_byte
        } else {
            attempt.time_limit
        };
        let key = self.endpoint.key.as_ref();
        let sent = client::HttpRequest::post(url, &OrderedJson::new(&body), first_byte).bearer(key);
        let opened = self.client.open(attempt, sent).await?;
        let reading = AnswerReader {
            request,
            key,
            progress,
            take: read::take,
        };
        reading.read(opened).await
    }
}

#[async_trait]
impl ModelClient for OpenAi {
    async fn complete(
        &self,
        request: &ModelRequest,
        attempt: &CallAttempt,
        progress: Option<&dyn AnswerProgress>,
    ) -> Result<Completion, AttemptError> {
        let once = |form| self.once(form, request, attempt, progress);
        self.learnt
            .send(request, RequestForm::plainer_chats, once)
            .await
    }

    fn schema_was_ignored(&self) {
        self.learnt.remember(RequestForm {
            shape: SchemaSupport::Object,
            ..RequestForm::default()
        });
    }
}
