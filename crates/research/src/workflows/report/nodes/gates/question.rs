//! A question at one of the report's gates, and what the answer changes: the plan, the draft, or nothing.

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::event::Level;
use fathom_workflow::interrupt::Verdict;
use fathom_workflow::{InvalidInput, NodeError};
use serde_json::Value;

use crate::draft::Draft;
use crate::plan::Plan;
use crate::reasoner::Ctx;
use crate::skills::cite;
use crate::skills::gates::{self, GateTask};
use crate::workflows::report::edits;
use crate::workflows::report::nodes::check;
use crate::workflows::report::state::{Decided, Gate, ReportState, Ruling};

/// What a person is asked at a gate of the report.
pub(super) struct GateQuestion {
    pub(super) gate: Gate,
    pub(super) reason: String,
    pub(super) show: Value,
    pub(super) heard: Heard,
    pub(super) within_s: u64,
}

/// What of a decision to modify can still have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    All,
    Edits,
    /// Edits, and the citations of a draft are checked next anyway.
    EditsUnchecked,
    Nothing,
}

/// What a person's edits made.
enum Edited {
    Plan(Plan),
    Draft(Draft),
}

impl GateQuestion {
    /// Asks, and gives what was decided; a deadline decides where nobody does.
    pub(super) async fn put(self, state: &ReportState, ctx: &Ctx) -> Result<Ruling, NodeError> {
        let heard = self.heard;
        let task = GateTask {
            reason: self.reason,
            show: self.show,
            within: Duration::from_secs(self.within_s),
            on_timeout: if state.settings.people.auto_approve_on_timeout {
                Verdict::Approve
            } else {
                Verdict::Reject
            },
        };
        let edit = |edits: Option<&Value>| edited(state, edits, heard);
        let decision = gates::ask(&task, ctx, edit).await?;
        let mut ruling = Ruling {
            decided: Decided {
                gate: self.gate,
                verdict: decision.verdict,
                feedback: decision.feedback,
                edited: decision.edited.is_some(),
                by: decision.by,
                at: decision.at,
            },
            plan: None,
            draft: None,
            check: None,
        };
        match decision.edited {
            None => {}
            Some(Edited::Plan(plan)) => ruling.plan = Some(Arc::new(plan)),
            Some(Edited::Draft(draft)) if heard == Heard::EditsUnchecked => {
                ruling.draft = Some(Arc::new(draft));
            }
            // What a person writes is checked as what a model writes is.
            Some(Edited::Draft(draft)) => {
                let checked = cite::check(&check::task(state), ctx, draft).await?;
                for failure in &checked.failures {
                    ctx.log(Level::Warn, failure.message.clone());
                }
                ruling.draft = Some(Arc::new(checked.draft));
                ruling.check = Some(Arc::new(checked.check));
            }
        }
        Ok(ruling)
    }
}

/// What a decision to modify makes of the draft, or of the plan where there is no draft yet.
fn edited(
    state: &ReportState,
    edits: Option<&Value>,
    heard: Heard,
) -> Result<Option<Edited>, InvalidInput> {
    let edits = match (edits, heard) {
        (Some(edits), Heard::All | Heard::Edits | Heard::EditsUnchecked) => edits,
        (None, Heard::All) => return Ok(None),
        // On the way out nothing can be changed any more, and what is said is a remark.
        (_, Heard::Nothing) => return Ok(None),
        (None, Heard::Edits | Heard::EditsUnchecked) => {
            return Err(InvalidInput::new(
                "that would not be heard here, since nothing is planned or written next",
            ));
        }
    };
    let edited = match (&state.plan, &state.draft) {
        (_, Some(draft)) => Edited::Draft(edits::edited_draft(draft, edits)?),
        (Some(plan), None) => Edited::Plan(edits::edited_plan(state, plan, edits)?),
        (None, None) => return Err(edits::nothing_to_edit()),
    };
    Ok(Some(edited))
}
