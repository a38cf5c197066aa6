//! Answers from what there is when the time is used up or something failed, without asking anybody.

use std::sync::Arc;

use fathom_render::answer::AnswerStatus;
use fathom_workflow::NodeResult;
use fathom_workflow::record::CutReason;

use super::{Turn, synthesize};
use crate::degradation::Degradation;
use crate::reasoner::Ctx;
use crate::workflows::answer::graph::SEARCH;
use crate::workflows::answer::outcome::AnswerParts;
use crate::workflows::answer::state::{AnswerChange, AnswerState};

pub(crate) async fn degrade(state: &AnswerState, ctx: &Ctx) -> NodeResult<AnswerState> {
    let mut turn = Turn::start(ctx);
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
    if matches!(&status, AnswerStatus::Timeout { stage } if stage == SEARCH) {
        // Nobody had answered when the time was used up.
        turn.degraded(Degradation::SearchFailed);
    }
    let mut draft = synthesize::quoted(state, ctx, &mut turn).await?;
    draft.status = status;
    let parts = AnswerParts {
        state,
        evidence: &state.evidence,
        degraded: turn.degradations(),
        now: ctx.now(),
    };
    let (answer, citations) = parts.answer(draft);
    let change = AnswerChange::Answered {
        answer: Arc::new(answer),
        citations,
        compaction: None,
    };
    turn.finish(state, state.search_results.len(), change).await
}
