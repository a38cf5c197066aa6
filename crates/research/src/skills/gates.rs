//! Asks a person at a gate: puts the question until the answer fits, and lets the deadline decide where nobody does.
//!
//! Takes what is shown and how long the run waits; gives the decision with what its edits made. What may be edited, and
//! what follows from the decision, is each workflow's own.

use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use fathom_workflow::{InvalidInput, NodeError};
use jiff::Timestamp;
use serde_json::Value;

use crate::reasoner::Ctx;

/// Edits that do not fit are asked for again, so many times in all.
const ASKS_MOST: usize = 5;

/// What a person is asked at a gate.
pub(crate) struct GateTask {
    /// Why the run stops here, as the beginning of a sentence.
    pub(crate) reason: String,
    /// What there is to look at.
    pub(crate) show: Value,
    /// How long the run waits.
    pub(crate) within: Duration,
    /// What is decided when that time is over.
    pub(crate) on_timeout: Verdict,
}

/// What was decided at a gate.
pub(crate) struct GateDecision<E> {
    pub(crate) verdict: Verdict,
    /// What the person said besides.
    pub(crate) feedback: Option<String>,
    /// Nobody, where the deadline decided.
    pub(crate) by: Option<String>,
    pub(crate) at: Timestamp,
    /// What the edits of a decision to modify made.
    pub(crate) edited: Option<E>,
}

/// Asks until the edits fit. `edit` is given the edits of a decision to modify, if it has any, and makes of them what they
/// change; the person is told why they do not fit.
pub(crate) async fn ask<E>(
    task: &GateTask,
    ctx: &Ctx,
    edit: impl Fn(Option<&Value>) -> Result<Option<E>, InvalidInput>,
) -> Result<GateDecision<E>, NodeError> {
    let mut reason = task.reason.clone();
    for nth in 1..=ASKS_MOST {
        let ask = Ask {
            reason: reason.clone(),
            show: task.show.clone(),
            within: Some(task.within),
        };
        let (decision, by, at) = match ctx.ask(format!("decision/{nth}"), ask).await? {
            Answer::Decided { decision, at } => {
                let by = decision.by.clone();
                (decision, Some(by), at)
            }
            Answer::TimedOut { at } => (Decision::new(task.on_timeout, "deadline"), None, at),
        };
        let edited = match decision.verdict {
            Verdict::Modify => edit(decision.edits.as_ref()),
            Verdict::Approve | Verdict::Reject | Verdict::Skip => Ok(None),
        };
        match edited {
            Ok(edited) => {
                return Ok(GateDecision {
                    verdict: decision.verdict,
                    feedback: decision.feedback,
                    by,
                    at,
                    edited,
                });
            }
            Err(why) => reason = format!("{}; {why}", task.reason),
        }
    }
    Err(NodeError::new("the edits did not fit, time after time"))
}
