//! The gates at which a person looks and decides. A run parks here and survives restarts.

mod breakpoints;
mod question;

use fathom_workflow::{NodeError, NodeResult};
use serde_json::{Value, json};

use self::question::{GateQuestion, Heard};
use super::Notes;
use crate::reasoner::Ctx;
use crate::workflows::report::edits::Editable;
use crate::workflows::report::state::{Gate, ReportState, StateChange};

pub(crate) use breakpoints::{stoppable, stoppable_after};

pub(crate) async fn plan_review(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    if state.plan.is_none() {
        return Err(NodeError::new("there is no plan to look at"));
    }
    let question = GateQuestion {
        gate: Gate::Plan,
        reason: "the plan is ready; look at it before anything is searched for".to_owned(),
        show: Editable::Plan.current(state),
        heard: Heard::All,
        within_s: state.settings.people.plan_review_s,
    };
    let ruling = question.put(state, ctx).await?;
    Ok(Notes::new(ctx).update(StateChange::Decided(ruling)))
}

pub(crate) async fn critical_review(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let reason = "the review found something critical; decide whether the report may go out";
    let within_s = state.settings.people.critical_review_s;
    draft_review(state, ctx, Gate::Critical, reason, within_s).await
}

pub(crate) async fn final_review(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let reason = "the report is ready; look at it before it goes out";
    let within_s = state.settings.people.final_review_s;
    draft_review(state, ctx, Gate::Final, reason, within_s).await
}

async fn draft_review(
    state: &ReportState,
    ctx: &Ctx,
    gate: Gate,
    reason: &str,
    within_s: u64,
) -> NodeResult<ReportState> {
    if state.draft.is_none() {
        return Err(NodeError::new("there is no draft to look at"));
    }
    let mut show = Editable::Draft.current(state);
    if let (Some(critique), Value::Object(fields)) = (&state.critique, &mut show) {
        fields.insert("score".to_owned(), json!(critique.score));
        fields.insert("items".to_owned(), serde_json::to_value(&critique.items)?);
    }
    let question = GateQuestion {
        gate,
        reason: reason.to_owned(),
        show,
        heard: Heard::All,
        within_s,
    };
    let ruling = question.put(state, ctx).await?;
    Ok(Notes::new(ctx).update(StateChange::Decided(ruling)))
}
