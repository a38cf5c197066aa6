//! Searches for what the plan or the gaps ask for, and reads the best of what is found.

use fathom_workflow::{NodeResult, StepHalted};

use super::Notes;
use crate::degradation::Degradation;
use crate::library::LibraryStock;
use crate::reasoner::Ctx;
use crate::skills::effort::{Effort, Schedule};
use crate::skills::search::{self, SearchTask};
use crate::workflows::report::state::{ReportState, Searched, StateChange};

pub(crate) async fn search(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let usual = state.depth().bounds().sources;
    let schedule = Schedule::at_step(ctx, state.settings.model_patience()).await?;
    let task = SearchTask {
        question: &state.question,
        settings: state.settings.search(),
        queries: &state.queries,
        sources: &state.sources,
        max_sources: state.settings.max_sources.unwrap_or(usual),
        refined_by_model: schedule.effort() == Effort::Full,
    };
    let mut notes = Notes::new(ctx);
    if let Some(stock) = library_stock(state, ctx).await?
        && stock.skipped > 0
    {
        notes.degraded(Degradation::FilesSkipped(stock));
    }
    let found = search::search(&task, ctx).await?;
    if !found.failed_searches.is_empty() {
        notes.degraded(Degradation::SearchFailed);
    }
    if let Some(why) = found.encoder_lost {
        notes.degraded(Degradation::EncoderFailed { why });
    }
    notes.failures(found.failures);
    notes.failures(found.failed_searches);
    Ok(notes.update(StateChange::Searched(Searched {
        outcomes: found.outcomes,
        reformulated: found.refined,
        sources: found.sources,
    })))
}

/// How much of the run's library could be read, asked once. One that cannot be opened is told of by its searches.
async fn library_stock(state: &ReportState, ctx: &Ctx) -> Result<Option<LibraryStock>, StepHalted> {
    let library = ctx.deps().library(state.settings.scope());
    let Some(library) = library.filter(|_| !state.is_searched()) else {
        return Ok(None);
    };
    let stock = ctx.effect("library", |_| async move { library.stock().await.ok() });
    stock.await
}
