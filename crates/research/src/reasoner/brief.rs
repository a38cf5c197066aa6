//! The reasoner that needs no model: it computes its judgements from the evidence alone.
//!
//! Each judgement is a plain function in a file below; this file only forwards. It invents no sentence:
//! what a report says of the world is quoted word for word, and the words around the quotes speak only of the
//! report and its sources.

mod agreed;
mod analyse;
mod depth;
mod frame;
mod groups;
mod nearness;
mod plan;
mod prose;
mod refine;
mod review;
mod section;

use async_trait::async_trait;
use fathom_render::report::EXTRACTIVE;

use super::{
    AnalyseTask, Analyst, Ctx, DraftReviewer, FrameTask, PlanTask, Planner, QueryRefiner, Reasoner,
    ReasonerError, RefineAction, RefineTask, ReportWriter, ReviewTask, SectionTask,
};
use crate::analysis::Analysis;
use crate::critique::ReviewOpinion;
use crate::draft::Frame;
use crate::plan::Plan;

use agreed::borne_out;
pub use analyse::analyse;
pub use depth::depth;
pub use frame::frame;
pub use plan::plan;
use refine::refine_query;
pub use review::review;
pub use section::write_section;

/// Ranks, proves and quotes. It holds nothing and calls nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct BriefReasoner;

impl Reasoner for BriefReasoner {
    fn name(&self) -> &str {
        EXTRACTIVE
    }
}

#[async_trait]
impl Planner for BriefReasoner {
    async fn plan(&self, _: &Ctx, task: &PlanTask<'_>) -> Result<Plan, ReasonerError> {
        Ok(plan(task))
    }
}

#[async_trait]
impl QueryRefiner for BriefReasoner {
    async fn refine_query(
        &self,
        _: &Ctx,
        task: &RefineTask<'_>,
    ) -> Result<RefineAction, ReasonerError> {
        Ok(refine_query(task).map_or(RefineAction::Stop, RefineAction::Search))
    }
}

#[async_trait]
impl Analyst for BriefReasoner {
    async fn analyse(&self, _: &Ctx, task: &AnalyseTask<'_>) -> Result<Analysis, ReasonerError> {
        Ok(analyse(task))
    }
}

#[async_trait]
impl ReportWriter for BriefReasoner {
    async fn write_section(
        &self,
        _: &Ctx,
        task: &SectionTask<'_>,
    ) -> Result<String, ReasonerError> {
        let analysis = borne_out(task.analysis, task.evidence, task.language);
        Ok(write_section(&SectionTask {
            analysis: &analysis,
            ..*task
        }))
    }

    async fn write_frame(&self, _: &Ctx, task: &FrameTask<'_>) -> Result<Frame, ReasonerError> {
        let analysis = borne_out(task.analysis, task.evidence, task.language);
        Ok(frame(&FrameTask {
            analysis: &analysis,
            ..*task
        }))
    }
}

#[async_trait]
impl DraftReviewer for BriefReasoner {
    async fn review(&self, _: &Ctx, task: &ReviewTask<'_>) -> Result<ReviewOpinion, ReasonerError> {
        Ok(review(task))
    }
}

#[cfg(test)]
mod tests;
