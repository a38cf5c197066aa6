//! The workflows: each file reads like its diagram.

pub mod answer;
pub mod appraise;
pub mod ask;
pub mod report;
pub mod search;

use fathom_render::answer::AnswerStatus;
use fathom_workflow::record::CutReason;

use crate::reasoner::Ctx;

/// What an answer says of itself that a run was cut short before.
fn cut_status(ctx: &Ctx) -> AnswerStatus {
    match ctx.rescued() {
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
    }
}
