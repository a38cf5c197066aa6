//! Puts a request to the models and records the answer: paid once, whatever happens after.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fathom_providers::FailureCategory;
use fathom_providers::call::CallKind;
use fathom_providers::model::{
    ASKS_MAX, ModelError, ModelRequest, ModelRole, ModelSpending, TextListener,
};
use fathom_workflow::EffectCall;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ModelReasoner;
use super::reserve::Amount;
use crate::calls::{self, RecordedFailure, retries, terms};
use crate::reasoner::{Ctx, ReasonerError};
use crate::settings::Caps;
use crate::skills::budget;

/// A prompt too long for the model is cut so many times, each time in another way.
pub(super) const CUTS_MOST: u8 = 3;

/// Finds the parts of an answer, of which the last may be missing yet, that are worth telling.
pub(super) type FindParts = fn(&str) -> Vec<String>;

/// One judgement to ask for.
pub(super) struct ModelCall<'a> {
    pub(super) role: ModelRole,
    /// The same whenever the step is run again, and no other in the step.
    pub(super) key: String,
    pub(super) caps: &'a Caps,
}

impl ModelReasoner {
    /// Asks for a value, once, or gives its recorded answer; `request` writes the prompt with so many cuts.
    pub(super) async fn typed<T>(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, ReasonerError> + Send,
    ) -> Result<T, ReasonerError>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    {
        self.typed_aloud(ctx, asking, None, request).await
    }

    /// The same; what `parts` finds in an answer that is still being written is told to who watches the run.
    pub(super) async fn typed_aloud<T>(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        parts: Option<FindParts>,
        request: impl Fn(u8) -> Result<ModelRequest, ReasonerError> + Send,
    ) -> Result<T, ReasonerError>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    {
        let mut cuts = 0;
        // Bounded by `CUTS_MOST`.
        loop {
            let request = request(cuts)?;
            let call = |call: EffectCall| {
                let listener = parts.map(|parts| told_by(&call, parts));
                let request = ModelRequest {
                    listener,
                    ..request.clone()
                };
                self.call::<T>(ctx, asking, request, call)
            };
            match calls::recorded(ctx, key(asking, cuts), call).await? {
                Ok(value) => {
                    self.window.learn(cuts);
                    return Ok(value);
                }
                Err(failure)
                    if failure.category == FailureCategory::ContextOverflow && cuts < CUTS_MOST =>
                {
                    cuts += 1;
                    self.overflows.note(ctx, key(asking, cuts), cuts, failure);
                }
                Err(failure) => return Err(ReasonerError::Failed(failure)),
            }
        }
    }

    /// One call, if the caps leave room for it.
    async fn call<T>(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        request: ModelRequest,
        call: EffectCall,
    ) -> Result<T, RecordedFailure>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    {
        let estimate = self.models.estimate(asking.role, &request);
        let most = Amount::from(&estimate).times(ASKS_MAX);
        let reserved = self.reservations.reserve(ctx, asking.caps, most).await;
        let _reserved = reserved.ok_or_else(cap_reached)?;
        let sink = retries(&call);
        let mut terms = terms(ctx, &*self.clock, CallKind::Model, &sink);
        let begun = self.clock.elapsed();
        let left = terms.deadline.saturating_sub(begun);
        let usage = estimate.usage;
        let limit = self.meter.limit(usage.input, usage.output, left);
        terms.deadline = begun.saturating_add(limit);
        let asked = self.models.ask_typed::<T>(asking.role, &request, &terms);
        let (answer, spent) = match asked.await {
            Ok(typed) => (Ok(typed.value), typed.spent),
            Err(error) => {
                let spent = *error.spent();
                (Err(error), spent)
            }
        };
        self.measure(&answer, &spent, self.clock.elapsed().saturating_sub(begun));
        call.spend(budget::TOKENS_WRITTEN, spent.usage.output);
        let spent = Amount::from(&spent);
        call.spend(budget::TOKENS, spent.tokens);
        if spent.picos > 0 {
            call.spend(budget::COST_PICOS, spent.picos);
        }
        answer.map_err(|error| failure(&error))
    }

    fn measure<T>(&self, answer: &Result<T, ModelError>, spent: &ModelSpending, took: Duration) {
        match answer {
            Err(error) if error.category() == FailureCategory::Timeout => self.meter.given_up(),
            _ if spent.answers > 0 => self.meter.answered(&spent.usage, took),
            _ => {}
        }
    }
}

/// Tells each part of an answer once, as it is complete.
fn told_by(call: &EffectCall, parts: FindParts) -> TextListener {
    let (call, told) = (call.clone(), AtomicUsize::new(0));
    TextListener::new(move |so_far| {
        let all = parts(so_far);
        let before = told.fetch_max(all.len(), Ordering::Relaxed);
        for part in all.into_iter().skip(before) {
            call.progressed(part);
        }
    })
}

fn cap_reached() -> RecordedFailure {
    RecordedFailure::not_set_up(
        "the run's cap on tokens or money is reached; raise it to use the model further",
    )
}

fn key(asking: &ModelCall<'_>, cuts: u8) -> String {
    match cuts {
        0 => asking.key.clone(),
        cuts => format!("{}/cut/{cuts}", asking.key),
    }
}

fn failure(error: &ModelError) -> RecordedFailure {
    match error {
        ModelError::Call { exhausted, .. } => RecordedFailure::from(exhausted),
        ModelError::Unreadable { spent, .. } | ModelError::Refused { spent, .. } => {
            RecordedFailure {
                attempts: spent.answers,
                ..RecordedFailure::once(error.category(), error)
            }
        }
    }
}
