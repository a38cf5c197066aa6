//! What every outside call of a run shares: it must end before the run does, and its retries are told to who watches.

use std::time::Duration;

use fathom_providers::call::{
    CallContext, CallEvent, CallKind, CallSink, ChainExhausted, NextAction,
};
use fathom_providers::{CallFailure, Clock, FailureCategory, FailureSeverity};
use fathom_workflow::event::Level;
use fathom_workflow::interrupt::ParkOutcome;
use fathom_workflow::{EffectCall, StepHalted};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::reasoner::Ctx;

/// Why an outside call of a run gave nothing, as the run records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFailure {
    /// What kind of failure it was.
    pub category: FailureCategory,
    /// What it means for the run.
    #[serde(default)]
    pub severity: FailureSeverity,
    /// How often the call was tried, over all providers.
    pub attempts: u32,
    /// What happened and what to do about it, in a sentence.
    pub message: String,
    /// When to ask again, where every provider asks to be left alone until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
}

impl RecordedFailure {
    /// A call that was tried once.
    pub(crate) fn once(category: FailureCategory, message: impl ToString) -> Self {
        Self {
            category,
            severity: FailureSeverity::Degraded,
            attempts: 1,
            message: message.to_string(),
            wake_at: None,
        }
    }

    /// A call that could not be made, because nothing is configured for it.
    pub(crate) fn not_set_up(message: &str) -> Self {
        Self {
            attempts: 0,
            ..Self::once(FailureCategory::Validation, message)
        }
    }
}

impl From<&ChainExhausted> for RecordedFailure {
    fn from(exhausted: &ChainExhausted) -> Self {
        let decisive = exhausted.decisive();
        let asks = |failure: &CallFailure| failure.category == FailureCategory::RateLimit;
        let asked_to_wait = exhausted.tried.iter().all(asks);
        Self {
            category: decisive.map_or(FailureCategory::Validation, |failure| failure.category),
            severity: decisive.map_or(FailureSeverity::Degraded, |failure| failure.severity),
            attempts: exhausted.tried.iter().map(|failure| failure.attempts).sum(),
            message: exhausted.to_string(),
            // Others than those who ask for it are not waited for: a failure does not pass by waiting.
            wake_at: exhausted.wake_at().filter(|_| asked_to_wait),
        }
    }
}

/// Times that one call is waited for. The engine bounds the waits of a step besides.
const WAITS_MOST: u32 = 3;

/// Makes a recorded call. Where every provider asks to be left alone for a while, the run is parked until then, and the
/// call is made again; where that lies beyond the run's deadline, the failure stands.
pub(crate) async fn recorded<T, F, Fut>(
    ctx: &Ctx,
    key: String,
    call: F,
) -> Result<Result<T, RecordedFailure>, StepHalted>
where
    T: Serialize + DeserializeOwned,
    F: Fn(EffectCall) -> Fut,
    Fut: Future<Output = Result<T, RecordedFailure>>,
{
    let mut nth = 0;
    // Bounded by `WAITS_MOST`.
    loop {
        let key = match nth {
            0 => key.clone(),
            nth => format!("{key}/after-wait/{nth}"),
        };
        let answer = ctx.effect(key.clone(), &call).await?;
        if let Err(failure) = &answer
            && failure.category == FailureCategory::ContextOverflow
        {
            // What is done about it is the caller's affair, and may succeed; that it came to this is kept.
            ctx.log(Level::Warn, format!("{key}: {}", failure.message));
        }
        let wait = match &answer {
            Err(RecordedFailure {
                wake_at: Some(at),
                message,
                ..
            }) if nth < WAITS_MOST => (*at, message.clone()),
            _ => return Ok(answer),
        };
        match ctx
            .park_until(format!("{key}/wait"), wait.0, wait.1)
            .await?
        {
            ParkOutcome::Woken => nth += 1,
            ParkOutcome::PastDeadline | ParkOutcome::TooManyParks => return Ok(answer),
        }
    }
}

/// The share of the time left that one search or page may take: who hangs must leave time to answer from the rest.
const SEARCH_SHARE: f64 = 0.85;

/// The terms of a call within the run's time.
pub(crate) fn terms<'s>(
    ctx: &Ctx,
    clock: &dyn Clock,
    kind: CallKind,
    sink: &'s dyn CallSink,
) -> CallContext<'s> {
    let left = ctx.deadline().map(|end| end.duration_since(clock.now()));
    let left = left.map_or(Duration::MAX, |left| {
        Duration::try_from(left).unwrap_or_default()
    });
    let left = match kind {
        CallKind::Model => left,
        CallKind::Search | CallKind::Page if left == Duration::MAX => left,
        CallKind::Search | CallKind::Page => left.mul_f64(SEARCH_SHARE),
    };
    CallContext {
        kind,
        deadline: clock.elapsed().saturating_add(left),
        sink,
    }
}

/// Tells the run's watchers of every attempt that is made again.
pub(crate) fn retries(call: &EffectCall) -> impl Fn(CallEvent) + Send + Sync + use<> {
    let call = call.clone();
    move |event| {
        if let NextAction::Retry { wait_ms } = event.then {
            let cause = event.class.map(|class| class.cause);
            let cause = cause.and_then(|cause| serde_json::to_value(cause).ok());
            let cause = cause
                .as_ref()
                .and_then(|cause| cause.as_str())
                .unwrap_or("failure");
            let why = format!("{}: {cause}", event.provider);
            call.retried(event.attempt, Duration::from_millis(wait_ms), why);
        }
    }
}
