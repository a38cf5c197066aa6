//! The reasoner that asks a language model: a prompt file for each judgement, a typed reply, every call recorded.
//!
//! What the model says is taken as an opinion: numbers it gives are clamped, references it makes are checked, strengths
//! are counted by code, and citations are checked elsewhere. A prompt that is too long for the model is cut step by step.
//! Every text and list of a reply has a bound in its schema: a weak model writes on until it meets one.

mod analyse;
mod appraise;
mod ask;
mod overflow;
mod passages;
mod plan;
mod prompt;
mod refine;
mod relevance;
mod rephrase;
mod reserve;
mod review;
mod support;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use fathom_providers::Clock;
use fathom_providers::model::Models;

use super::pace::PaceMeter;
use super::{
    AnalyseTask, Analyst, AnswerTask, AnswerWriter, AppraiseTask, Ctx, DraftReviewer, Opinion,
    Pace, PassageRelevance, PlanTask, Planner, QueryRefiner, QuestionRephraser, Reasoner,
    ReasonerError, RefineAction, RefineTask, RelevanceJudge, RelevanceTask, RephraseTask,
    Rephrased, ReviewTask, SignalOpinion, SupportJudge, SupportTask, TrialAppraiser, WrittenAnswer,
};
use crate::analysis::Analysis;
use crate::calls::RecordedFailure;
use crate::critique::ReviewOpinion;
use crate::plan::Plan;

/// Asks the language models of the process, one for each role; shared by all runs.
pub struct ModelReasoner {
    models: Arc<Models>,
    clock: Arc<dyn Clock>,
    name: String,
    reservations: reserve::Reservations,
    window: passages::PassageWindow,
    overflows: overflow::Overflows,
    meter: PaceMeter,
}

impl ModelReasoner {
    /// `name` is what reports call it, such as `gpt-4o`.
    pub fn new(models: Arc<Models>, clock: Arc<dyn Clock>, name: &str) -> Self {
        Self {
            models,
            clock,
            name: name.to_owned(),
            reservations: reserve::Reservations::default(),
            window: passages::PassageWindow::default(),
            overflows: overflow::Overflows::default(),
            meter: PaceMeter::default(),
        }
    }

    /// Tokens of passages for a prompt that was cut so many times.
    fn passage_tokens(&self, cuts: u8) -> u64 {
        self.window.tokens(self.meter.pace(), cuts)
    }
}

impl Reasoner for ModelReasoner {
    fn name(&self) -> &str {
        &self.name
    }

    fn pace(&self) -> Option<Pace> {
        self.meter.pace()
    }

    fn overcome(&self, ctx: &Ctx) -> Vec<RecordedFailure> {
        self.overflows.take(ctx)
    }
}

#[async_trait]
impl Planner for ModelReasoner {
    async fn plan(&self, ctx: &Ctx, task: &PlanTask<'_>) -> Result<Plan, ReasonerError> {
        plan::plan(self, ctx, task).await
    }
}

#[async_trait]
impl QueryRefiner for ModelReasoner {
    async fn refine_query(
        &self,
        ctx: &Ctx,
        task: &RefineTask<'_>,
    ) -> Result<RefineAction, ReasonerError> {
        refine::refine_query(self, ctx, task).await
    }
}

#[async_trait]
impl Analyst for ModelReasoner {
    async fn analyse(&self, ctx: &Ctx, task: &AnalyseTask<'_>) -> Result<Analysis, ReasonerError> {
        analyse::analyse(self, ctx, task).await
    }
}

#[async_trait]
impl DraftReviewer for ModelReasoner {
    async fn review(
        &self,
        ctx: &Ctx,
        task: &ReviewTask<'_>,
    ) -> Result<ReviewOpinion, ReasonerError> {
        review::review(self, ctx, task).await
    }
}

#[async_trait]
impl TrialAppraiser for ModelReasoner {
    async fn answer_signals(
        &self,
        ctx: &Ctx,
        task: &AppraiseTask<'_>,
    ) -> Result<Vec<SignalOpinion>, ReasonerError> {
        appraise::appraise(self, ctx, task).await
    }
}

#[async_trait]
impl SupportJudge for ModelReasoner {
    async fn judge_support(
        &self,
        ctx: &Ctx,
        task: &SupportTask<'_>,
    ) -> Result<Vec<Opinion>, ReasonerError> {
        support::support(self, ctx, task).await
    }
}

#[async_trait]
impl QuestionRephraser for ModelReasoner {
    async fn rephrase(
        &self,
        ctx: &Ctx,
        task: &RephraseTask<'_>,
    ) -> Result<Rephrased, ReasonerError> {
        rephrase::rephrase(self, ctx, task).await
    }
}

#[async_trait]
impl RelevanceJudge for ModelReasoner {
    async fn judge_relevance(
        &self,
        ctx: &Ctx,
        task: &RelevanceTask<'_>,
    ) -> Result<Vec<Option<PassageRelevance>>, ReasonerError> {
        relevance::relevance(self, ctx, task).await
    }
}

#[async_trait]
impl AnswerWriter for ModelReasoner {
    async fn write_sentences(
        &self,
        ctx: &Ctx,
        task: &AnswerTask<'_>,
    ) -> Result<WrittenAnswer, ReasonerError> {
        write::sentences(self, ctx, task).await
    }
}
