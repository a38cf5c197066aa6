//! Puts a request to the models and records the answer: paid once, whatever happens after.

use std::marker::PhantomData;

use fathom_providers::FailureCategory;
use fathom_providers::call::{CallContext, CallKind};
use fathom_providers::model::{
    ASKS_MAX, FinishReason, ModelError, ModelRequest, ModelRole, ModelSpending, Models,
    without_thoughts,
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

/// One judgement to ask for.
pub(super) struct ModelCall<'a> {
    pub(super) role: ModelRole,
    /// The same whenever the step is run again, and no other in the step.
    pub(super) key: String,
    pub(super) caps: &'a Caps,
}

/// A way to put a request, and what comes of it.
trait ReplyForm {
    type Value: Serialize + DeserializeOwned + Send;

    /// How often the model may be asked within one call: what the caps must have room for.
    const ANSWERS_MOST: u32;

    fn ask(
        models: &Models,
        role: ModelRole,
        request: &ModelRequest,
        terms: &CallContext<'_>,
    ) -> impl Future<Output = (Result<Self::Value, ModelError>, ModelSpending)> + Send;
}

/// A value by its schema.
struct TypedReply<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned + JsonSchema + Send> ReplyForm for TypedReply<T> {
    type Value = T;
    const ANSWERS_MOST: u32 = ASKS_MAX;

    async fn ask(
        models: &Models,
        role: ModelRole,
        request: &ModelRequest,
        terms: &CallContext<'_>,
    ) -> (Result<T, ModelError>, ModelSpending) {
        match models.ask_typed::<T>(role, request, terms).await {
            Ok(typed) => (Ok(typed.value), typed.spent),
            Err(error) => {
                let spent = *error.spent();
                (Err(error), spent)
            }
        }
    }
}

struct ProseReply;

impl ReplyForm for ProseReply {
    type Value = String;
    const ANSWERS_MOST: u32 = 1;

    async fn ask(
        models: &Models,
        role: ModelRole,
        request: &ModelRequest,
        terms: &CallContext<'_>,
    ) -> (Result<String, ModelError>, ModelSpending) {
        let served = match models.ask(role, request, terms).await {
            Ok(served) => served,
            Err(exhausted) => {
                let spent = ModelSpending::default();
                return (Err(ModelError::Call { exhausted, spent }), spent);
            }
        };
        let spent = ModelSpending {
            usage: served.value.usage,
            cost: served.value.cost,
            answers: 1,
        };
        match served.value.finish {
            FinishReason::Refused => (
                Err(ModelError::Refused {
                    by: served.by,
                    spent,
                }),
                spent,
            ),
            FinishReason::Stop
            | FinishReason::Length
            | FinishReason::ToolCalls
            | FinishReason::Unsaid => {
                (Ok(without_thoughts(&served.value.text).into_owned()), spent)
            }
        }
    }
}

impl ModelReasoner {
    /// Asks for a value; `request` writes the prompt with so many cuts.
    pub(super) async fn typed<T>(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, ReasonerError> + Send,
    ) -> Result<T, ReasonerError>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        self.recorded::<TypedReply<T>>(ctx, asking, request).await
    }

    /// Asks for prose.
    pub(super) async fn text(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, ReasonerError> + Send,
    ) -> Result<String, ReasonerError> {
        self.recorded::<ProseReply>(ctx, asking, request).await
    }

    /// Makes the call once, or gives its recorded answer; cuts the prompt where it was too long.
    async fn recorded<F: ReplyForm>(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, ReasonerError> + Send,
    ) -> Result<F::Value, ReasonerError> {
        let mut cuts = 0;
        // Bounded by `CUTS_MOST`.
        loop {
            let request = request(cuts)?;
            let call = |call: EffectCall| self.call::<F>(ctx, asking, &request, call);
            match calls::recorded(ctx, key(asking, cuts), call).await? {
                Ok(value) => {
                    self.window.learn(cuts);
                    return Ok(value);
                }
                Err(failure)
                    if failure.category == FailureCategory::ContextOverflow && cuts < CUTS_MOST =>
                {
                    cuts += 1;
                }
                Err(failure) => return Err(ReasonerError::Failed(failure)),
            }
        }
    }

    /// One call, if the caps leave room for it.
    async fn call<F: ReplyForm>(
        &self,
        ctx: &Ctx,
        asking: &ModelCall<'_>,
        request: &ModelRequest,
        call: EffectCall,
    ) -> Result<F::Value, RecordedFailure> {
        let estimate = self.models.estimate(asking.role, request);
        let most = Amount::from(&estimate).times(F::ANSWERS_MOST);
        let reserved = self.reservations.reserve(ctx, asking.caps, most).await;
        let _reserved = reserved.ok_or_else(cap_reached)?;
        let sink = retries(&call);
        let terms = terms(ctx, &*self.clock, CallKind::Model, &sink);
        let (answer, spent) = F::ask(&self.models, asking.role, request, &terms).await;
        let spent = Amount::from(&spent);
        call.spend(budget::TOKENS, spent.tokens);
        if spent.picos > 0 {
            call.spend(budget::COST_PICOS, spent.picos);
        }
        answer.map_err(|error| failure(&error))
    }
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
