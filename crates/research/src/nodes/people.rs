//! The gates at which a person looks and decides. A run parks here and survives restarts.

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use fathom_workflow::{NodeError, NodeResult};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Notes, check};
use crate::edits::{self, DRAFT_FIELDS, Misfit, PLAN_FIELDS};
use crate::reasoner::Ctx;
use crate::state::{Change, Decided, Gate, State};

/// Edits that do not fit are asked for again, so many times in all.
const ASKS_MOST: usize = 5;

pub(crate) async fn plan_review(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let plan = state.plan.as_deref();
    let plan = plan.ok_or_else(|| NodeError::new("there is no plan to look at"))?;
    let question = Question {
        gate: Gate::Plan,
        reason: "the plan is ready; look at it before anything is searched for",
        show: shown(plan, PLAN_FIELDS)?,
        within_s: state.settings.people.plan_review_s,
    };
    let edit = |edits: &Value| edits::edited_plan(plan, edits);
    let (decided, edited) = question.put(state, ctx, edit).await?;
    Ok(Notes::new().update(Change::Decided {
        decided,
        plan: edited.map(Arc::new),
        draft: None,
        check: None,
    }))
}

pub(crate) async fn critical_review(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let reason = "the review found something critical; decide whether the report may go out";
    let within_s = state.settings.people.critical_review_s;
    draft_review(state, ctx, Gate::Critical, reason, within_s).await
}

pub(crate) async fn final_review(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let reason = "the report is ready; look at it before it goes out";
    let within_s = state.settings.people.final_review_s;
    draft_review(state, ctx, Gate::Final, reason, within_s).await
}

async fn draft_review(
    state: &State,
    ctx: &Ctx,
    gate: Gate,
    reason: &'static str,
    within_s: u64,
) -> NodeResult<State> {
    let draft = state.draft.as_deref();
    let draft = draft.ok_or_else(|| NodeError::new("there is no draft to look at"))?;
    let mut show = shown(draft, DRAFT_FIELDS)?;
    if let (Some(critique), Value::Object(fields)) = (&state.critique, &mut show) {
        fields.insert("score".to_owned(), json!(critique.score));
        fields.insert("items".to_owned(), serde_json::to_value(&critique.items)?);
    }
    let question = Question {
        gate,
        reason,
        show,
        within_s,
    };
    let edit = |edits: &Value| edits::edited_draft(draft, edits);
    let (decided, edited) = question.put(state, ctx, edit).await?;
    let (draft, check) = match edited {
        // A person may write what they like, but a citation that leads nowhere never goes out.
        Some(edited) => {
            let (draft, check) = check::checked(state, ctx, edited).await?;
            (Some(Arc::new(draft)), Some(Arc::new(check)))
        }
        None => (None, None),
    };
    Ok(Notes::new().update(Change::Decided {
        decided,
        plan: None,
        draft,
        check,
    }))
}

fn shown<T: Serialize>(whole: &T, fields: &[&str]) -> Result<Value, NodeError> {
    let mut all = serde_json::to_value(whole)?;
    if let Value::Object(all) = &mut all {
        all.retain(|name, _| fields.contains(&name.as_str()));
    }
    Ok(all)
}

/// What a person is asked at a gate.
struct Question {
    gate: Gate,
    reason: &'static str,
    show: Value,
    within_s: u64,
}

impl Question {
    async fn put<T>(
        self,
        state: &State,
        ctx: &Ctx,
        edit: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<(Decided, Option<T>), NodeError> {
        let mut reason = self.reason.to_owned();
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
                Answer::TimedOut { at } => (self.by_deadline(state), None, at),
            };
            let edited = match &decision.edits {
                Some(edits) if decision.verdict == Verdict::Modify => edit(edits).map(Some),
                _ => Ok(None),
            };
            match edited {
                Ok(edited) => {
                    return Ok((self.decided(decision, by, at, edited.is_some()), edited));
                }
                Err(why) => reason = format!("{}; {why}", self.reason),
            }
        }
        Err(NodeError::new("the edits did not fit, time after time"))
    }

    fn by_deadline(&self, state: &State) -> Decision {
        let verdict = match state.settings.people.auto_approve_on_timeout {
            true => Verdict::Approve,
            false => Verdict::Reject,
        };
        Decision::new(verdict, "deadline")
    }

    fn decided(
        &self,
        decision: Decision,
        by: Option<String>,
        at: jiff::Timestamp,
        edited: bool,
    ) -> Decided {
        Decided {
            gate: self.gate,
            verdict: decision.verdict,
            feedback: decision.feedback,
            edited,
            by,
            at,
        }
    }
}
