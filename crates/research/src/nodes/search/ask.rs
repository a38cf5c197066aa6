//! Puts one query. What is done where it finds too little is in `seek`.

use fathom_providers::FailureCategory;
use fathom_workflow::{Call, NodeError};
use serde::{Deserialize, Serialize};

use super::read::{Taken, Wanted};
use super::seek::{self, Limits};
use super::web;
use crate::budget;
use crate::calls::{self, RecordedFailure};
use crate::library::LocalHit;
use crate::plan::{Query, QueryId, SourceKind};
use crate::reasoner::Ctx;
use crate::source::Work;
use crate::state::{ErrorEntry, SearchOutcome, State};

/// What a search found, wherever it looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hit {
    pub(super) kind: SourceKind,
    pub(super) location: String,
    /// The same for all places where this work is found.
    pub(super) key: String,
    pub(super) about: Work,
    pub(super) snippet: String,
    /// The whole text, or an abstract, where the search gave it.
    pub(super) text: Option<String>,
    /// 0 to 1.
    pub(super) relevance: f64,
}

impl Hit {
    /// The document that it leads to.
    pub(super) fn located(&self) -> Wanted<'_> {
        Wanted {
            kind: self.kind,
            location: &self.location,
            text: self.text.as_deref(),
        }
    }
}

/// A query with what it brought.
pub(super) struct Answered {
    pub(super) query: Query,
    pub(super) outcome: SearchOutcome,
    /// Why the search failed, where it did.
    pub(super) failure: Option<RecordedFailure>,
    pub(super) hits: Vec<Hit>,
    /// The same in other words.
    pub(super) again: Vec<Answered>,
    /// Results that were read on the way, by their keys.
    pub(super) read: Vec<(String, Result<Taken, RecordedFailure>)>,
    /// What went wrong in looking on.
    pub(super) errors: Vec<ErrorEntry>,
}

impl Answered {
    pub(super) fn is_poor(&self, state: &State) -> bool {
        match self.outcome {
            SearchOutcome::Found { useful, .. } => useful < state.settings.min_useful_results,
            SearchOutcome::Failed { .. } => false,
        }
    }
}

/// Puts a query, and looks on where it finds too little.
pub(super) async fn put(
    state: &State,
    ctx: &Ctx,
    id: QueryId,
    query: &Query,
    limits: Limits,
) -> Result<Answered, NodeError> {
    let first = once(state, ctx, query, format!("search/{}", id.0)).await?;
    match first.is_poor(state) {
        true => seek::on(state, ctx, id, first, limits).await,
        false => Ok(first),
    }
}

/// What is recorded of a search that was answered.
#[derive(Serialize, Deserialize)]
pub(super) struct SearchRecord {
    pub(super) provider: String,
    pub(super) hits: Vec<Hit>,
}

pub(super) async fn once(
    state: &State,
    ctx: &Ctx,
    query: &Query,
    key: String,
) -> Result<Answered, NodeError> {
    let search = |call: Call| async move {
        call.spend(budget::QUERIES, 1);
        match (query.kind, ctx.deps().web(state.settings.scope())) {
            (SourceKind::Local, _) => local(state, ctx, query).await,
            (
                SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code,
                Some(web),
            ) => web::search(state, ctx, web, query, &call).await,
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
        again: Vec::new(),
        read: Vec::new(),
        errors: Vec::new(),
    })
}

async fn local(state: &State, ctx: &Ctx, query: &Query) -> Result<SearchRecord, RecordedFailure> {
    let library = ctx.deps().library(state.settings.scope());
    let library = library.ok_or_else(|| RecordedFailure::not_set_up("no library is configured"))?;
    let limit = state.settings.max_results_per_query;
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
