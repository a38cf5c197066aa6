//! Puts one query. What is done where it finds too little is in `refine`.

use fathom_providers::FailureCategory;
use fathom_workflow::{EffectCall, NodeError};
use serde::{Deserialize, Serialize};

use super::{SearchOutcome, SearchTask, web};
use crate::calls::{self, RecordedFailure};
use crate::library::LocalHit;
use crate::plan::{Query, QueryId, SourceKind};
use crate::reasoner::Ctx;
use crate::skills::budget;
use crate::skills::read::{ReadDocument, WantedDocument};
use crate::skills::refine::{self, RefineLimits};
use crate::source::Work;

/// What a search found, wherever it looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hit {
    pub(crate) kind: SourceKind,
    pub(crate) location: String,
    /// The same for all places where this work is found.
    pub(crate) key: String,
    pub(crate) about: Work,
    pub(crate) snippet: String,
    /// The whole text, or an abstract, where the search gave it.
    pub(crate) text: Option<String>,
    /// 0 to 1.
    pub(crate) relevance: f64,
}

impl Hit {
    /// The document that it leads to.
    pub(crate) fn located(&self) -> WantedDocument<'_> {
        WantedDocument {
            kind: self.kind,
            location: &self.location,
            text: self.text.as_deref(),
        }
    }
}

/// A query with what it brought.
pub(crate) struct Answered {
    pub(crate) query: Query,
    pub(crate) outcome: SearchOutcome,
    /// Why the search failed, where it did.
    pub(crate) failure: Option<RecordedFailure>,
    pub(crate) hits: Vec<Hit>,
    /// The same in other words.
    pub(crate) refined: Vec<Answered>,
    /// Results that were read on the way, by their keys.
    pub(crate) read: Vec<(String, Result<ReadDocument, RecordedFailure>)>,
    /// What went wrong in refining it.
    pub(crate) failures: Vec<RecordedFailure>,
}

impl Answered {
    pub(crate) fn is_poor(&self, task: &SearchTask<'_>) -> bool {
        match self.outcome {
            SearchOutcome::Found { useful, .. } => useful < task.settings.min_useful_results,
            SearchOutcome::Failed { .. } => false,
        }
    }
}

/// Puts a query, and refines it where it finds too little.
pub(crate) async fn put(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    id: QueryId,
    query: &Query,
    limits: RefineLimits,
) -> Result<Answered, NodeError> {
    let first = once(task, ctx, query, format!("search/{}", id.0)).await?;
    if first.is_poor(task) {
        refine::refine(task, ctx, id, first, limits).await
    } else {
        Ok(first)
    }
}

/// What is recorded of a search that was answered.
#[derive(Serialize, Deserialize)]
pub(crate) struct SearchRecord {
    pub(crate) provider: String,
    pub(crate) hits: Vec<Hit>,
}

pub(crate) async fn once(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    query: &Query,
    key: String,
) -> Result<Answered, NodeError> {
    let search = |call: EffectCall| async move {
        call.spend(budget::QUERIES, 1);
        match (query.kind, ctx.deps().web(task.settings.scope)) {
            (SourceKind::Local, _) => local(task, ctx, query).await,
            (
                SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code,
                Some(web),
            ) => web::search(task, ctx, web, query, &call).await,
            (
                SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code,
                None,
            ) => Err(RecordedFailure::not_set_up(
                "no search provider is configured",
            )),
        }
    };
    let recorded = calls::recorded(ctx, key, search).await?;
    let (outcome, failure, hits) = match recorded {
        Ok(SearchRecord { provider, hits }) => {
            let found = SearchOutcome::Found {
                provider,
                hits: hits.len(),
                useful: hits
                    .iter()
                    .filter(|hit| !hit.snippet.trim().is_empty())
                    .count(),
            };
            (found, None, hits)
        }
        Err(failure) => {
            let why = failure.message.clone();
            (SearchOutcome::Failed { why }, Some(failure), Vec::new())
        }
    };
    Ok(Answered {
        query: query.clone(),
        outcome,
        failure,
        hits,
        refined: Vec::new(),
        read: Vec::new(),
        failures: Vec::new(),
    })
}

async fn local(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    query: &Query,
) -> Result<SearchRecord, RecordedFailure> {
    let library = ctx.deps().library(task.settings.scope);
    let library = library.ok_or_else(|| RecordedFailure::not_set_up("no library is configured"))?;
    let limit = task.settings.max_results_per_query;
    let found = library.search(&query.text, limit).await;
    let found = found.map_err(|fault| RecordedFailure::once(FailureCategory::Internal, fault))?;
    let hit = |hit: LocalHit| Hit {
        kind: SourceKind::Local,
        key: hit.name.clone(),
        location: hit.name,
        about: Work {
            title: hit.title,
            ..Work::default()
        },
        snippet: hit.snippet,
        text: None,
        relevance: hit.relevance,
    };
    Ok(SearchRecord {
        provider: "library".to_owned(),
        hits: found.into_iter().map(hit).collect(),
    })
}
