//! What every outside call of a run shares: it must end before the run does, and its retries are told to who watches.

use std::time::Duration;

use fathom_providers::Clock;
use fathom_providers::call::{CallContext, CallEvent, CallKind, CallSink, NextAction};
use fathom_workflow::Call;

use crate::reasoner::Ctx;

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
