//! Writes the answer from the passages alone, and lets no sentence out whose citation was not checked.

use fathom_workflow::{NodeError, NodeResult};

use super::Turn;
use super::reflect::{excerpts, located, mentions};
use crate::analysis::Evidence;
use crate::degradation::{Degradation, JudgedPart};
use crate::reasoner::{AnswerTask, Ctx, TaskPassage};
use crate::skills::cite::CitationTask;
use crate::skills::compose;
use crate::skills::locate::excerpt::QuestionWords;
use crate::workflows::answer::compact::{self, CompactionReason};
use crate::workflows::answer::outcome::{AnswerDraft, BriefParts};
use crate::workflows::answer::state::AnswerState;

/// Passages that a model writes from.
const PASSAGES_MOST: usize = 24;

pub(crate) async fn synthesize(state: &AnswerState, ctx: &Ctx) -> NodeResult<AnswerState> {
    let mut turn = Turn::start(ctx);
    let mut evidence = state.evidence.to_vec();
    let before = state.reflections.iter().rev().nth(1);
    let known = before.map_or(0, |before| before.results);
    let reason = CompactionReason::Synthesis;
    let compaction = compact::compact(state, known, &mut evidence, reason);
    let written = written(state, ctx, &evidence, &mut turn).await?;
    let draft = match written {
        Some(draft) => draft,
        None => quoted(state, ctx, &mut turn).await?,
    };
    turn.answered(state, &evidence, draft, compaction).await
}

/// What a model writes; nothing where there is none, or where nothing of what it wrote holds.
async fn written(
    state: &AnswerState,
    ctx: &Ctx,
    evidence: &[Evidence],
    turn: &mut Turn<'_>,
) -> Result<Option<AnswerDraft>, NodeError> {
    if ctx.deps().reasoners.answer_writers.is_empty() || evidence.is_empty() {
        return Ok(None);
    }
    let passages = passages(state, evidence);
    let budget = state.settings.budget(state.task.depth, state.started_at);
    let task = AnswerTask {
        budget,
        key: "write",
        question: state.task.text(),
        turns: &[],
        instructions: None,
        passages: &passages,
        max_sentences: state.settings.max_sentences,
        language: state.language(),
    };
    let check = CitationTask {
        settings: state.settings.citation_check(),
        budget,
        language: state.language(),
        sources: &state.search_results,
        evidence,
        before: None,
    };
    match compose::compose(ctx, &task, &check).await? {
        Ok(composed) => {
            turn.failures(composed.failures.clone());
            Ok(AnswerDraft::from_composed(composed, state))
        }
        Err(failures) => {
            turn.degraded(Degradation::MadeBy {
                part: JudgedPart::Text,
                reasoner: fathom_render::report::EXTRACTIVE.to_owned(),
            });
            turn.failures(failures);
            Ok(None)
        }
    }
}

/// The passages in the order in which a model should read them: the surest first, so that a small window holds them.
fn passages(state: &AnswerState, evidence: &[Evidence]) -> Vec<TaskPassage> {
    let mut order: Vec<&Evidence> = evidence.iter().collect();
    order.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let passage = |piece: &Evidence| {
        let place = (piece.source.0 as usize).checked_sub(1)?;
        let source = state.search_results.get(place)?;
        Some(TaskPassage::new(source, &piece.sections, &piece.quote))
    };
    let passages = order.into_iter().filter_map(passage);
    let mut passages: Vec<TaskPassage> = passages.collect();
    passages.dedup();
    passages.truncate(PASSAGES_MOST);
    passages
}

/// The sentences that answer best, in the sources' own words.
pub(super) async fn quoted(
    state: &AnswerState,
    ctx: &Ctx,
    turn: &mut Turn<'_>,
) -> Result<AnswerDraft, NodeError> {
    if state.plan.is_none() {
        return Ok(AnswerDraft::empty(state));
    }
    let located = located(state, ctx).await?;
    let mentions = mentions(state, ctx, turn).await?;
    let words = QuestionWords::new(state.task.text(), state.language(), &mentions);
    let excerpts = excerpts(state, ctx, &located, &words, turn).await?;
    AnswerDraft::from_quotes(
        state,
        &located,
        &BriefParts {
            excerpts: &excerpts,
            mentions: &mentions,
            words: &words,
        },
    )
}
