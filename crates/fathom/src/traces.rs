//! Traces of finished runs for a collector of OpenTelemetry, in the words of its GenAI conventions.
//!
//! They are made from the events that a run has recorded: a span for the run, one for each step, and one for each call of a model,
//! a search or a page, at the times that the log tells. Nothing that was asked or answered is sent. Who sends them is built in with
//! the feature `otel` only.

#[cfg(feature = "otel")]
mod otel;

use std::sync::Arc;

use fathom_workflow::event::Event;
use fathom_workflow::{Host, RunId};
use futures::TryStreamExt as _;

use crate::exit::{Problem, Result};

/// What sends the traces.
trait TraceSender: Send + Sync {
    /// Sends the trace of a run that has ended.
    fn send(&self, run: RunId, workflow: &str, events: &[Event]);

    /// Sends what is left. Waits for the network.
    fn stop(&self) -> std::result::Result<(), String>;
}

/// Makes the sender for the address of a collector and the model that is asked.
type StartSender = fn(&str, Option<String>) -> Result<Arc<dyn TraceSender>>;

#[cfg(feature = "otel")]
const START: Option<StartSender> = Some(otel::start);
#[cfg(not(feature = "otel"))]
const START: Option<StartSender> = None;

/// Sends traces to one collector. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Traces(Arc<dyn TraceSender>);

impl Traces {
    /// For the collector at this address, such as `http://127.0.0.1:4318/v1/traces`. Refused by a program that was built without
    /// them, since an operator who wants traces should know.
    pub fn start(address: &str, model: Option<String>) -> Result<Self> {
        let start = START.ok_or_else(|| {
            Problem::usage("this program was built without traces, and serve.traces_url is set")
                .advise("Build it with: cargo build --release --features otel")
        })?;
        start(address, model).map(Self)
    }

    /// Tells of a run, if it has ended.
    pub async fn tell(&self, host: &Host, run: RunId) {
        let Ok(header) = host.header(run).await else {
            return;
        };
        if !header.head.status.is_finished() {
            return;
        }
        let events: std::result::Result<Vec<_>, _> = host.events(run, 0).try_collect().await;
        match events {
            Ok(events) => self.0.send(run, &header.about.workflow, &events),
            Err(error) => tracing::warn!(%run, %error, "a trace could not be made"),
        }
    }

    /// Sends what is left.
    pub async fn stop(self) {
        let stopping = tokio::task::spawn_blocking(move || self.0.stop());
        if let Ok(Err(error)) = stopping.await {
            tracing::warn!(%error, "traces could not be sent");
        }
    }
}
