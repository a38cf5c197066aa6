//! Makes the plan, has it checked, and gives the reasoner one chance to repair it.

use std::sync::Arc;

use fathom_render::report::EXTRACTIVE;
use fathom_workflow::{NodeError, NodeResult};

use super::Notes;
use crate::degradation::JudgedPart;
use crate::plan::{Plan, PlanFault, SourceKind};
use crate::question::{AskedDepth, Depth};
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
    let (first, faults) = planned(state, ctx, &kinds, &[], &mut notes).await?;
    let (plan, faults) = if faults.is_empty() {
        (first, faults)
    } else {
        planned(state, ctx, &kinds, &faults, &mut notes).await?
    };
    if let Some(fault) = faults.first() {
        return Err(NodeError::new(format!("no plan could be made: {fault}")));
    }
    Ok(notes.update(StateChange::Planned(Arc::new(plan))))
}

/// A plan, and the rules that it breaks.
async fn planned(
    state: &State,
    ctx: &Ctx,
    kinds: &[SourceKind],
    faults: &[PlanFault],
    notes: &mut Notes,
) -> Result<(Plan, Vec<PlanFault>), NodeError> {
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
    let takes_apart = judged.by != EXTRACTIVE;
    let plan = notes.take(judged, JudgedPart::Plan);
    let plan = within(with_depth(plan, state), state, kinds);
    let faults = plan.faults(takes_apart);
    Ok((plan, faults))
}

/// The plan with how far to go, where the question leaves that open and its maker did not say.
fn with_depth(mut plan: Plan, state: &State) -> Plan {
    plan.depth = match state.question.depth {
        AskedDepth::Exactly(_) => None,
        AskedDepth::Auto => plan.depth.or(Some(Depth::Standard)),
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
