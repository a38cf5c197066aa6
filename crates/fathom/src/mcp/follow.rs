//! Waits for a run on behalf of a client, and reports how it comes along.
//!
//! A client that stops waiting changes nothing about the run, unless it says that it wants the work ended.

use std::pin::pin;
use std::time::Duration;

use fathom_workflow::event::{Event, EventKind, Level};
use fathom_workflow::record::Status;
use fathom_workflow::{Error, RunId};
use futures::StreamExt as _;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};

use crate::http::Service;
use crate::http::error::{ApiError, ApiResult};

/// Waits for runs within one call of a tool.
pub struct Follower<'a> {
    /// What all requests share.
    pub service: &'a Service,
    /// The call, with the client that made it.
    pub context: &'a RequestContext<RoleServer>,
    /// Whether a call that is taken back ends its run. Over HTTP a lost connection looks the same, and ends nothing.
    pub cancels: bool,
}

impl Follower<'_> {
    /// For a call that asks how a run stands: taken back, it ends nothing.
    pub fn waiting_only(&self) -> Self {
        Self {
            cancels: false,
            ..*self
        }
    }

    /// Waits until the run has ended, or asks a person, or the patience is at its end.
    pub async fn follow(&self, run: RunId, patience: Option<Duration>) -> ApiResult<()> {
        let patience = async {
            match patience {
                Some(patience) => tokio::time::sleep(patience).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            stopped = self.until_stopped(run) => stopped,
            () = patience => Ok(()),
            () = self.context.ct.cancelled() => Err(self.taken_back(run).await),
            () = self.service.stop.cancelled() => {
                let message = format!("the service ends; run {run} goes on when it is back");
                Err(ApiError::overloaded(message, 5))
            }
        }
    }

    async fn until_stopped(&self, run: RunId) -> ApiResult<()> {
        let mut events = pin!(self.service.host.events(run, 0));
        let mut calls = 0;
        while let Some(event) = events.next().await {
            let event = event?;
            if matches!(event.kind, EventKind::EffectFinished { .. }) {
                calls += 1;
            }
            if let Some(message) = told(&event, calls) {
                self.report(&event, message).await;
            }
            if matches!(event.kind, EventKind::Interrupted { .. }) && self.asks(run).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the run waits for a person now: an earlier question may have been answered since.
    async fn asks(&self, run: RunId) -> Result<bool, Error> {
        let head = self.service.host.header(run).await?.head;
        Ok(head.status == Status::Waiting && !head.parked)
    }

    /// Tells the client, if it wants to know. One that cannot be told is not waited for.
    async fn report(&self, event: &Event, message: String) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return;
        };
        // Events are numbered, and progress must only grow.
        #[expect(clippy::cast_precision_loss, reason = "no run has 2^52 events")]
        let progress = event.number as f64;
        let progress = ProgressNotificationParam::new(token, progress).with_message(message);
        let _ = self.context.peer.notify_progress(progress).await;
    }

    async fn taken_back(&self, run: RunId) -> ApiError {
        if self.cancels && !self.context.peer.is_transport_closed() {
            // One that has just ended cannot be cancelled, and need not be.
            let _ = self.service.host.cancel(run).await;
        }
        ApiError::conflict(format!("the call was taken back; its run is {run}"))
    }
}

/// What a person is told of an event, if anything.
fn told(event: &Event, calls: usize) -> Option<String> {
    match &event.kind {
        EventKind::RunStarted { workflow } => Some(format!("{workflow}: begun")),
        EventKind::StepStarted { node, phase, .. } => {
            Some(format!("{phase}: {}", node.replace('_', " ")))
        }
        EventKind::EffectProgressed { text, .. } => Some(format!("draft: {text}")),
        EventKind::EffectFinished { .. } => Some(format!("{calls} calls done")),
        EventKind::Log {
            level: Level::Info | Level::Warn | Level::Error,
            message,
        } => Some(message.clone()),
        EventKind::Interrupted { interrupt, .. } => Some(interrupt.reason.clone()),
        EventKind::Parked { until, reason, .. } => Some(format!("{reason}; waits until {until}")),
        EventKind::RunFinished { status, .. } => Some(status.to_string()),
        _ => None,
    }
}
