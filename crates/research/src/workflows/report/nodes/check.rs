//! Checks the draft's citations, and repairs what fails.

use std::sync::Arc;

use fathom_workflow::event::Level;
use fathom_workflow::{NodeError, NodeResult};

use super::{Notes, language};
use crate::degradation::Degradation;
use crate::draft::Draft;
use crate::reasoner::Ctx;
use crate::skills::cite::{self, CitationTask};
use crate::workflows::report::state::{State, StateChange};

pub(crate) async fn check(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let draft = state.draft.as_deref();
    let draft = draft.ok_or_else(|| NodeError::new("there is no draft to check"))?;
    let checked = cite::check(&task(state), ctx, Draft::clone(draft)).await?;
    for change in &checked.check.changes {
        ctx.log(
            Level::Info,
            format!("{:?} “{}”: {}", change.done, change.claim, change.why),
        );
    }
    let mut notes = Notes::new(ctx);
    notes.failures(checked.failures);
    if checked.not_all_judged {
        notes.degraded(Degradation::NotAllJudged);
    }
    Ok(notes.update(StateChange::Checked {
        draft: Arc::new(checked.draft),
        check: Arc::new(checked.check),
    }))
}

/// What this run holds a draft against.
pub(super) fn task(state: &State) -> CitationTask<'_> {
    CitationTask {
        settings: state.settings.citation_check(),
        budget: state.settings.budget(state.started_at),
        language: language(state),
        sources: &state.sources,
        evidence: &state.evidence,
        before: state.check.as_deref(),
    }
}
