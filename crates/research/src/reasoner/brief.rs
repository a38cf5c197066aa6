//! The reasoner that needs no model: ranking, proof and quoting, little else.
//!
//! It plans one search for the question as it was asked, shows the passages that fit it best, says what each source
//! says, where sources can be proven to disagree, and what the documents do not mention. It invents no sentence: what a
//! report says of the world is quoted word for word, and the words around the quotes speak only of the report and its
//! sources. It reviews nothing: it has no opinion of its own text.

mod analyse;
mod phrases;
mod plan;
mod subject;
mod write;

use async_trait::async_trait;
use fathom_render::report::EXTRACTIVE;

use super::{
    AnalyseTask, Analyst, Ctx, PlanTask, Planner, QueryRefiner, Reasoner, ReasonerError,
    RefineAction, RefineTask,
};
use crate::analysis::Analysis;
use crate::plan::Plan;

pub use analyse::analyse;
pub(crate) use analyse::quotes_shown;
pub(crate) use plan::as_query;
pub use plan::plan;
pub(crate) use subject::subject_words;
pub(crate) use write::quote;
pub use write::{write_frame, write_section};

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
        Ok(plan::refined(task).map_or(RefineAction::Stop, RefineAction::Search))
    }
}

#[async_trait]
impl Analyst for BriefReasoner {
    async fn analyse(&self, _: &Ctx, task: &AnalyseTask<'_>) -> Result<Analysis, ReasonerError> {
        Ok(analyse(task))
    }
}
