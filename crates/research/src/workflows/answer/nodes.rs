//! The nodes of `answer`, one verb a file. Each reads the state and gives an update.

pub(super) mod degrade;
pub(super) mod plan;
pub(super) mod reflect;
pub(super) mod search;
pub(super) mod synthesize;

use std::sync::Arc;

use fathom_render::answer::StageTime;
use fathom_workflow::event::Level;
use fathom_workflow::{NodeError, NodeResult};
use jiff::Timestamp;
use tokio::time::Instant;

use super::compact::Compaction;
use super::outcome::{AnswerDraft, AnswerParts};
use super::state::{AnswerChange, AnswerError, AnswerState, AnswerUpdate};
use crate::analysis::Evidence;
use crate::calls::RecordedFailure;
use crate::degradation::{Degradation, JudgedPart};
use crate::plan::Plan;
use crate::reasoner::{self, Ctx, Judged};
use crate::skills::budget;

/// Puts an update together: the time it took, what is left to spend, and what went wrong on the way.
pub(super) struct Turn<'c> {
    ctx: &'c Ctx,
    began: Instant,
    at: Timestamp,
    errors: Vec<AnswerError>,
    degraded: Vec<Degradation>,
}

impl<'c> Turn<'c> {
    pub(super) fn start(ctx: &'c Ctx) -> Self {
        Self {
            ctx,
            began: Instant::now(),
            at: ctx.now(),
            errors: Vec::new(),
            degraded: Vec::new(),
        }
    }

    /// Takes a judgement in, and notes it if the first choice could not make it.
    pub(super) fn take<T>(&mut self, judged: Judged<T>, part: JudgedPart) -> (T, String) {
        if !judged.failures.is_empty() {
            let reasoner = judged.by.clone();
            self.degraded(Degradation::MadeBy { part, reasoner });
            self.failures(judged.failures);
        }
        (judged.value, judged.by)
    }

    pub(super) fn failures(&mut self, failures: Vec<RecordedFailure>) {
        let entries = failures.into_iter().map(|failure| AnswerError {
            node: self.ctx.node().to_owned(),
            attempt: failure.attempts,
            category: failure.category,
            message: failure.message,
            at: self.at,
        });
        self.errors.extend(entries);
    }

    pub(super) fn degraded(&mut self, degradation: Degradation) {
        self.degraded.push(degradation);
    }

    /// Tokens that are left now.
    pub(super) fn tokens_left(&self, state: &AnswerState) -> u64 {
        let spent = self.ctx.spent(budget::TOKENS);
        state.settings.token_budget.saturating_sub(spent)
    }

    /// The update with the answer that a draft comes to.
    pub(super) async fn answered(
        self,
        state: &AnswerState,
        evidence: &[Evidence],
        draft: AnswerDraft,
        compaction: Option<Compaction>,
    ) -> NodeResult<AnswerState> {
        let parts = AnswerParts {
            state,
            evidence,
            degraded: &self.degraded,
            now: self.at,
        };
        let (answer, citations) = parts.answer(draft);
        let change = AnswerChange::Answered {
            answer: Arc::new(answer),
            citations,
            compaction,
        };
        self.finish(state, state.search_results.len(), change).await
    }

    /// The update. The time is recorded like an answer from outside, so that a replay tells the same.
    pub(super) async fn finish(
        mut self,
        state: &AnswerState,
        results: usize,
        change: AnswerChange,
    ) -> NodeResult<AnswerState> {
        let (ctx, began) = (self.ctx, self.began);
        self.failures(reasoner::overcome(ctx));
        let taken =
            |_| async move { u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) };
        let ms = ctx.effect("time", taken).await?;
        let token_budget = self.tokens_left(state);
        let (phase, iteration) = (ctx.node(), state.iteration);
        ctx.log(
            Level::Info,
            format!("{phase}: round {iteration}, {token_budget} tokens left, {results} results"),
        );
        tracing::info!(run = %ctx.run(), phase, iteration, token_budget, results, "phase ended");
        Ok(AnswerUpdate {
            stage: StageTime {
                stage: phase.to_owned(),
                ms,
            },
            change,
            token_budget,
            errors: self.errors,
            degraded: self.degraded,
        })
    }
}

/// What a node needs that only a plan has.
pub(super) fn planned(state: &AnswerState) -> Result<&Arc<Plan>, NodeError> {
    let plan = state.plan.as_ref();
    plan.ok_or_else(|| NodeError::new("there is no plan to work by"))
}
