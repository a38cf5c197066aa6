//! Tells how far a run came that could not answer: a stage hung or failed.

use std::sync::Arc;

use fathom_render::answer::AnswerStatus;
use fathom_workflow::NodeResult;
use fathom_workflow::record::CutReason;

use super::StageTimer;
use crate::reasoner::Ctx;
use crate::workflows::ask::outcome;
use crate::workflows::ask::state::{AskChange, AskState};

pub(crate) async fn give_up(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let timer = StageTimer::start();
    let status = match ctx.rescued() {
        Some(rescue) => {
            let stage = rescue.from.to_string();
            match &rescue.cut {
                CutReason::Deadline => AnswerStatus::Timeout { stage },
                CutReason::Failed(_) | CutReason::StepLimit(_) => AnswerStatus::Error {
                    stage,
                    why: rescue.cut.to_string(),
                },
            }
        }
        None => AnswerStatus::Error {
            stage: ctx.node().to_owned(),
            why: "the run was sent here without a reason".to_owned(),
        },
    };
    let words = state.words();
    let answer = outcome::without_answer(state, status, &words, ctx.now());
    timer
        .finish(ctx, AskChange::Answered(Arc::new(answer)))
        .await
}
