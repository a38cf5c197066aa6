//! How runs look on the wire.

use fathom_workflow::record::RunHeader;
use fathom_workflow::{Gate, RunId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::run_list::is_partial;

/// A run as lists show it.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunSummary {
    /// Its id.
    #[schema(value_type = String, format = "uuid")]
    pub id: RunId,
    /// The workflow it is a run of.
    pub workflow: String,
    /// What was asked.
    pub question: String,
    /// pending, planning, searching, analyzing, writing, reviewing, revising, waiting, completed, failed or cancelled; or
    /// a phase that a workflow names itself.
    pub status: String,
    /// Whether it is completed and brought less than was asked for.
    pub partial: bool,
    /// Why it waits, failed or was cancelled; of a partial one, what is missing.
    pub reason: Option<String>,
    /// The last recorded step.
    pub step: u64,
    /// The node that runs next; nothing once the run has ended.
    pub next: Option<String>,
    /// The number of its last event.
    pub events: u64,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it was last written to.
    pub updated_at: Timestamp,
    /// When it must have ended.
    pub deadline: Option<Timestamp>,
    /// When it goes on although nobody answered.
    pub wake_at: Option<Timestamp>,
    /// The run that it was forked from, if it was.
    pub forked_from: Option<ForkOrigin>,
    /// Whether it is kept when finished runs expire.
    pub keep: bool,
}

/// The step of another run that a fork began from.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForkOrigin {
    /// The other run.
    #[schema(value_type = String, format = "uuid")]
    pub run: RunId,
    /// The step that the fork goes on after.
    pub step: u64,
}

impl From<&RunHeader> for RunSummary {
    fn from(run: &RunHeader) -> Self {
        let (about, head) = (&run.about, &run.head);
        Self {
            id: about.id,
            workflow: about.workflow.to_string(),
            question: about.title.clone(),
            status: head.status.to_string(),
            partial: is_partial(run),
            reason: head.reason.clone(),
            step: head.step,
            next: head.next.as_ref().map(ToString::to_string),
            events: head.events,
            created_at: about.created_at,
            updated_at: head.updated_at,
            deadline: head.deadline,
            wake_at: head.wake_at,
            forked_from: about.forked_from.as_ref().map(|origin| ForkOrigin {
                run: origin.run,
                step: origin.step,
            }),
            keep: run.keep,
        }
    }
}

/// A run, with the question that it asks while it waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunDetail {
    #[serde(flatten)]
    #[schema(inline)]
    pub summary: RunSummary,
    /// What a person is asked, while the run waits for one.
    pub gate: Option<OpenGate>,
}

/// A question to a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenGate {
    /// The step that asks.
    pub step: u64,
    /// The gate's name within its step.
    pub key: String,
    /// Why it asks.
    pub reason: String,
    /// What to look at before deciding.
    #[schema(value_type = Object)]
    pub show: Value,
    /// What may be edited with "modify", as it stands.
    #[schema(value_type = Option<Object>)]
    pub editable: Option<Value>,
    /// When it was asked.
    pub opened_at: Timestamp,
    /// Until when it can be answered.
    pub deadline: Option<Timestamp>,
}

impl OpenGate {
    /// A gate of the host with what may be edited there.
    pub fn new(gate: Gate, editable: Option<Value>) -> Self {
        Self {
            step: gate.step,
            key: gate.key,
            reason: gate.interrupt.reason,
            show: gate.interrupt.show,
            editable,
            opened_at: gate.opened_at,
            deadline: gate.interrupt.deadline,
        }
    }
}

/// A run that was begun.
#[derive(Debug, Serialize, ToSchema)]
pub struct Accepted {
    /// Its id, for every further request.
    #[schema(value_type = String, format = "uuid")]
    pub id: RunId,
    /// What it is doing: pending, unless the request was sent before.
    pub status: String,
}
