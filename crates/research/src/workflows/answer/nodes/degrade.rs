//! Answers from what there is when the time is used up or something failed, without asking anybody.

use fathom_render::answer::AnswerStatus;
use fathom_workflow::NodeResult;

use super::{Turn, synthesize};
use crate::degradation::Degradation;
use crate::reasoner::Ctx;
use crate::workflows::answer::graph::SEARCH;
use crate::workflows::answer::state::AnswerState;
use crate::workflows::cut_status;

pub(crate) async fn degrade(state: &AnswerState, ctx: &Ctx) -> NodeResult<AnswerState> {
    let mut turn = Turn::start(ctx);
    let status = cut_status(ctx);
    if matches!(&status, AnswerStatus::Timeout { stage } if stage == SEARCH) {
        // Nobody had answered when the time was used up.
        turn.degraded(Degradation::SearchFailed);
    }
    let mut draft = synthesize::quoted(state, ctx, &mut turn).await?;
    draft.status = status;
    turn.answered(state, &state.evidence, draft, None).await
}
