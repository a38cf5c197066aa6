//! Puts pending queries, those that find too little in other words, and reads the best of what is found.

use fathom_workflow::NodeResult;

use super::Turn;
use crate::degradation::Degradation;
use crate::reasoner::Ctx;
use crate::skills::search::{self, SearchTask};
use crate::workflows::answer::state::{AnswerChange, AnswerState};

pub(crate) async fn search(state: &AnswerState, ctx: &Ctx) -> NodeResult<AnswerState> {
    let mut turn = Turn::start(ctx);
    let task = SearchTask {
        question: &state.task,
        settings: state.settings.search(),
        queries: &state.plan_queries,
        sources: &state.search_results,
        max_sources: state.max_sources(),
        refined_by_model: true,
    };
    let found = search::search(&task, ctx).await?;
    if !found.failed_searches.is_empty() {
        turn.degraded(Degradation::SearchFailed);
    }
    if let Some(why) = found.encoder_lost {
        turn.degraded(Degradation::EncoderFailed { why });
    }
    turn.failures(found.failures);
    turn.failures(found.failed_searches);
    let known = state.search_results.len();
    let new = found.sources.iter();
    let results = known + new.filter(|source| source.id.0 as usize > known).count();
    let change = AnswerChange::Searched {
        outcomes: found.outcomes,
        refined: found.refined,
        sources: found.sources,
    };
    turn.finish(state, results, change).await
}
