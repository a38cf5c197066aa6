//! The stages of `ask`, one verb a file. Each reads the state, gives an update, and notes the time it took.

pub(super) mod analyse;
pub(super) mod assess;
pub(super) mod generate;
pub(super) mod give_up;
pub(super) mod rerank;
pub(super) mod retrieve;
pub(super) mod written;

use fathom_render::answer::StageTime;
use fathom_workflow::NodeResult;
use tokio::time::Instant;

use super::state::{AskChange, AskState, AskUpdate};
use crate::reasoner::Ctx;

/// Measures a stage. The time is recorded like an answer from outside, so that a replay tells the same.
pub(super) struct StageTimer {
    began: Instant,
    caveats: Vec<String>,
}

impl StageTimer {
    pub(super) fn start() -> Self {
        Self {
            began: Instant::now(),
            caveats: Vec::new(),
        }
    }

    /// Notes what could not be done as well as intended, in a sentence.
    pub(super) fn caveat(&mut self, sentence: impl Into<String>) {
        self.caveats.push(sentence.into());
    }

    pub(super) async fn finish(self, ctx: &Ctx, change: AskChange) -> NodeResult<AskState> {
        let began = self.began;
        let taken =
            |_| async move { u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) };
        let ms = ctx.effect("time", taken).await?;
        Ok(AskUpdate {
            stage: StageTime {
                stage: ctx.node().to_owned(),
                ms,
            },
            change,
            caveats: self.caveats,
        })
    }
}
