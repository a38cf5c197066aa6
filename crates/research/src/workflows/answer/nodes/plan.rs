//! Makes queries of the task, and finds out how far to go where nobody said.

use std::sync::Arc;

use fathom_workflow::{NodeError, NodeResult};

use super::Turn;
use crate::degradation::JudgedPart;
use crate::plan::{Plan, SourceKind};
use crate::question::{AskedDepth, Depth};
use crate::reasoner::{Ctx, PlanTask, judge};
use crate::workflows::answer::state::{AnswerChange, AnswerState, rounds};

pub(crate) async fn plan(state: &AnswerState, ctx: &Ctx) -> NodeResult<AnswerState> {
    let mut turn = Turn::start(ctx);
    let kinds = ctx.deps().kinds(state.settings.scope());
    let task = PlanTask {
        question: &state.task,
        caps: state.settings.caps(),
        kinds: &kinds,
        feedback: None,
        faults: &[],
    };
    let judged = judge(&ctx.deps().reasoners.planners, |planner| {
        planner.plan(ctx, &task)
    })
    .await?;
    let (plan, _) = turn.take(judged, JudgedPart::Plan);
    let plan = within(plan, state, &kinds);
    if plan.queries.is_empty() {
        return Err(NodeError::new("no plan could be made: it has no query"));
    }
    let depth = state.task.depth.or(plan.depth);
    let change = AnswerChange::Planned {
        max_iters: rounds(&state.settings, depth),
        plan: Arc::new(plan),
    };
    turn.finish(state, 0, change).await
}

/// The plan with its tier, repaired by code, without queries that nobody can answer and those beyond the bound.
fn within(mut plan: Plan, state: &AnswerState, kinds: &[SourceKind]) -> Plan {
    plan.depth = match state.task.depth {
        AskedDepth::Exactly(_) => None,
        AskedDepth::Auto => plan.depth.or(Some(Depth::Standard)),
    };
    let depth = state.task.depth.or(plan.depth);
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
    let most = state.settings.max_queries.unwrap_or(depth.bounds().queries);
    plan.queries.truncate(most);
    plan
}
