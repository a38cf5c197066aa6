//! How much a run asks of its model: everything, or only what counts most where the model is slow or the time short.
//!
//! The first call of a run measures the model. What is decided by it is recorded, so that a replay decides the same.

use std::time::Duration;

use fathom_workflow::StepHalted;

use crate::reasoner::{Ctx, Pace};

/// About what a plan, the judging, an analysis, all texts and a review read and write.
const FULL_READ: u64 = 8_000;
const FULL_WRITTEN: u64 = 4_000;

/// About what another draft with its check and its review reads and writes.
const DRAFT_READ: u64 = 5_000;
const DRAFT_WRITTEN: u64 = 2_500;

/// About what the answer and the judging of its sentences read and write.
const ANSWER_READ: u64 = 1_500;
const ANSWER_WRITTEN: u64 = 250;

/// The part of the time left that may be planned for.
const PLANNED_SHARE: f64 = 0.6;

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// A plan, the weighing of passages, every text and a review.
    Full,
    /// Other words to search with, and the answer.
    Lean,
    /// No more than was asked for already: the brief does the rest.
    Nothing,
}

/// A model's pace and the time that a step may plan with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    pace: Option<Pace>,
    left: Duration,
    /// So long a person waits for what a slow model adds.
    patience: Duration,
}

impl Schedule {
    /// What is known at the beginning of a step. Asked for once in a step.
    pub(crate) async fn at_step(ctx: &Ctx, patience: Duration) -> Result<Self, StepHalted> {
        let model = ctx.deps().reasoners.answer_writers.first();
        let pace = || async { model.and_then(|model| model.pace()) };
        let pace: Option<Pace> = ctx.effect("pace", |_| pace()).await?;
        let left = ctx.deadline().map(|end| end.duration_since(ctx.now()));
        let left = left.map_or(Duration::MAX, |left| {
            Duration::try_from(left).unwrap_or_default()
        });
        Ok(Self {
            pace,
            left,
            patience,
        })
    }

    /// What fits. A model that was not measured yet is taken for a quick one.
    pub(crate) fn effort(&self) -> Effort {
        let most = self.patience.as_secs_f64();
        if self.fits(FULL_READ, FULL_WRITTEN, most) {
            Effort::Full
        } else if self.fits(ANSWER_READ, ANSWER_WRITTEN, most) {
            Effort::Lean
        } else {
            Effort::Nothing
        }
    }

    /// Whether there is time for another draft.
    pub(crate) fn fits_draft(&self) -> bool {
        self.fits(DRAFT_READ, DRAFT_WRITTEN, f64::MAX)
    }

    fn fits(&self, read: u64, written: u64, most: f64) -> bool {
        let most = most.min(self.left.as_secs_f64() * PLANNED_SHARE);
        self.pace
            .is_none_or(|pace| pace.seconds(read, written) <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(tokens_per_s: f64, left_s: u64) -> Schedule {
        Schedule {
            pace: Some(Pace { tokens_per_s }),
            left: Duration::from_secs(left_s),
            patience: Duration::from_secs(300),
        }
    }

    #[test]
    fn a_slow_model_or_a_short_time_gets_the_lean_work() {
        assert_eq!(schedule(28.0, 1_800).effort(), Effort::Lean);
        assert_eq!(schedule(400.0, 1_800).effort(), Effort::Full);
        assert_eq!(schedule(400.0, 60).effort(), Effort::Lean);
        assert_eq!(schedule(3.0, 1_800).effort(), Effort::Nothing);
        assert!(schedule(400.0, 1_800).fits_draft());
        assert!(!schedule(28.0, 300).fits_draft());
    }
}
