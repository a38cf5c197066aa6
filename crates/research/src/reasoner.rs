//! Who judges: one typed method for each judgement that a workflow needs.
//!
//! `brief` computes its answers from the evidence alone; `model` asks a language model. Both get the same tasks
//! and give the same types. Code around them checks what they give: a reasoner never has the last word on a citation.

pub mod brief;
pub mod model;

use async_trait::async_trait;
use fathom_evidence::Language;
use fathom_workflow::{Context, NodeError, StepHalted};
use futures::future::BoxFuture;

use crate::analysis::{Analysis, Contradiction, Evidence};
use crate::calls::RecordedFailure;
use crate::citations::{CitationCheck, Judgement};
use crate::critique::{Item, ReviewOpinion};
use crate::draft::{Draft, Frame, Section};
use crate::plan::{Plan, PlanFault, Query, QueryId, SourceKind};
use crate::question::Question;
use crate::services::Services;
use crate::settings::Settings;
use crate::source::Source;

/// What a node has in hand.
pub type Ctx = Context<Services>;

#[async_trait]
pub trait Reasoner: Send + Sync {
    /// Saved in reports: `extractive`, or the name of a model.
    fn name(&self) -> &str;

    async fn plan(&self, ctx: &Ctx, task: &PlanTask<'_>) -> Result<Plan, ReasonerError>;

    /// What to do next about a query that found too little.
    async fn refine_query(&self, ctx: &Ctx, task: &RefineTask<'_>)
    -> Result<Action, ReasonerError>;

    async fn analyse(&self, ctx: &Ctx, task: &AnalyseTask<'_>) -> Result<Analysis, ReasonerError>;

    /// One section's text, in Markdown without its heading.
    async fn write_section(
        &self,
        ctx: &Ctx,
        task: &SectionTask<'_>,
    ) -> Result<String, ReasonerError>;

    async fn frame(&self, ctx: &Ctx, task: &FrameTask<'_>) -> Result<Frame, ReasonerError>;

    async fn review(
        &self,
        ctx: &Ctx,
        task: &ReviewTask<'_>,
    ) -> Result<ReviewOpinion, ReasonerError>;

    /// Whether it understands sentences, so that `support` can be asked of it.
    fn judges_meaning(&self) -> bool {
        false
    }

    /// Whether the passages bear the sentences out, an opinion for each in their order.
    async fn support(&self, _: &Ctx, _: &SupportTask<'_>) -> Result<Vec<Opinion>, ReasonerError> {
        let message = format!("the {} reasoner does not judge meaning", self.name());
        Err(ReasonerError::Failed(RecordedFailure::not_set_up(&message)))
    }
}

pub struct PlanTask<'a> {
    pub question: &'a Question,
    pub settings: &'a Settings,
    /// The kinds of sources that can be searched at all.
    pub kinds: &'a [SourceKind],
    /// What a person said about the plan before.
    pub feedback: Option<&'a str>,
    /// What was wrong with the plan given before; empty at first.
    pub faults: &'a [PlanFault],
}

pub struct RefineTask<'a> {
    pub question: &'a Question,
    pub query: &'a Query,
    /// The query's place among all of the run.
    pub place: QueryId,
    /// From 1.
    pub turn: u32,
    pub settings: &'a Settings,
    /// The words of the queries tried so far.
    pub tried: &'a [String],
    pub kinds: &'a [SourceKind],
    /// What was found so far; its numbers count from 1 and stay.
    pub results: &'a [Seen],
    /// What was done in the turns before and what came of it, in sentences.
    pub history: &'a [String],
    pub searches_left: u32,
    pub reads_left: u32,
}

/// A result of a search, as it is shown to who refines a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub kind: SourceKind,
    pub title: String,
    pub snippet: String,
    /// How its text begins, where it was read.
    pub text: Option<String>,
}

/// What can be done about a query that found too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put the query in other words, or to another kind of source.
    Search(Query),
    /// Read a result, by its number from 1.
    Read {
        result: usize,
    },
    Stop,
}

pub struct AnalyseTask<'a> {
    pub question: &'a Question,
    pub settings: &'a Settings,
    pub plan: &'a Plan,
    pub sources: &'a [std::sync::Arc<Source>],
    pub evidence: &'a [Evidence],
    /// Conflicts that code found among the evidence.
    pub contradictions: &'a [Contradiction],
    pub language: Language,
}

#[derive(Clone, Copy)]
pub struct SectionTask<'a> {
    pub question: &'a Question,
    pub settings: &'a Settings,
    pub plan: &'a Plan,
    pub section: &'a crate::plan::Section,
    /// Its place in the plan.
    pub place: usize,
    pub sources: &'a [std::sync::Arc<Source>],
    pub evidence: &'a [Evidence],
    pub analysis: &'a Analysis,
    pub words: usize,
    pub language: Language,
    pub revision: Option<Revision<'a>>,
    /// What a person asked for.
    pub feedback: Option<&'a str>,
}

/// What a revision starts from.
#[derive(Clone, Copy)]
pub struct Revision<'a> {
    pub text: &'a str,
    /// What the reviewer found in this place or in the whole.
    pub items: &'a [Item],
}

#[derive(Clone, Copy)]
pub struct FrameTask<'a> {
    pub question: &'a Question,
    pub settings: &'a Settings,
    pub plan: &'a Plan,
    pub sections: &'a [Section],
    pub evidence: &'a [Evidence],
    pub analysis: &'a Analysis,
    pub sources: &'a [std::sync::Arc<Source>],
    pub language: Language,
    /// What was done in a poorer way than meant, in sentences.
    pub degraded: &'a [String],
}

pub struct ReviewTask<'a> {
    pub question: &'a Question,
    pub plan: &'a Plan,
    pub settings: &'a Settings,
    pub draft: &'a Draft,
    pub check: &'a CitationCheck,
    pub analysis: &'a Analysis,
    pub sources: &'a [std::sync::Arc<Source>],
    /// What is known already: what code has proven, and what a judge of meaning has found.
    pub known: &'a [Item],
    pub language: Language,
}

pub struct SupportTask<'a> {
    pub settings: &'a Settings,
    /// Names the part of the draft; the same whenever the step is run again, and no other in the step.
    pub part: &'a str,
    pub sentences: &'a [Cited],
}

/// A sentence with the passages that it cites, and nothing else of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    pub sentence: String,
    pub passages: Vec<String>,
}

/// An opinion on a sentence, and why in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    pub judgement: Judgement,
    pub why: String,
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
pub struct Judged<T> {
    pub value: T,
    pub by: String,
    /// Why those before could not.
    pub failures: Vec<RecordedFailure>,
}

/// Asks the reasoners in order until one is able.
pub async fn judge<'a, T>(
    ctx: &'a Ctx,
    ask: impl Fn(&'a dyn Reasoner) -> BoxFuture<'a, Result<T, ReasonerError>>,
) -> Result<Judged<T>, NodeError> {
    let mut failures: Vec<RecordedFailure> = Vec::new();
    for reasoner in ctx.deps().reasoners() {
        match ask(reasoner).await {
            Ok(value) => {
                let by = reasoner.name().to_owned();
                return Ok(Judged {
                    value,
                    by,
                    failures,
                });
            }
            Err(ReasonerError::Halted(halt)) => return Err(halt),
            Err(ReasonerError::Failed(failure)) => failures.push(failure),
        }
    }
    let last = failures.pop().map(|failure| failure.message);
    Err(NodeError::new(
        last.unwrap_or_else(|| "no reasoner is configured".to_owned()),
    ))
}
