//! Understands the question: by itself, or with the turns before it.

use fathom_workflow::{NodeError, NodeResult};

use super::{StageTimer, written};
use crate::reasoner::{Ctx, RephraseTask, Rephrased, judge_if_able};
use crate::workflows::ask::follow_up;
use crate::workflows::ask::state::{AskChange, AskState, UnderstoodQuestion};

pub(crate) async fn analyse(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let timer = StageTimer::start();
    let text = state.question.text();
    let full = follow_up::in_full(text, &state.earlier);
    let understood = match full {
        None => UnderstoodQuestion {
            text: text.to_owned(),
            follow_up: false,
            searches: Vec::new(),
        },
        Some(full) => {
            let phrasings = match rephrase(state, ctx).await? {
                Some(rephrased) => rephrased.phrasings,
                None => Vec::new(),
            };
            let mut phrasings = phrasings.into_iter().filter(|one| !one.trim().is_empty());
            UnderstoodQuestion {
                text: phrasings.next().unwrap_or(full),
                follow_up: true,
                searches: phrasings.collect(),
            }
        }
    };
    timer.finish(ctx, AskChange::Analysed(understood)).await
}

/// The question in the words that documents use; nothing where no model can tell. It is a help and no need.
pub(super) async fn rephrase(state: &AskState, ctx: &Ctx) -> Result<Option<Rephrased>, NodeError> {
    let turns = written::turns(&state.earlier);
    let task = RephraseTask {
        budget: state.settings.budget(state.started_at),
        question: state.text(),
        turns: &turns,
        language: state.language(),
    };
    let rephrasers = &ctx.deps().reasoners.rephrasers;
    let rephrased = judge_if_able(rephrasers, |one| one.rephrase(ctx, &task)).await?;
    Ok(rephrased.ok().map(|judged| judged.value))
}
