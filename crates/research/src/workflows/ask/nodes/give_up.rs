//! Tells how far a run came that could not answer: a stage hung or failed.

use std::sync::Arc;

use fathom_workflow::NodeResult;

use super::StageTimer;
use crate::reasoner::Ctx;
use crate::workflows::ask::outcome;
use crate::workflows::ask::state::{AskChange, AskState};
use crate::workflows::cut_status;

pub(crate) async fn give_up(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let timer = StageTimer::start();
    let status = cut_status(ctx);
    let words = state.words();
    let answer = outcome::without_answer(state, status, &words, ctx.now());
    timer
        .finish(ctx, AskChange::Answered(Arc::new(answer)))
        .await
}
