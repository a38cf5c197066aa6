//! Chat completions, as OpenAI and most others serve them.
//!
//! Takes a request, writes it in the form that this endpoint understands (`form.rs`, `write.rs`), and reads a
//! stream or a whole reply (`read.rs`). An endpoint that refuses part of the form is asked again at once, plainer;
//! what it taught is kept.

mod read;
mod write;

pub(super) use write::rounded;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec;

use async_trait::async_trait;

use super::answer::Reading;
use super::form::{Form, Lesson, Shape};
use super::{Completion, Endpoint, Model, Progress, Request};
use crate::Client;
use crate::call::{Attempt, Fault};
use crate::client;

/// Requests that one attempt may cost while the form is found: more than there are forms.
const TRIES_MAX: usize = 16;

pub struct OpenAi {
    client: Client,
    endpoint: Endpoint,
    model: String,
    learnt: Mutex<Learnt>,
}

#[derive(Clone, Copy, Default)]
struct Learnt {
    form: Form,
    /// Plainer forms were tried in vain: a refusal that names nothing is not the form's fault.
    in_vain: bool,
}

impl OpenAi {
    pub fn new(client: Client, endpoint: Endpoint, model: &str) -> Self {
        Self {
            client,
            endpoint,
            model: model.to_owned(),
            learnt: Mutex::default(),
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

    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, form: Form) {
        let mut learnt = self.learnt();
        if learnt.form.and(form) != learnt.form {
            tracing::info!(
                endpoint = self.endpoint.name,
                model = self.model,
                ?form,
                "learnt"
            );
        }
        learnt.form = learnt.form.and(form);
        learnt.in_vain = false;
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
        let Learnt { mut form, in_vain } = *self.learnt();
        let mut plainer: Option<(Fault, vec::IntoIter<Form>)> = None;
        for _ in 0..TRIES_MAX {
            let fault = match self.once(form, request, attempt, progress).await {
                Ok(completion) => {
                    self.remember(form);
                    return Ok(completion);
                }
                Err(fault) => fault,
            };
            form = match form.lesson(&fault, request) {
                Lesson::Use(form) => form,
                Lesson::Unnamed if !in_vain => {
                    let (first, forms) =
                        plainer.get_or_insert_with(|| (fault, form.plainer(request).into_iter()));
                    let Some(next) = forms.next() else {
                        self.learnt().in_vain = true;
                        return Err(first.clone());
                    };
                    next
                }
                Lesson::Unnamed | Lesson::None => return Err(fault),
            };
        }
        Err(Fault::Bug)
    }

    fn schema_was_ignored(&self) {
        let learnt = self.learnt().form;
        let form = Form {
            shape: Shape::Object,
            ..learnt
        };
        self.remember(form);
    }
}
