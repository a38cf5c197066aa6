//! Chat completions, as OpenAI and most others serve them.
//!
//! Takes a request, writes it in the form that this endpoint understands (`write.rs`), and reads a stream or a
//! whole reply (`read.rs`).

mod read;
mod write;

pub(super) use write::rounded;

use async_trait::async_trait;

use super::answer::Reading;
use super::form::{Form, Shape};
use super::learn::Learnt;
use super::{Completion, Endpoint, Model, Progress, Request};
use crate::Client;
use crate::call::{Attempt, Fault};
use crate::client;

pub(super) struct OpenAi {
    client: Client,
    endpoint: Endpoint,
    model: String,
    learnt: Learnt,
}

impl OpenAi {
    pub(super) fn new(client: Client, endpoint: Endpoint, model: &str) -> Self {
        Self {
            client,
            endpoint,
            model: model.to_owned(),
            learnt: Learnt::default(),
        }
    }

    async fn once(
        &self,
        form: Form,
        request: &Request,
        attempt: &Attempt,
        progress: Option<&dyn Progress>,
    ) -> Result<Completion, Fault> {
        let body = write::body(&self.model, form, request);
        let url = self.endpoint.address.join(["chat", "completions"]);
        // Without a stream the answer begins when it is complete.
        let first_byte = if form.stream {
            self.endpoint.first_byte
        } else {
            attempt.time_limit
        };
        let key = self.endpoint.key.as_ref();
        let sent = client::Request::post(url, &body, first_byte).bearer(key);
        let opened = self.client.open(attempt, sent).await?;
        let reading = Reading {
            request,
            key,
            progress,
            take: read::take,
        };
        reading.read(opened).await
    }
}

#[async_trait]
impl Model for OpenAi {
    async fn complete(
        &self,
        request: &Request,
        attempt: &Attempt,
        progress: Option<&dyn Progress>,
    ) -> Result<Completion, Fault> {
        let once = |form| self.once(form, request, attempt, progress);
        self.learnt.send(request, Form::plainer_chats, once).await
    }

    fn schema_was_ignored(&self) {
        self.learnt.remember(Form {
            shape: Shape::Object,
            ..Form::default()
        });
    }
}
