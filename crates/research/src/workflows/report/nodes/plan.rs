//! Makes the plan, has it checked, and gives the reasoner one chance to repair it.

use std::sync::Arc;

use fathom_workflow::{NodeError, NodeResult};

use super::Notes;
use crate::degradation::JudgedPart;
use crate::plan::{Plan, PlanFault, SourceKind};
use crate::question::AskedDepth;
use crate::reasoner::brief::depth;
use crate::reasoner::{Ctx, PlanTask, judge};
use crate::workflows::report::state::{State, StateChange};

pub(crate) async fn plan(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let mut notes = Notes::new(ctx);
    let kinds = ctx.deps().kinds(state.settings.scope());
    if kinds.is_empty() {
        return Err(NodeError::new(
            "there is nothing to search: name a library, or configure a search provider",
        ));
    }
    let first = planned(state, ctx, &kinds, &[], &mut notes).await?;
    let faults = first.faults();
    let plan = if faults.is_empty() {
        first
    } else {
        planned(state, ctx, &kinds, &faults, &mut notes).await?
    };
    if let Some(fault) = plan.faults().first() {
        return Err(NodeError::new(format!("no plan could be made: {fault}")));
    }
    Ok(notes.update(StateChange::Planned(Arc::new(plan))))
}

async fn planned(
    state: &State,
    ctx: &Ctx,
    kinds: &[SourceKind],
    faults: &[PlanFault],
    notes: &mut Notes,
) -> Result<Plan, NodeError> {
    let task = PlanTask {
        question: &state.question,
        caps: state.settings.caps,
        kinds,
        feedback: state.feedback.as_deref(),
        faults,
    };
    let judged = judge(&ctx.deps().reasoners.planners, |planner| {
        planner.plan(ctx, &task)
    })
    .await?;
    let plan = notes.take(judged, JudgedPart::Plan);
    Ok(within(with_depth(plan, state), state, kinds))
}

/// The plan with how far to go, where the question leaves that open and its maker did not say.
fn with_depth(mut plan: Plan, state: &State) -> Plan {
    plan.depth = match state.question.depth {
        AskedDepth::Exactly(_) => None,
        AskedDepth::Auto => plan.depth.or_else(|| Some(depth(state.question.text()))),
    };
    plan
}

/// Mends the plan, and leaves out queries that nobody can answer and those beyond the depth's bound.
fn within(plan: Plan, state: &State, kinds: &[SourceKind]) -> Plan {
    let depth = state.question.depth.or(plan.depth);
    let local_only = kinds == [SourceKind::Local];
    let mut plan = plan.mended(depth, local_only);
    let fallback = kinds.first().copied().unwrap_or(SourceKind::Local);
    for query in &mut plan.queries {
        if !kinds.contains(&query.kind) {
            query.kind = fallback;
        }
    }
    plan.queries.sort_by_key(|query| query.priority);
    let mut plan = plan.mended(depth, local_only);
    plan.queries.truncate(depth.bounds().queries);
    plan
}
