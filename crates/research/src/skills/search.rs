//! Puts queries, all at once, refines those that find too little, and reads the best of what they find.

mod address;
mod filters;
mod merge;
mod query;
mod web;

use std::sync::Arc;

use fathom_workflow::{NodeError, fan_out};
use serde::{Deserialize, Serialize};

pub use self::filters::SearchFilters;
pub(crate) use self::merge::{Candidate, quality};
pub(crate) use self::query::{Answered, Hit, once};
pub(crate) use self::web::{kinds, page};
use super::budget;
use super::read::{self, AlreadyRead};
use super::refine::{READS_MOST, RefineLimits};
use crate::calls::RecordedFailure;
use crate::plan::{Query, QueryId};
use crate::question::Question;
use crate::reasoner::Ctx;
use crate::services::SourceScope;
use crate::settings::Caps;
use crate::source::Source;

/// A query and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// What is searched for.
    pub query: Query,
    /// Nothing while it waits to be put.
    pub outcome: Option<SearchOutcome>,
}

/// What a search gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchOutcome {
    /// It was answered.
    Found {
        /// Who answered.
        provider: String,
        /// How many results came.
        hits: usize,
        /// How many of them say something; a document of one's own counts once for each passage that fits.
        useful: usize,
    },
    /// Nobody answered.
    Failed {
        /// Why not, in a sentence.
        why: String,
    },
}

/// Where a run searches and reads, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct SearchSettings<'a> {
    /// The run's library, and whether it may use the web.
    pub scope: SourceScope<'a>,
    /// Whether searches are made anew, whatever was kept of earlier ones.
    pub fresh: bool,
    /// Results of a search beyond this are not looked at.
    pub max_results_per_query: usize,
    /// A query with fewer useful results than this is refined.
    pub min_useful_results: usize,
    /// Times that a poor query is put in other words.
    pub max_reformulations: u32,
    /// Turns that are spent on a poor query.
    pub max_search_iterations: u32,
    /// Passages that the encoder, where there is one, reads for one query.
    pub max_encoded_passages: usize,
    /// Searches and page reads under way at once.
    pub max_concurrency: usize,
    /// Which results are wanted at all; all of them where nothing is said.
    pub filters: Option<&'a SearchFilters>,
    /// What the run may spend.
    pub caps: Caps,
}

/// What is searched for, and what is known already.
#[derive(Clone, Copy)]
pub(crate) struct SearchTask<'a> {
    pub(crate) question: &'a Question,
    pub(crate) settings: SearchSettings<'a>,
    /// Every query of the run by its [`QueryId`], those that were put and those to put.
    pub(crate) queries: &'a [Asked],
    /// The sources of the run so far, by their number.
    pub(crate) sources: &'a [Arc<Source>],
    /// Sources that the run may have in all.
    pub(crate) max_sources: usize,
    /// Whether a model has the time to refine poor queries; rules do it otherwise.
    pub(crate) refined_by_model: bool,
}

/// What a round of searching brought.
#[derive(Default)]
pub(crate) struct SearchResult {
    pub(crate) outcomes: Vec<(QueryId, SearchOutcome)>,
    /// Queries that were put in other words, with their outcomes.
    pub(crate) refined: Vec<Asked>,
    /// New sources, and old ones that were found again or read since.
    pub(crate) sources: Vec<Arc<Source>>,
    /// What went wrong on the way: judgements and reads.
    pub(crate) failures: Vec<RecordedFailure>,
    /// Searches that nobody answered.
    pub(crate) failed_searches: Vec<RecordedFailure>,
    /// Why the encoder gave no opinion, where it failed.
    pub(crate) encoder_lost: Option<String>,
}

/// Puts the queries that were not put yet, and reads what they find, as far as the budget allows.
pub(crate) async fn search(task: &SearchTask<'_>, ctx: &Ctx) -> Result<SearchResult, NodeError> {
    let mut result = SearchResult::default();
    let mut hits = Vec::new();
    let mut already = AlreadyRead::default();
    let mut next = u32::try_from(task.queries.len())?;
    for (id, mut answer) in ask_all(task, ctx).await? {
        already.take(std::mem::take(&mut answer.read));
        let refined = std::mem::take(&mut answer.refined);
        hits.extend(result.take(&mut answer).map(|hit| (id, hit)));
        result.outcomes.push((id, answer.outcome));
        for mut again in refined {
            let id = QueryId(next);
            hits.extend(result.take(&mut again).map(|hit| (id, hit)));
            result.refined.push(Asked {
                query: again.query,
                outcome: Some(again.outcome),
            });
            next += 1;
        }
    }
    let today = task.question.asked_on;
    let found = merge::merge(task.sources, hits, task.max_sources, today);
    let (sources, failures) = read::all(task, ctx, found, already).await?;
    result.sources = sources;
    result.failures.extend(failures);
    Ok(result)
}

impl SearchResult {
    /// Notes what went wrong with a query, and gives its hits.
    fn take(&mut self, answer: &mut Answered) -> impl Iterator<Item = Hit> + use<> {
        self.failures.append(&mut answer.failures);
        self.failed_searches.extend(answer.failure.take());
        self.encoder_lost = self
            .encoder_lost
            .take()
            .or_else(|| answer.encoder_lost.take());
        std::mem::take(&mut answer.hits).into_iter()
    }
}

/// Puts every pending query that the budget allows, the most urgent first.
async fn ask_all(task: &SearchTask<'_>, ctx: &Ctx) -> Result<Vec<(QueryId, Answered)>, NodeError> {
    let numbered = (0..).map(QueryId).zip(task.queries);
    let pending = numbered.filter(|(_, asked)| asked.outcome.is_none());
    let mut pending: Vec<(QueryId, &Query)> =
        pending.map(|(id, asked)| (id, &asked.query)).collect();
    pending.sort_by_key(|(id, query)| (query.priority, *id));
    let caps = &task.settings.caps;
    let left = budget::left(caps.queries, ctx.spent(budget::QUERIES));
    pending.truncate(left);
    // What the cap leaves is shared out evenly, so that it does not matter which query is the quickest.
    let shares = left.saturating_sub(pending.len()) / pending.len().max(1);
    let share = |left: usize| u32::try_from(left).unwrap_or(u32::MAX);
    let fetches = budget::left(caps.fetches, ctx.spent(budget::FETCHES));
    let limits = RefineLimits {
        searches: share(shares).min(task.settings.max_reformulations),
        // Half of the pages at most are read to find words by, so that there is something to read with them.
        reads: share(fetches / 2 / pending.len().max(1)).min(READS_MOST),
    };
    let at_once = task.settings.max_concurrency;
    let answered = fan_out(pending, at_once, |(id, query)| async move {
        Ok((id, query::put(task, ctx, id, query, limits).await?))
    });
    answered.await.into_iter().collect()
}
