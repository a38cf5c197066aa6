//! Has a model judge passages in batches. Code's ranking decides what it sees, and its scores decide what stays.

use fathom_workflow::{NodeError, fan_out};

use super::budget::RunBudget;
use crate::calls::RecordedFailure;
use crate::reasoner::{
    Ctx, PassageRelevance, ReasonerError, RelevanceJudge, RelevanceTask, TaskPassage,
};

/// Passages that are judged in one call.
const PASSAGES_A_CALL: usize = 8;

/// What was judged.
#[derive(Default)]
pub(crate) struct JudgedPassages {
    /// An opinion on each passage, in their order; nothing where none could be had.
    pub(crate) opinions: Vec<Option<PassageRelevance>>,
    /// Calls that failed.
    pub(crate) failures: Vec<RecordedFailure>,
}

/// Judges the first passages, so many and so many at once; none where there is no model.
pub(crate) async fn judge(
    ctx: &Ctx,
    budget: RunBudget,
    question: &str,
    passages: &[TaskPassage],
    (most, max_concurrency): (usize, usize),
) -> Result<JudgedPassages, NodeError> {
    let mut judged = JudgedPassages::default();
    let Some(judge) = ctx.deps().reasoners.relevance_judges.first() else {
        judged.opinions.resize(passages.len(), None);
        return Ok(judged);
    };
    let shown = passages.get(..most).unwrap_or(passages);
    let batches = shown.chunks(PASSAGES_A_CALL).enumerate();
    let answers = fan_out(batches, max_concurrency, |(nth, batch)| {
        one(ctx, &**judge, budget, question, nth, batch)
    });
    for (batch, answer) in shown.chunks(PASSAGES_A_CALL).zip(answers.await) {
        match answer {
            Ok(opinions) => judged.opinions.extend(opinions),
            Err(ReasonerError::Halted(halt)) => return Err(halt),
            Err(ReasonerError::Failed(failure)) => {
                judged.failures.push(failure);
                let open = judged.opinions.len() + batch.len();
                judged.opinions.resize(open, None);
            }
        }
    }
    judged.opinions.resize(passages.len(), None);
    Ok(judged)
}

async fn one(
    ctx: &Ctx,
    judge: &dyn RelevanceJudge,
    budget: RunBudget,
    question: &str,
    nth: usize,
    passages: &[TaskPassage],
) -> Result<Vec<Option<PassageRelevance>>, ReasonerError> {
    let key = format!("relevance/{}", nth + 1);
    let task = RelevanceTask {
        budget,
        key: &key,
        question,
        passages,
    };
    judge.judge_relevance(ctx, &task).await
}
