//! The place of traces in a program that was built without the feature `otel`.

use fathom_workflow::{Host, RunId};

use crate::exit::{Problem, Result};

/// There is none.
#[derive(Clone)]
pub enum Traces {}

impl Traces {
    /// Refuses, since an operator who wants traces should know.
    pub fn start(_: &str, _: Option<String>) -> Result<Self> {
        Err(
            Problem::usage("this program was built without traces, and serve.traces_url is set")
                .advise("Build it with: cargo build --release --features otel"),
        )
    }

    /// Tells of a run.
    pub async fn tell(&self, _: &Host, _: RunId) {
        match *self {}
    }

    /// Sends what is left.
    pub async fn stop(self) {
        match self {}
    }
}
