//! The task that renews leases cannot die unseen, and a lapsed lease stops the work.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::*;
use kit::faulty::{CountedOps, StoreFault};
use kit::*;

/// Makes a call that never answers.
const STUCK: Script = |_, ctx| {
    Box::pin(async move {
        ctx.effect("call", |_| ctx.deps().ask("call")).await?;
        Ok("done".to_owned())
    })
};

/// A run whose first node hangs for longer than its lease, on a store whose renewals go so.
async fn hang(fault: StoreFault, hang: Duration) -> (Arc<CountedOps>, Option<Error>) {
    let stage = Stage::new();
    let (stage, store) = CountedOps::over(stage, fault);
    let engine = stage.engine(line(), &[("a", STUCK)]);
    let mut execution = start(&engine).await;
    deps(&execution).stick("call");
    let ended = tokio::time::timeout(hang, execution.run()).await;
    (store, ended.ok().map(|result| result.unwrap_err()))
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_panics_does_not_end_the_renewing() {
    let (store, ended) = hang(StoreFault::RenewalPanics, Duration::from_secs(120)).await;
    assert!(ended.is_none(), "the run is still worked on: {ended:?}");
    assert!(store.renewals() > 5, "{} renewals", store.renewals());
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_lease_cannot_be_renewed_is_stopped_when_it_has_lapsed() {
    let (store, ended) = hang(StoreFault::RenewalFails, Duration::from_secs(120)).await;
    let ended = ended.unwrap();
    assert!(matches!(ended, Error::LeaseLost { .. }), "{ended}");
    assert!(ended.retry());
    assert!(store.renewals() > 1, "it was tried more than once");
}
