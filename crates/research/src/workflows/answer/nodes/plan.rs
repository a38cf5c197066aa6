//! Makes queries of the task, and finds out how far to go where nobody said.

use std::sync::Arc;

use fathom_workflow::{NodeError, NodeResult};

use super::Turn;
use crate::degradation::JudgedPart;
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
    let plan = plan.fitted(state.task.depth, &kinds, state.settings.max_queries);
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
