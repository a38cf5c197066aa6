//! Puts the pending queries, all at once, and reads the best of what they find.

mod ask;
mod merge;
mod read;
mod seek;
mod web;

pub(crate) use web::kinds;

use fathom_workflow::{NodeError, NodeResult, fan_out};

use self::ask::Answered;
use self::read::Already;
use self::seek::{Limits, READS_MOST};
use super::Notes;
use crate::budget;
use crate::degradation::Degradation;
use crate::plan::{Query, QueryId};
use crate::reasoner::Ctx;
use crate::state::{Asked, Change, Searched, State};

pub(crate) async fn search(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let mut notes = Notes::new();
    let answered = ask_all(state, ctx).await?;
    let mut searched = Searched::default();
    let mut hits = Vec::new();
    let mut already = Already::default();
    let mut next = u32::try_from(state.queries.len())?;
    for (id, answer) in answered {
        take(&mut notes, ctx, &answer);
        already.take(answer.read);
        hits.extend(answer.hits.into_iter().map(|hit| (id, hit)));
        searched.outcomes.push((id, answer.outcome));
        for again in answer.again {
            take(&mut notes, ctx, &again);
            hits.extend(again.hits.into_iter().map(|hit| (QueryId(next), hit)));
            searched.reformulated.push(Asked {
                query: again.query,
                outcome: Some(again.outcome),
            });
            next += 1;
        }
    }
    let usual = state.depth().bounds().sources;
    let most = state.settings.max_sources.unwrap_or(usual);
    let found = merge::merged(&state.sources, hits, most, state.question.asked_on);
    searched.sources = read::all(state, ctx, found, already, &mut notes).await?;
    Ok(notes.update(Change::Searched(searched)))
}

/// Puts every pending query that the budget allows, the most urgent first.
async fn ask_all(state: &State, ctx: &Ctx) -> Result<Vec<(QueryId, Answered)>, NodeError> {
    let pending = state.pending().map(|(id, query)| (id, query.clone()));
    let mut pending: Vec<(QueryId, Query)> = pending.collect();
    pending.sort_by_key(|(id, query)| (query.priority, *id));
    let spent = ctx.spent(budget::QUERIES);
    let left = budget::left(state.settings.caps.queries, spent);
    pending.truncate(left);
    // What the cap leaves is shared out evenly, so that it does not matter which query is the quickest.
    let shares = left.saturating_sub(pending.len()) / pending.len().max(1);
    let share = |left: usize| u32::try_from(left).unwrap_or(u32::MAX);
    let fetches = budget::left(state.settings.caps.fetches, ctx.spent(budget::FETCHES));
    let limits = Limits {
        searches: share(shares).min(state.settings.max_reformulations),
        // Half of the pages at most are read to find words by, so that there is something to read with them.
        reads: share(fetches / 2 / pending.len().max(1)).min(READS_MOST),
    };
    let at_once = state.settings.max_concurrency;
    let answered = fan_out(pending, at_once, |(id, query)| async move {
        Ok((id, ask::put(state, ctx, id, &query, limits).await?))
    });
    answered.await.into_iter().collect()
}

fn take(notes: &mut Notes, ctx: &Ctx, answer: &Answered) {
    notes.errors(&answer.errors);
    if let Some(failure) = &answer.failure {
        notes.error(ctx, failure.clone());
        notes.degraded(Degradation::SearchFailed);
    }
}
