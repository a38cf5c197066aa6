//! Puts a request to the models and records the answer: paid once, whatever happens after.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_providers::FailureCategory;
use fathom_providers::call::{CallContext, CallKind};
use fathom_providers::model::{
    FinishReason, ModelError, ModelRequest, ModelRole, ModelSpending, Models, without_thoughts,
};
use fathom_workflow::{Call, RunId};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Model;
use crate::budget;
use crate::calls::{retries, terms};
use crate::reasoner::{Ctx, Unable};
use crate::settings::Caps;

/// A prompt too long for the model is cut so many times, each time in another way.
pub(super) const CUTS_MOST: u8 = 3;

/// What is recorded of an answer that did not come.
#[derive(Debug, Serialize, Deserialize)]
struct Why {
    category: FailureCategory,
    attempts: u32,
    message: String,
}

/// One judgement to ask for.
pub(super) struct Asking<'a> {
    pub(super) role: ModelRole,
    /// The same whenever the step is run again, and no other in the step.
    pub(super) key: String,
    pub(super) caps: &'a Caps,
}

/// A way to put a request, and what comes of it.
trait Form {
    type Value: Serialize + DeserializeOwned + Send;

    fn ask(
        models: &Models,
        role: ModelRole,
        request: &ModelRequest,
        terms: &CallContext<'_>,
    ) -> impl Future<Output = (Result<Self::Value, ModelError>, ModelSpending)> + Send;
}

/// A value by its schema.
struct Typed<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned + JsonSchema + Send> Form for Typed<T> {
    type Value = T;

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

struct Prose;

impl Form for Prose {
    type Value = String;

    async fn ask(
        models: &Models,
        role: ModelRole,
        request: &ModelRequest,
        terms: &CallContext<'_>,
    ) -> (Result<String, ModelError>, ModelSpending) {
        let served = match models.ask(role, request, terms, None).await {
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

impl Model {
    /// Asks for a value; `request` writes the prompt with so many cuts.
    pub(super) async fn typed<T>(
        &self,
        ctx: &Ctx,
        asking: &Asking<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, Unable> + Send,
    ) -> Result<T, Unable>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        self.recorded::<Typed<T>>(ctx, asking, request).await
    }

    /// Asks for prose.
    pub(super) async fn text(
        &self,
        ctx: &Ctx,
        asking: &Asking<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, Unable> + Send,
    ) -> Result<String, Unable> {
        self.recorded::<Prose>(ctx, asking, request).await
    }

    /// Makes the call once, or gives its recorded answer; cuts the prompt where it was too long.
    async fn recorded<F: Form>(
        &self,
        ctx: &Ctx,
        asking: &Asking<'_>,
        request: impl Fn(u8) -> Result<ModelRequest, Unable> + Send,
    ) -> Result<F::Value, Unable> {
        let mut cuts = 0;
        // Bounded by `CUTS_MOST`.
        loop {
            let request = request(cuts)?;
            let answer: Result<F::Value, Why> = ctx
                .effect(key(asking, cuts), |call| async move {
                    // Under a cap, calls are made one after another: of several at once, each would find room.
                    let turn = self.meter.turn(ctx, asking.caps);
                    let _turn = match turn {
                        Some(turn) => Some(turn.lock_owned().await),
                        None => None,
                    };
                    self.affordable(ctx, asking.caps)?;
                    let sink = retries(&call);
                    let terms = terms(ctx, &*self.clock, CallKind::Model, &sink);
                    let (answer, spent) = F::ask(&self.models, asking.role, &request, &terms).await;
                    self.spend(ctx, &call, &spent);
                    answer.map_err(|error| why(&error))
                })
                .await?;
            match answer {
                Ok(value) => return Ok(value),
                Err(why)
                    if why.category == FailureCategory::ContextOverflow && cuts < CUTS_MOST =>
                {
                    cuts += 1;
                }
                Err(why) => return Err(why.into()),
            }
        }
    }

    /// Whether the caps leave room for one more call. They are passed by one call at most.
    fn affordable(&self, ctx: &Ctx, caps: &Caps) -> Result<(), Why> {
        let (tokens, picos) = self.meter.spent(ctx);
        let over = |cap: Option<u64>, spent: u64| cap.is_some_and(|cap| spent >= cap);
        if over(caps.tokens, tokens) || over(caps.cost_picos(), picos) {
            return Err(Why {
                category: FailureCategory::Validation,
                attempts: 0,
                message:
                    "the run's cap on tokens or money is reached; raise it to use the model further"
                        .to_owned(),
            });
        }
        Ok(())
    }

    fn spend(&self, ctx: &Ctx, call: &Call, spent: &ModelSpending) {
        let tokens = spent.usage.input.saturating_add(spent.usage.output);
        let picos = spent.cost.map_or(0, |cost| cost.0);
        call.spend(budget::TOKENS, tokens);
        if picos > 0 {
            call.spend(budget::COST_PICOS, picos);
        }
        self.meter.add(ctx, tokens, picos);
    }
}

fn key(asking: &Asking<'_>, cuts: u8) -> String {
    match cuts {
        0 => asking.key.clone(),
        cuts => format!("{}/cut/{cuts}", asking.key),
    }
}

fn why(error: &ModelError) -> Why {
    let attempts = match error {
        ModelError::Call { exhausted, .. } => {
            exhausted.tried.iter().map(|failure| failure.attempts).sum()
        }
        ModelError::Unreadable { spent, .. } | ModelError::Refused { spent, .. } => spent.answers,
    };
    Why {
        category: error.category(),
        attempts,
        message: error.to_string(),
    }
}

impl From<Why> for Unable {
    fn from(why: Why) -> Self {
        let category = serde_json::to_value(why.category).ok();
        let category = category
            .as_ref()
            .and_then(|value| value.as_str())
            .unwrap_or("internal");
        Self::Failed {
            category: category.to_owned(),
            attempts: why.attempts,
            message: why.message,
        }
    }
}

/// Runs whose spending is kept in mind at once.
const RUNS_MOST: usize = 4_096;

/// What the step under way has spent: the engine counts it only when the step is recorded.
#[derive(Default)]
pub(super) struct Meter(Mutex<HashMap<RunId, Spending>>);

#[derive(Default)]
struct Spending {
    step: u64,
    tokens: u64,
    picos: u64,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Meter {
    /// Whose turn it is to call, where a cap is set on what calls spend.
    fn turn(&self, ctx: &Ctx, caps: &Caps) -> Option<Arc<tokio::sync::Mutex<()>>> {
        if caps.tokens.is_none() && caps.cost_micros.is_none() {
            return None;
        }
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&now.entry(ctx.run()).or_default().turn))
    }

    fn spent(&self, ctx: &Ctx) -> (u64, u64) {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (tokens, picos) = match now.get(&ctx.run()) {
            Some(spending) if spending.step == ctx.step() => (spending.tokens, spending.picos),
            _ => (0, 0),
        };
        (
            ctx.spent(budget::TOKENS) + tokens,
            ctx.spent(budget::COST_PICOS) + picos,
        )
    }

    fn add(&self, ctx: &Ctx, tokens: u64, picos: u64) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.len() >= RUNS_MOST {
            now.clear();
        }
        let entry = now.entry(ctx.run()).or_default();
        if entry.step != ctx.step() {
            (entry.step, entry.tokens, entry.picos) = (ctx.step(), 0, 0);
        }
        entry.tokens += tokens;
        entry.picos += picos;
    }
}
