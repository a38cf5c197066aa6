//! Finds the form that an endpoint understands, and remembers it.
//!
//! Each refusal teaches (`form.rs`), and the request is sent again at once in another form; this is part of one
//! attempt, and happens once for an endpoint and model.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec;

use super::completion::Completion;
use super::form::{Form, Lesson};
use super::request::Request;
use crate::call::Fault;

/// Requests that one attempt may cost while the form is found: more than there are forms.
const TRIES_MAX: usize = 16;

#[derive(Default)]
pub(super) struct Learnt(Mutex<State>);

#[derive(Clone, Copy, Default)]
struct State {
    form: Form,
    /// Plainer forms were tried in vain: a refusal that names nothing is not the form's fault.
    in_vain: bool,
}

impl Learnt {
    /// Sends the request, in plainer forms if it is refused. `plainer` lists those worth trying.
    pub(super) async fn send<F, Fut>(
        &self,
        request: &Request,
        plainer: fn(Form, &Request) -> Vec<Form>,
        send: F,
    ) -> Result<Completion, Fault>
    where
        F: Fn(Form) -> Fut,
        Fut: Future<Output = Result<Completion, Fault>>,
    {
        let State { mut form, in_vain } = *self.state();
        let mut guesses: Option<(Fault, vec::IntoIter<Form>)> = None;
        for _ in 0..TRIES_MAX {
            let fault = match send(form).await {
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
                        guesses.get_or_insert_with(|| (fault, plainer(form, request).into_iter()));
                    let Some(next) = forms.next() else {
                        self.state().in_vain = true;
                        return Err(first.clone());
                    };
                    next
                }
                Lesson::Unnamed | Lesson::None => return Err(fault),
            };
        }
        Err(Fault::Bug)
    }

    /// Adds a lesson to those that were learnt.
    pub(super) fn remember(&self, form: Form) {
        let mut state = self.state();
        let both = state.form.and(form);
        if both != state.form {
            tracing::info!(form = ?both, "a model's endpoint understands only a plainer form");
        }
        *state = State {
            form: both,
            in_vain: false,
        };
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
