//! Who judges: a small trait for each judgement, so that a workflow asks for its own and for no other.
//!
//! `model` asks a language model; `brief` computes its answers from the evidence alone. Both get the same tasks and give
//! the same types. Code around them checks what they give: a reasoner never has the last word on a citation.

pub mod brief;
pub mod model;
mod pace;
mod tasks;

use std::sync::Arc;

use async_trait::async_trait;
use fathom_workflow::{Context, NodeError, StepHalted};
use futures::future::BoxFuture;

use crate::analysis::Analysis;
use crate::calls::RecordedFailure;
use crate::critique::ReviewOpinion;
use crate::plan::Plan;
use crate::services::Services;

use brief::BriefReasoner;
use model::ModelReasoner;
pub use pace::Pace;
pub use tasks::{
    AnalyseTask, AnswerTask, AppraiseTask, CitedSentence, EarlierTurn, FrameTask, Opinion,
    PassageRelevance, PlanTask, RefineAction, RefineTask, RelevanceTask, RephraseTask, Rephrased,
    ReviewTask, SectionTask, SeenResult, SentenceKind, SignalOpinion, SupportTask, TaskPassage,
    WrittenAnswer, WrittenSentence,
};

/// What a node has in hand.
pub type Ctx = Context<Services>;

/// What all that judge have in common.
pub trait Reasoner: Send + Sync {
    /// Saved in reports: the name of a model, or `extractive` for the brief.
    fn name(&self) -> &str;

    /// How quick it was seen to be; nothing before its first call, and for code.
    fn pace(&self) -> Option<Pace> {
        None
    }

    /// Failures of a step's calls that it got over by itself, told once: prompts that were too long and had to be cut.
    fn overcome(&self, _: &Ctx) -> Vec<RecordedFailure> {
        Vec::new()
    }
}

/// Plans how a question is answered.
#[async_trait]
pub trait Planner: Reasoner {
    /// Gives a plan; whether it keeps the rules is checked by the caller.
    async fn plan(&self, ctx: &Ctx, task: &PlanTask<'_>) -> Result<Plan, ReasonerError>;
}

/// Refines a query that found too little.
#[async_trait]
pub trait QueryRefiner: Reasoner {
    /// Chooses the one thing to do next.
    async fn refine_query(
        &self,
        ctx: &Ctx,
        task: &RefineTask<'_>,
    ) -> Result<RefineAction, ReasonerError>;
}

/// Makes findings of evidence.
#[async_trait]
pub trait Analyst: Reasoner {
    /// Gives findings, themes and gaps.
    async fn analyse(&self, ctx: &Ctx, task: &AnalyseTask<'_>) -> Result<Analysis, ReasonerError>;
}

/// Reviews a draft.
#[async_trait]
pub trait DraftReviewer: Reasoner {
    /// Gives scores and remarks; what code has proven is added by the caller.
    async fn review(
        &self,
        ctx: &Ctx,
        task: &ReviewTask<'_>,
    ) -> Result<ReviewOpinion, ReasonerError>;
}

/// Understands sentences, so that it can tell whether one follows from another.
#[async_trait]
pub trait SupportJudge: Reasoner {
    /// Tells whether the passages bear the sentences out: an opinion for each, in their order.
    async fn judge_support(
        &self,
        ctx: &Ctx,
        task: &SupportTask<'_>,
    ) -> Result<Vec<Opinion>, ReasonerError>;
}

/// Puts a question in the words that documents use.
#[async_trait]
pub trait QuestionRephraser: Reasoner {
    /// Gives texts to search for beside the question itself.
    async fn rephrase(
        &self,
        ctx: &Ctx,
        task: &RephraseTask<'_>,
    ) -> Result<Rephrased, ReasonerError>;
}

/// Understands what bears on a question.
#[async_trait]
pub trait RelevanceJudge: Reasoner {
    /// Judges each passage, in their order; nothing for one that it left out.
    async fn judge_relevance(
        &self,
        ctx: &Ctx,
        task: &RelevanceTask<'_>,
    ) -> Result<Vec<Option<PassageRelevance>>, ReasonerError>;
}

/// Writes sentences that rest on passages. `skills::compose` sets their citations and checks them.
#[async_trait]
pub trait AnswerWriter: Reasoner {
    /// Writes sentence by sentence, each with the passages that it rests on.
    async fn write_sentences(
        &self,
        ctx: &Ctx,
        task: &AnswerTask<'_>,
    ) -> Result<WrittenAnswer, ReasonerError>;
}

/// Answers the signalling questions of a trial's appraisal.
#[async_trait]
pub trait TrialAppraiser: Reasoner {
    /// Gives an opinion on each question that it can answer; questions that it leaves out have none.
    async fn answer_signals(
        &self,
        ctx: &Ctx,
        task: &AppraiseTask<'_>,
    ) -> Result<Vec<SignalOpinion>, ReasonerError>;
}

/// Who can be asked for each judgement, in order of preference. An empty list means that nobody can.
#[derive(Clone, Default)]
pub struct Reasoners {
    /// Asked for plans.
    pub planners: Vec<Arc<dyn Planner>>,
    /// Asked about queries that found too little.
    pub refiners: Vec<Arc<dyn QueryRefiner>>,
    /// Asked for findings.
    pub analysts: Vec<Arc<dyn Analyst>>,
    /// Asked for reviews. The brief has no opinion of its own text, so it is never among them.
    pub reviewers: Vec<Arc<dyn DraftReviewer>>,
    /// Asked for other words to search with; only a model knows them.
    pub rephrasers: Vec<Arc<dyn QuestionRephraser>>,
    /// Asked what bears on a question, after code has ranked.
    pub relevance_judges: Vec<Arc<dyn RelevanceJudge>>,
    /// Asked for sentences that rest on passages.
    pub answer_writers: Vec<Arc<dyn AnswerWriter>>,
    /// Asked about support. Rules cannot tell it, so the brief is never among them.
    pub support_judges: Vec<Arc<dyn SupportJudge>>,
    /// Asked about trials. Without one, rules over phrases answer what they can prove.
    pub appraisers: Vec<Arc<dyn TrialAppraiser>>,
}

impl Reasoners {
    /// The model first, where there is one, and the brief behind it, which needs no network.
    pub fn new(model: Option<ModelReasoner>) -> Self {
        let mut all = Self::default();
        if let Some(model) = model.map(Arc::new) {
            all.support_judges.push(Arc::clone(&model) as _);
            all.appraisers.push(Arc::clone(&model) as _);
            all.reviewers.push(Arc::clone(&model) as _);
            all.rephrasers.push(Arc::clone(&model) as _);
            all.relevance_judges.push(Arc::clone(&model) as _);
            all.answer_writers.push(Arc::clone(&model) as _);
            all.add(model);
        }
        all.add(Arc::new(BriefReasoner));
        all
    }

    /// Adds one that plans and analyses.
    fn add<R>(&mut self, reasoner: Arc<R>)
    where
        R: Planner + QueryRefiner + Analyst + 'static,
    {
        self.planners.push(Arc::clone(&reasoner) as _);
        self.refiners.push(Arc::clone(&reasoner) as _);
        self.analysts.push(reasoner);
    }
}

/// Why a reasoner gave no judgement.
#[derive(Debug)]
pub enum ReasonerError {
    /// The engine ends the step; this is no failure and is handed on.
    Halted(NodeError),
    /// It tried and could not; another reasoner may.
    Failed(RecordedFailure),
}

impl From<StepHalted> for ReasonerError {
    fn from(halt: StepHalted) -> Self {
        Self::Halted(halt.into())
    }
}

impl From<NodeError> for ReasonerError {
    fn from(halt: NodeError) -> Self {
        Self::Halted(halt)
    }
}

/// A judgement, who made it, and who could not.
pub(crate) struct Judged<T> {
    pub(crate) value: T,
    /// The reasoner's name.
    pub(crate) by: String,
    /// Why those before could not.
    pub(crate) failures: Vec<RecordedFailure>,
}

/// What the calls of a step met and got over, for the run's error log.
pub(crate) fn overcome(ctx: &Ctx) -> Vec<RecordedFailure> {
    // Every reasoner plans.
    let planners = ctx.deps().reasoners.planners.iter();
    planners.flat_map(|planner| planner.overcome(ctx)).collect()
}

/// Asks the reasoners in order until one is able; fails where none is.
pub(crate) async fn judge<'a, R: Reasoner + ?Sized, T>(
    reasoners: &'a [Arc<R>],
    ask: impl Fn(&'a R) -> BoxFuture<'a, Result<T, ReasonerError>>,
) -> Result<Judged<T>, NodeError> {
    let judged = judge_if_able(reasoners, ask).await?;
    judged.map_err(|mut failures| {
        let last = failures.pop().map(|failure| failure.message);
        NodeError::new(last.unwrap_or_else(|| "no reasoner is configured".to_owned()))
    })
}

/// As [`judge`], for a judgement that a run can do without: gives the failures of all where none is able.
pub(crate) async fn judge_if_able<'a, R: Reasoner + ?Sized, T>(
    reasoners: &'a [Arc<R>],
    ask: impl Fn(&'a R) -> BoxFuture<'a, Result<T, ReasonerError>>,
) -> Result<Result<Judged<T>, Vec<RecordedFailure>>, NodeError> {
    let mut failures: Vec<RecordedFailure> = Vec::new();
    for reasoner in reasoners {
        match ask(reasoner).await {
            Ok(value) => {
                let by = reasoner.name().to_owned();
                return Ok(Ok(Judged {
                    value,
                    by,
                    failures,
                }));
            }
            Err(ReasonerError::Halted(halt)) => return Err(halt),
            Err(ReasonerError::Failed(failure)) => failures.push(failure),
        }
    }
    Ok(Err(failures))
}
