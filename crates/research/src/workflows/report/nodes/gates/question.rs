//! One question to a person: put until the answer fits, and turned into what it changes.

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::NodeError;
use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use serde_json::Value;

use crate::draft::Draft;
use crate::plan::Plan;
use crate::reasoner::Ctx;
use crate::skills::cite;
use crate::workflows::report::edits::{self, InvalidEdit};
use crate::workflows::report::nodes::check;
use crate::workflows::report::state::{Decided, Gate, Ruling, State};

/// Edits that do not fit are asked for again, so many times in all.
const ASKS_MOST: usize = 5;

/// What a person is asked at a gate.
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
    Nothing,
    Plan(Plan),
    Draft(Draft),
}

impl GateQuestion {
    /// Asks, and gives what was decided; a deadline decides where nobody does.
    pub(super) async fn put(self, state: &State, ctx: &Ctx) -> Result<Ruling, NodeError> {
        let mut reason = self.reason.clone();
        for nth in 1..=ASKS_MOST {
            let ask = Ask {
                reason: reason.clone(),
                show: self.show.clone(),
                within: Some(Duration::from_secs(self.within_s)),
            };
            let (decision, by, at) = match ctx.ask(format!("decision/{nth}"), ask).await? {
                Answer::Decided { decision, at } => {
                    let by = decision.by.clone();
                    (decision, Some(by), at)
                }
                Answer::TimedOut { at } => (by_deadline(state), None, at),
            };
            match self.edited(state, &decision) {
                Ok(edited) => {
                    let decided = Decided {
                        gate: self.gate,
                        verdict: decision.verdict,
                        feedback: decision.feedback,
                        edited: !matches!(edited, Edited::Nothing),
                        by,
                        at,
                    };
                    return self.ruling(state, ctx, decided, edited).await;
                }
                Err(why) => reason = format!("{}; {why}", self.reason),
            }
        }
        Err(NodeError::new("the edits did not fit, time after time"))
    }

    /// What a decision to modify makes of the draft, or of the plan where there is no draft yet.
    fn edited(&self, state: &State, decision: &Decision) -> Result<Edited, InvalidEdit> {
        let edits = match (&decision.edits, self.heard) {
            _ if decision.verdict != Verdict::Modify => return Ok(Edited::Nothing),
            (Some(edits), Heard::All | Heard::Edits | Heard::EditsUnchecked) => edits,
            (None, Heard::All) => return Ok(Edited::Nothing),
            // On the way out nothing can be changed any more, and what is said is a remark.
            (_, Heard::Nothing) => return Ok(Edited::Nothing),
            (None, Heard::Edits | Heard::EditsUnchecked) => return Err(InvalidEdit::Unheard),
        };
        match (&state.plan, &state.draft) {
            (_, Some(draft)) => edits::edited_draft(draft, edits).map(Edited::Draft),
            (Some(plan), None) => edits::edited_plan(state, plan, edits).map(Edited::Plan),
            (None, None) => Err(InvalidEdit::Nothing),
        }
    }

    async fn ruling(
        &self,
        state: &State,
        ctx: &Ctx,
        decided: Decided,
        edited: Edited,
    ) -> Result<Ruling, NodeError> {
        let mut ruling = Ruling {
            decided,
            plan: None,
            draft: None,
            check: None,
        };
        match edited {
            Edited::Nothing => {}
            Edited::Plan(plan) => ruling.plan = Some(Arc::new(plan)),
            Edited::Draft(draft) if self.heard == Heard::EditsUnchecked => {
                ruling.draft = Some(Arc::new(draft));
            }
            // A person may write what they like, but a citation that leads nowhere never goes out.
            Edited::Draft(draft) => {
                let (draft, check) = cite::check_by_code(&check::task(state), ctx, draft).await?;
                ruling.draft = Some(Arc::new(draft));
                ruling.check = Some(Arc::new(check));
            }
        }
        Ok(ruling)
    }
}

fn by_deadline(state: &State) -> Decision {
    let verdict = if state.settings.people.auto_approve_on_timeout {
        Verdict::Approve
    } else {
        Verdict::Reject
    };
    Decision::new(verdict, "deadline")
}
