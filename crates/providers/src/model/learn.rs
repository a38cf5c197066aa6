//! Finds the form that an endpoint understands, and remembers it.
//!
//! Each refusal teaches (`form.rs`), and the request is sent again at once in another form; this is part of one
//! attempt, and happens once for an endpoint and model.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec;

use super::completion::Completion;
use super::form::{FormLesson, RequestForm};
use super::request::ModelRequest;
use crate::call::AttemptError;

/// Requests that one attempt may cost while the form is found: more than there are forms.
const TRIES_MAX: usize = 16;

#[derive(Default)]
pub(super) struct LearntForm(Mutex<LearntState>);

#[derive(Clone, Copy, Default)]
struct LearntState {
    form: RequestForm,
    /// Plainer forms were tried in vain: a refusal that names nothing is not the form's fault.
    in_vain: bool,
}

impl LearntForm {
    /// Sends the request, in plainer forms if it is refused. `plainer` lists those worth trying.
    pub(super) async fn send<F, Fut>(
        &self,
        request: &ModelRequest,
        plainer: fn(RequestForm, &ModelRequest) -> Vec<RequestForm>,
        send: F,
    ) -> Result<Completion, AttemptError>
    where
        F: Fn(RequestForm) -> Fut,
        Fut: Future<Output = Result<Completion, AttemptError>>,
    {
        let LearntState { mut form, in_vain } = *self.state();
        let mut guesses: Option<(AttemptError, vec::IntoIter<RequestForm>)> = None;
        for _ in 0..TRIES_MAX {
            let fault = match send(form).await {
                Ok(completion) => {
                    self.remember(form);
                    return Ok(completion);
                }
                Err(fault) => fault,
            };
            form = match form.lesson(&fault, request) {
                FormLesson::Use(form) => form,
                FormLesson::Unnamed if !in_vain => {
                    let (first, forms) =
                        guesses.get_or_insert_with(|| (fault, plainer(form, request).into_iter()));
                    let Some(next) = forms.next() else {
                        self.state().in_vain = true;
                        return Err(first.clone());
                    };
                    next
                }
                FormLesson::Unnamed | FormLesson::None => return Err(fault),
            };
        }
        Err(AttemptError::Bug)
    }

    /// Adds a lesson to those that were learnt.
    pub(super) fn remember(&self, form: RequestForm) {
        let mut state = self.state();
        let both = state.form.and(form);
        if both != state.form {
            tracing::info!(form = ?both, "a model's endpoint understands only a plainer form");
        }
        *state = LearntState {
            form: both,
            in_vain: false,
        };
    }

    fn state(&self) -> MutexGuard<'_, LearntState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
