//! Searches for what the plan or the gaps ask for, and reads the best of what is found.

use fathom_workflow::NodeResult;

use super::Notes;
use crate::degradation::Degradation;
use crate::reasoner::Ctx;
use crate::skills::search::{self, SearchTask};
use crate::workflows::report::state::{Searched, State, StateChange};

pub(crate) async fn search(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let usual = state.depth().bounds().sources;
    let task = SearchTask {
        question: &state.question,
        settings: &state.settings,
        queries: &state.queries,
        sources: &state.sources,
        max_sources: state.settings.max_sources.unwrap_or(usual),
    };
    let found = search::search(&task, ctx).await?;
    let mut notes = Notes::new(ctx);
    if !found.failed_searches.is_empty() {
        notes.degraded(Degradation::SearchFailed);
    }
    notes.failures(found.failures);
    notes.failures(found.failed_searches);
    Ok(notes.update(StateChange::Searched(Searched {
        outcomes: found.outcomes,
        reformulated: found.refined,
        sources: found.sources,
    })))
}
