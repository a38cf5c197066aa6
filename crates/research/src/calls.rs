//! What every outside call of a run shares: it must end before the run does, and its retries are told to who watches.

use std::time::Duration;

use fathom_providers::call::{
    CallContext, CallEvent, CallKind, CallSink, ChainExhausted, NextAction,
};
use fathom_providers::{Clock, FailureCategory};
use fathom_workflow::Call;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::reasoner::Ctx;
use crate::state::ErrorEntry;

/// Why an outside call of a run gave nothing, as the run records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFailure {
    /// What kind of failure it was.
    pub category: FailureCategory,
    /// How often the call was tried, over all providers.
    pub attempts: u32,
    /// What happened and what to do about it, in a sentence.
    pub message: String,
    /// When the first provider is worth asking again, where one said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
}

impl RecordedFailure {
    /// A call that was tried once.
    pub(crate) fn once(category: FailureCategory, message: impl ToString) -> Self {
        Self {
            category,
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

    /// The failure as the run's error log has it.
    pub(crate) fn logged(self, ctx: &Ctx) -> ErrorEntry {
        ErrorEntry {
            node: ctx.node().to_owned(),
            at: ctx.now(),
            category: self.category.to_string(),
            attempts: self.attempts,
            message: self.message,
        }
    }
}

impl From<&ChainExhausted> for RecordedFailure {
    fn from(exhausted: &ChainExhausted) -> Self {
        let decisive = exhausted.decisive();
        Self {
            category: decisive.map_or(FailureCategory::Validation, |failure| failure.category),
            attempts: exhausted.tried.iter().map(|failure| failure.attempts).sum(),
            message: exhausted.to_string(),
            wake_at: exhausted.wake_at(),
        }
    }
}

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
    CallContext {
        kind,
        deadline: clock.elapsed().saturating_add(left),
        sink,
    }
}

/// Tells the run's watchers of every attempt that is made again.
pub(crate) fn retries(call: &Call) -> impl Fn(CallEvent) + Send + Sync + use<> {
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
